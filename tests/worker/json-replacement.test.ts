import fc from "fast-check";
import vm from "node:vm";
import { expect, test } from "vitest";
import { toJson } from "../../src/worker/to-json.ts";

const MIB = 1_048_576;
const RUNS = { seed: 20_260_417, numRuns: 2_000 };
const convert = (value: unknown, maxBytes = MIB) => toJson(value, { maxBytes });
const throwing = (thrown: unknown) => () => {
  throw thrown;
};

test.each([
  [
    "a Map",
    new Map([
      ["k", 1],
      ["__proto__", 2],
    ]),
    '{"k":1,"__proto__":2}',
    "is a Map",
  ],
  [
    "a Map of other keys",
    new Map<unknown, unknown>([
      [1, "a"],
      [{ b: 2 }, "c"],
    ]),
    '[[1,"a"],[{"b":2},"c"]]',
    "is a Map",
  ],
  ["a Set", new Set([1, "a"]), '[1,"a"]', "is a Set"],
  ["a Date", new Date(0), '"1970-01-01T00:00:00.000Z"', "is a Date"],
  ["an invalid Date", new Date(NaN), "null", "is an invalid Date"],
  ["a BigInt", 123_456_789_012_345_678_901n, '"123456789012345678901"', "is a BigInt"],
  ["a BigInt of a million digits", 10n ** 1_000_000n, "null", "is a BigInt"],
  ["an Error", new Error("boom"), '{"name":"Error","message":"boom"}', "is an Error"],
  ["a TypeError", new TypeError("bad"), '{"name":"TypeError","message":"bad"}', "is a TypeError"],
  ["a RegExp", /a\/b/gi, '"/a\\\\/b/gi"', "is a RegExp"],
  ["a URL", new URL("https://example.org/a?b=c"), '"https://example.org/a?b=c"', "is a URL"],
  ["a typed array", new Uint8Array([1, 2, 255]), "[1,2,255]", "is a Uint8Array"],
  ["a Buffer", Buffer.from("hi"), "[104,105]", "is a Uint8Array"],
  ["a large typed array", new Float64Array(1_000_000), "null", "is a Float64Array"],
  ["an ArrayBuffer", new ArrayBuffer(2), "[0,0]", "is an ArrayBuffer"],
  ["a DataView", new DataView(new ArrayBuffer(4), 1, 2), "[0,0]", "is a DataView"],
  ["a function", () => 1, "null", "is a function"],
  ["a symbol", Symbol("s"), "null", "is a symbol"],
  ["a pending promise", new Promise(() => {}), "null", "is a Promise that was not awaited"],
  // oxlint-disable-next-line unicorn/no-thenable
  ["a thenable that never settles", { then: () => {}, data: 1 }, "null", "is a thenable"],
  ["a generator", (function* () {})(), "{}", "is a Generator"],
  ["response headers", new Headers({ a: "b" }), "{}", "is a Headers"],
  ["NaN", NaN, "null", "is NaN"],
  ["Infinity", Infinity, "null", "is Infinity"],
  ["-Infinity", -Infinity, "null", "is -Infinity"],
  ["negative zero", -0, "0", "is -0"],
])("%s becomes its nearest JSON, with a warning at the top and inside", (_name, value, json, what) => {
  expect(convert(value)).toEqual({ json, omitted: false, warnings: [`result ${what}`] });
  expect(convert({ a: [0, 1, value] })).toEqual({
    json: `{"a":[0,1,${json}]}`,
    omitted: false,
    warnings: [`result.a[2] ${what}`],
  });
});

test("a getter that throws costs its own field only", () => {
  const value = {
    before: 1,
    get bad(): number {
      throw new Error("no luck");
    },
    after: 2,
  };
  expect(convert(value)).toEqual({
    json: '{"before":1,"bad":null,"after":2}',
    omitted: false,
    warnings: ["result.bad throws when it is read: no luck"],
  });
});

test("a toJSON that throws leaves the object's own fields", () => {
  class Row {
    id = 7;
    toJSON(): unknown {
      throw new Error("cannot");
    }
  }
  expect(convert([new Row()])).toEqual({
    json: '[{"id":7}]',
    omitted: false,
    warnings: ["result[0] has a toJSON that throws: cannot"],
  });
});

