import fc from "fast-check";
import { expect, test } from "vitest";
import { toJson } from "../../src/worker/to-json.ts";

const MIB = 1_048_576;
const RUNS = { seed: 20_260_417, numRuns: 2_000 };
const convert = (value: unknown, maxBytes = MIB) => toJson(value, { maxBytes });
/** An array of nothing but holes. */
function emptyItems(count: number): unknown[] {
  const list: unknown[] = [];
  list.length = count;
  return list;
}

test("undefined has no JSON and is not an omission", () => {
  expect(convert(undefined)).toEqual({ omitted: false, warnings: [] });
});

test.each([
  ["scalars", [1, -1.5, 1e21, "text", "", true, false, null]],
  ["text that needs escapes", 'a"b\\c\n\t\u0001\u2028é👍\ud83d'],
  ["integer keys, which come first", { b: 1, 2: "x", a: 2, 1: "y" }],
  ["keys that need quotes", { "": 1, "a-b": 2, 'q"': 3, "\n": 4 }],
  ["empty containers", [{}, [], { a: {}, b: [[]] }]],
  ["fields that JSON leaves out", { a: undefined, b: 1, c: undefined }],
  [
    "a class instance",
    new (class Point {
      x = 1;
      y = { z: [2] };
      hidden = undefined;
    })(),
  ],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
  ["boxed scalars", [new Number(1), new String("s"), new Boolean(false)]],
  ["toJSON", { when: { toJSON: (key: string) => `from ${key}` }, list: [{ toJSON: () => ({ a: 1 }) }] }],
  ["a toJSON that makes nothing", { gone: { toJSON: () => undefined }, kept: 1 }],
  [
    "one object in two places",
    (() => {
      const shared = { s: 1 };
      return { a: shared, b: [shared, shared] };
    })(),
  ],
])("%s come out as JSON.stringify writes them", (_name, value) => {
  expect(convert(value)).toEqual({ json: JSON.stringify(value), omitted: false, warnings: [] });
});

test("a toJSON that makes nothing of the whole value leaves no JSON", () => {
  expect(convert({ toJSON: () => undefined })).toEqual({ omitted: false, warnings: [] });
});

test("keys named like prototypes are data", () => {
  const value: unknown = JSON.parse(
    '{"__proto__":{"polluted":true},"constructor":1,"hasOwnProperty":2,"toString":3}',
  );
  expect(convert(value).json).toBe(
    '{"__proto__":{"polluted":true},"constructor":1,"hasOwnProperty":2,"toString":3}',
  );
});

test("any JSON value parses back to itself, written as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const { json, omitted } = convert(value);
      expect(omitted).toBe(false);
      expect(json).toBe(JSON.stringify(value));
      expect(JSON.parse(json as string)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    RUNS,
  );
});

test("paths name keys as a program would write them", () => {
  const map = new Map();
  expect(convert({ "a-b": { "c d": [map] }, größe: map, "": map, 0: map }).warnings).toEqual([
    'result["0"] is a Map',
    'result["a-b"]["c d"][0] is a Map',
    "result.größe is a Map",
    'result[""] is a Map',
  ]);
  expect(convert(new Map([["k", new Set([new Date(0)])]])).warnings).toEqual([
    "result is a Map",
    "result.k is a Set",
    "result.k[0] is a Date",
  ]);
});

test("long keys and long paths are shortened in warnings, the end of a path stays", () => {
  const [warning] = convert({ ["k".repeat(10_000)]: new Map() }).warnings;
  expect(warning).toBe(`result["${"k".repeat(59)}…"] is a Map`);
  let value: unknown = new Map();
  for (let level = 0; level < 500; level += 1) value = { level: value };
  expect(convert(value).warnings[0]).toMatch(/^result…(\.level){20,40} is a Map$/);
});

test("warnings hold no control characters", () => {
  expect(convert({ "\x1b[31mred\u202e": 1n }).warnings).toEqual(["result.red is a BigInt"]);
});

test("of many warnings twenty are listed and the rest is counted", () => {
  const { warnings } = convert(Array.from({ length: 25 }, () => new Map()));
  expect(warnings).toHaveLength(21);
  expect(warnings[19]).toBe("result[19] is a Map");
  expect(warnings[20]).toBe("…and 5 more");
});

