import fc from "fast-check";
import vm from "node:vm";
import { expect, test } from "vitest";
import { valueText } from "../../src/worker/value-text.ts";

const throwing = (thrown: unknown) => () => {
  throw thrown;
};

function textOf(value: unknown): string {
  let text = "";
  for (const piece of valueText(value)) text += piece;
  return text;
}

/** An array of nothing but holes. */
function emptyItems(count: number): unknown[] {
  const list: unknown[] = [];
  list.length = count;
  return list;
}

/** The expected text, one argument a line. */
const lines = (...parts: string[]): string => parts.join("\n");

test.each<[string, unknown, string]>([
  [
    "a Map",
    new Map<unknown, unknown>([
      ["a", 1],
      [2, "b"],
    ]),
    'Map(2) {"a" => 1, 2 => "b"}',
  ],
  ["a Map with a container as key", new Map([[{ id: 1 }, [2]]]), "Map(1) {{id: 1} => [2]}"],
  ["a Set", new Set([1, "a", [2]]), 'Set(3) {1, "a", [2]}'],
  ["an empty Map", new Map(), "Map(0) {}"],
  ["a Date", new Date(Date.UTC(2020, 0, 1)), "Date 2020-01-01T00:00:00.000Z"],
  ["an invalid Date", new Date(NaN), "Date (invalid)"],
  ["a BigInt of a million digits", 10n ** 1_000_000n, "[BigInt of over 100000 digits]"],
  ["a function", function named() {}, "[Function: named]"],
  [
    "an unnamed function",
    (
      () => () =>
        1
    )(),
    "[Function (anonymous)]",
  ],
  ["an Error", new Error("msg"), "Error: msg"],
  ["an Error without a message", new Error(), "Error"],
  ["a TypeError with a cause", new TypeError("bad", { cause: "why" }), "TypeError: bad (cause: why)"],
  ["a RegExp", /a\/b/gi, "/a\\/b/gi"],
  ["a URL", new URL("https://example.org/x"), "URL https://example.org/x"],
  ["a typed array", new Uint8Array([1, 2, 3]), "Uint8Array(3) [1, 2, 3]"],
  ["a typed array of BigInts", new BigInt64Array([1n]), "BigInt64Array(1) [1n]"],
  ["a raw buffer", new ArrayBuffer(2), "ArrayBuffer(2) [0, 0]"],
  ["a long typed array", new Uint8Array(25), `Uint8Array(25) [${"0, ".repeat(20)}…5 more]`],
  ["a promise", Promise.resolve(1), "Promise {…}"],
  // oxlint-disable-next-line unicorn/no-thenable
  ["a thenable", { then() {} }, "{then: [Function: then]}"],
  ["a symbol", Symbol("x"), "Symbol(x)"],
  ["a boxed number", new Number(5), "[boxed 5]"],
  ["a generator", (function* () {})(), "Generator {}"],
  [
    "a class instance",
    new (class Point {
      x = 1;
    })(),
    "Point {x: 1}",
  ],
  [
    "a class instance without fields",
    new (class Empty {
      go(): void {}
    })(),
    "Empty {}",
  ],
  [
    "an object of a nameless class",
    new (class {
      x = 1;
    })(),
    "{x: 1}",
  ],
])("%s is readable, by itself and inside a container", (_name, value, expected) => {
  expect(textOf(value)).toBe(expected);
  expect(textOf([[value]])).toBe(
    expected.length <= 96 ? `[[${expected}]]` : lines("[", "  [", `    ${expected}`, "  ]", "]"),
  );
});

test("values of another realm are readable", () => {
  expect(textOf(vm.runInNewContext('({ m: new Map([[1, { a: 2 }]]), e: new RangeError("r") })'))).toBe(
    "{m: Map(1) {1 => {a: 2}}, e: RangeError: r}",
  );
});

test("further lines of an error stand deeper", () => {
  expect(textOf({ e: new Error("one\ntwo"), n: 1 })).toBe(
    lines("{", "  e: Error: one", "    two,", "  n: 1", "}"),
  );
});