test("a revoked proxy and proxies whose traps throw become null", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(convert([proxy]).json).toBe("[null]");
  expect(convert([proxy]).warnings[0]).toMatch(/^result\[0\] throws when it is read: .*revoked/);
  for (const trap of ["get", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor", "has"]) {
    const broken = new Proxy({ a: 1 }, { [trap]: throwing(new Error("trapped")) });
    const { json, omitted } = convert([broken]);
    expect(omitted).toBe(false);
    expect(["[null]", '[{"a":1}]', '[{"a":null}]']).toContain(json);
  }
});

test("a proxy of an array with an absurd length is bounded", () => {
  for (const length of [Infinity, NaN, -1, "9", {}]) {
    const list = new Proxy([1], {
      get: (target, key) => (key === "length" ? length : Reflect.get(target, key)),
    });
    expect(typeof convert(list, 10_000).omitted).toBe("boolean");
  }
});

test("objects that only look like built-ins are read as objects", () => {
  expect(convert(Object.create(Map.prototype)).json).toBe("{}");
  expect(convert({ [Symbol.toStringTag]: "Map", a: 1 })).toEqual({
    json: '{"a":1}',
    omitted: false,
    warnings: [],
  });
  expect(convert(new Proxy(new Map([["a", 1]]), {})).omitted).toBe(false);
});

test("subclasses of built-ins are known by what they hold", () => {
  class Registry extends Map<string, number> {
    override get [Symbol.toStringTag](): string {
      return "Registry";
    }
  }
  expect(convert(new Registry([["a", 1]]))).toEqual({
    json: '{"a":1}',
    omitted: false,
    warnings: ["result is a Map"],
  });
});

test("values of another realm are known", () => {
  const value: unknown = vm.runInNewContext(
    '({ m: new Map([["a", [1]]]), d: new Date(0), o: { x: 1 }, e: new RangeError("r") })',
  );
  expect(convert(value)).toEqual({
    json: '{"m":{"a":[1]},"d":"1970-01-01T00:00:00.000Z","o":{"x":1},"e":{"name":"RangeError","message":"r"}}',
    omitted: false,
    warnings: ["result.m is a Map", "result.d is a Date", "result.e is a RangeError"],
  });
});

test("built-ins that the program patched are not used", () => {
  const broken = throwing(new Error("patched"));
  const value = { list: [1, "x"], map: new Map([["k", new Set([1])]]), when: new Date(0) };
  const patches: [object, PropertyKey][] = [
    [Array.prototype, Symbol.iterator],
    [Array.prototype, "push"],
    [Array.prototype, "pop"],
    [Array.prototype, "join"],
    [JSON, "stringify"],
    [Object, "keys"],
    [Object, "getPrototypeOf"],
    [Array, "isArray"],
    [Reflect, "apply"],
    [Map.prototype, "get"],
    [Map.prototype, "entries"],
    [Set.prototype, "add"],
    [Set.prototype, "has"],
    [Set.prototype, "values"],
    [Date.prototype, "toISOString"],
    [RegExp.prototype, "exec"],
    [RegExp.prototype, "test"],
    [String.prototype, "slice"],
    [String.prototype, "charCodeAt"],
    [Object.prototype, "hasOwnProperty"],
  ];
  const saved = patches.map(
    ([target, key]) => Object.getOwnPropertyDescriptor(target, key) as PropertyDescriptor,
  );
  const { defineProperty } = Object;
  let result: unknown;
  try {
    for (let at = 0; at < patches.length; at += 1) {
      const patch = patches[at] as [object, PropertyKey];
      defineProperty(patch[0], patch[1], { value: broken, configurable: true, writable: true });
    }
    result = convert(value);
  } finally {
    for (let at = 0; at < saved.length; at += 1) {
      const patch = patches[at] as [object, PropertyKey];
      defineProperty(patch[0], patch[1], saved[at] as PropertyDescriptor);
    }
  }
  expect(result).toEqual({
    json: '{"list":[1,"x"],"map":{"k":[1]},"when":"1970-01-01T00:00:00.000Z"}',
    omitted: false,
    warnings: ["result.map is a Map", "result.map.k is a Set", "result.when is a Date"],
  });
});

test("any value at all gives JSON that parses, and bounded warnings", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withObjectString: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      const { json, omitted, warnings } = convert(value, 10 * MIB);
      if (json !== undefined) JSON.parse(json);
      expect(omitted && json !== undefined).toBe(false);
      expect(warnings.length).toBeLessThanOrEqual(21);
      expect(warnings.every((warning) => warning.startsWith("result") || warning.startsWith("…and "))).toBe(
        true,
      );
    }),
    RUNS,
  );
});