test("a cycle is cut where it closes", () => {
  const value: Record<string, unknown> = { a: { b: [] as unknown[] } };
  (value["a"] as { b: unknown[] }).b.push(value);
  expect(convert(value)).toEqual({
    json: '{"a":{"b":[null]}}',
    omitted: false,
    warnings: ["result.a.b[0] is a circular reference"],
  });
  const map = new Map<string, unknown>();
  map.set("me", map);
  expect(convert(map).json).toBe('{"me":null}');
});

test("holes and undefined items become null, named once in each array", () => {
  // oxlint-disable-next-line no-sparse-arrays
  expect(convert([1, , 3])).toEqual({
    json: "[1,null,3]",
    omitted: false,
    warnings: ["result[1] is an empty item"],
  });
  expect(convert({ a: [undefined, 1, undefined], b: [undefined] })).toEqual({
    json: '{"a":[null,1,null],"b":[null]}',
    omitted: false,
    warnings: ["result.a[0] is undefined", "result.b[0] is undefined", "…and 1 more"],
  });
});

test("a toJSON that returns itself again and again ends at the depth limit", () => {
  const value = {
    toJSON(): unknown {
      return { again: this };
    },
  };
  const { json, warnings } = convert(value);
  expect(JSON.parse(json as string)).toHaveProperty("again.again.again");
  expect(warnings[0]).toMatch(/ is deeper than 1000 levels$/);
});

test("the limit counts UTF-8 bytes and is exact", () => {
  for (const text of [
    "x".repeat(100),
    "é".repeat(50),
    "日".repeat(33),
    "👍".repeat(25),
    "a日👍é".repeat(10),
  ]) {
    const bytes = Buffer.byteLength(JSON.stringify([text]));
    expect(convert([text], bytes)).toEqual({ json: JSON.stringify([text]), omitted: false, warnings: [] });
    expect(convert([text], bytes - 1)).toEqual({ json: undefined, omitted: true, warnings: [] });
  }
});

test("any value fits in exactly the bytes of its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(convert(value, bytes).omitted).toBe(false);
      expect(convert(value, bytes - 1).omitted).toBe(true);
    }),
    RUNS,
  );
});

test("what is too large is omitted, whatever makes it large", () => {
  let shared: unknown = { leaf: 1 };
  for (let level = 0; level < 30; level += 1) shared = [shared, shared];
  const large = [
    shared,
    emptyItems(5_000_000).fill(null),
    emptyItems(4_000_000_000),
    "x".repeat(10 * MIB),
    { k: "é".repeat(MIB) },
  ];
  for (const value of large) {
    const { json, omitted } = convert(value);
    expect(omitted).toBe(true);
    expect(json).toBeUndefined();
  }
});

test("fields without a value count too when there are millions of them", () => {
  const dull = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, undefined]));
  expect(convert(Array.from({ length: 100 }, () => dull)).omitted).toBe(false);
  expect(convert(Array.from({ length: 1_000 }, () => dull)).omitted).toBe(true);
});

test("a large plain value within the limit comes out whole", () => {
  const rows = Array.from({ length: 100_000 }, (_, line) => ({ file: `src/${line}.ts`, line }));
  expect(convert(rows, 64 * MIB).json).toBe(JSON.stringify(rows));
  expect(convert("x".repeat(10 * MIB), 64 * MIB).json).toBe(`"${"x".repeat(10 * MIB)}"`);
});

test("a thousand levels are written and the next becomes null, whatever lies below", () => {
  const nest = (levels: number): unknown => {
    let value: unknown = [];
    for (let level = 1; level < levels; level += 1) value = [value];
    return value;
  };
  expect(convert(nest(1_000))).toEqual({
    json: "[".repeat(1_000) + "]".repeat(1_000),
    omitted: false,
    warnings: [],
  });
  const { json, warnings } = convert(nest(200_000));
  expect(json).toBe(`${"[".repeat(1_000)}null${"]".repeat(1_000)}`);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/ is deeper than 1000 levels$/);
});

test("a key that is no string, added while a map is read, is left out", () => {
  const map = new Map<unknown, unknown>();
  map.set("a", { toJSON: () => map.set(Symbol("s"), 1).set(5, 2).set("b", 3) && 0 });
  expect(convert(map).json).toBe('{"a":0,"b":3}');
});

test("a map that grows while it is read is bounded", () => {
  const map = new Map<unknown, unknown>();
  const growing = (): object => ({
    toJSON() {
      map.set(`k${map.size}`, growing());
      return 1;
    },
  });
  map.set("k", growing());
  expect(convert(map, 10_000).omitted).toBe(true);
});