test("holes are counted", () => {
  // oxlint-disable-next-line no-sparse-arrays
  expect(textOf([, 1, , , 2])).toBe("[<1 empty item>, 1, <2 empty items>, 2]");
  expect(textOf([undefined])).toBe("[undefined]");
  expect(textOf(emptyItems(4_000_000_000))).toBe("[<4000000000 empty items>]");
});

test("wide gaps between a few items are found", () => {
  const list: number[] = [];
  for (const index of [5_000, 5_001, 90_000, 3_000_000_000]) list[index] = index;
  expect(textOf(list)).toBe(
    "[<5000 empty items>, 5000, 5001, <84998 empty items>, 90000, <2999909999 empty items>, 3000000000]",
  );
});

test("the end of a gap is found wherever it is, past keys that are no index", () => {
  for (const end of [1, 999, 1_000, 1_001, 1_002, 5_000]) {
    const list: unknown[] = [];
    list[end] = "x";
    Object.assign(list, { "0.5": 1, "4000.5": 1, "-1": 1, name: 1, "01": 1 });
    expect(textOf(Object.assign(emptyItems(end), { "0.5": 1, "4000.5": 1 }))).toContain(`<${end} empty item`);
    expect(textOf(list)).toBe(end === 1 ? '[<1 empty item>, "x"]' : `[<${end} empty items>, "x"]`);
  }
});

test("a cycle is marked where it closes, a shared object is not", () => {
  const value: Record<string, unknown> = { a: 1 };
  value["self"] = value;
  value["list"] = [value];
  expect(textOf(value)).toBe("{a: 1, self: [Circular], list: [[Circular]]}");
  const shared = { s: 1 };
  expect(textOf([shared, shared])).toBe("[{s: 1}, {s: 1}]");
  const map = new Map<unknown, unknown>();
  map.set(map, map);
  expect(textOf(map)).toBe("Map(1) {[Circular] => [Circular]}");
});

test("toJSON is honoured, and when it throws the fields are shown", () => {
  expect(textOf({ price: { toJSON: () => ({ amount: 5 }) } })).toBe("{price: {amount: 5}}");
  expect(textOf({ toJSON: () => "as text" })).toBe("as text");
  class Row {
    id = 7;
    toJSON(): unknown {
      throw new Error("no");
    }
  }
  expect(textOf(new Row())).toBe("Row {id: 7}");
});

test("what throws when it is read says so", () => {
  expect(
    textOf({
      get bad(): number {
        throw new Error("no luck");
      },
      good: 1,
    }),
  ).toBe("{bad: [throws: no luck], good: 1}");
  expect(textOf(new Proxy({ a: 1 }, { ownKeys: throwing("no keys") }))).toBe("[throws: no keys]");
  expect(textOf([new Proxy({ a: 1 }, { getPrototypeOf: throwing(null) })])).toBe("[[throws: null]]");
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(textOf(proxy)).toMatch(/^\[throws: TypeError: .*revoked\]$/);
  const nasty = new Error("x");
  Object.defineProperty(nasty, "message", { get: throwing(new Error("hidden")) });
  expect(textOf([nasty])).toBe("[Error: [message throws: hidden]]");
});

test("text, keys and names are cleaned", () => {
  expect(textOf("\x1b[31mred\x1b[0m\r\nnext\u202e\ud83d")).toBe("red\nnext");
  expect(textOf({ "\x1b[31mkey\x1b[0m": "\x1b]0;t\x07v\x00" })).toBe('{key: "v"}');
  expect(textOf(new Map([["\x1b[31mk", Symbol("\x1b[31ms")]]))).toBe('Map(1) {"k" => Symbol(s)}');
  expect(textOf([new Error("\x1b[31mred\x1b[0m")])).toBe("[Error: red]");
});

test("whatever the value, its text is clean", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      const text = textOf(value);
      expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
      expect(text.isWellFormed()).toBe(true);
    }),
    { seed: 12, numRuns: 2_000 },
  );
});
