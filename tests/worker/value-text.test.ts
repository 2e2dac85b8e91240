import fc from "fast-check";
import vm from "node:vm";
import { expect, test } from "vitest";
import { valueText } from "../../src/worker/value-text.ts";

function textOf(value: unknown): string {
  let text = "";
  for (const piece of valueText(value)) text += piece;
  return text;
}

/** The expected text, one argument a line. */
const lines = (...parts: string[]): string => parts.join("\n");

test("a string is printed raw", () => {
  expect(textOf('say "hi"\n\tthere')).toBe('say "hi"\n\tthere');
  expect(textOf("")).toBe("");
});

test.each([
  [0, "0"],
  [-0, "-0"],
  [1.5e300, "1.5e+300"],
  [NaN, "NaN"],
  [-Infinity, "-Infinity"],
  [true, "true"],
  [null, "null"],
  [undefined, "undefined"],
  [12n, "12n"],
  [-(10n ** 30n), "-1000000000000000000000000000000n"],
])("the scalar %s is plain", (value, expected) => {
  expect(textOf(value)).toBe(expected);
});

test.each([
  [{ file: "a", line: 12 }, '{file: "a", line: 12}'],
  [[1, 2, 3], "[1, 2, 3]"],
  [{}, "{}"],
  [[], "[]"],
  [{ a: { b: [null, true, "x"] }, c: undefined }, '{a: {b: [null, true, "x"]}, c: undefined}'],
  [
    { "a-b": 1, $ok_1: 2, "1x": 3, "": 4, größe: 5, 日本: 6 },
    '{"a-b": 1, $ok_1: 2, "1x": 3, "": 4, größe: 5, 日本: 6}',
  ],
  [JSON.parse('{"__proto__":1,"constructor":2}'), "{__proto__: 1, constructor: 2}"],
  [{ quote: 'a "b" \\ \t' }, '{quote: "a \\"b\\" \\\\ \\t"}'],
  [Object.assign(Object.create(null), { a: 1 }), "{a: 1}"],
  [{ out: "done\n" }, '{out: "done\\n"}'],
])("the small container %j stands on one line", (value, expected) => {
  expect(textOf(value)).toBe(expected);
});

test("a container of exactly 100 characters stands on one line, one of 101 does not", () => {
  // `{a: "…"}` takes 7 characters around the text.
  expect(textOf({ a: "x".repeat(93) })).toBe(`{a: "${"x".repeat(93)}"}`);
  expect(textOf({ a: "x".repeat(93) })).toHaveLength(100);
  expect(textOf({ a: "x".repeat(94) })).toBe(lines("{", `  a: "${"x".repeat(94)}"`, "}"));
});

test("a larger container is an indented block whose children stand on one line where they fit", () => {
  const value = {
    files: [
      { path: "src/one.ts", lines: [1, 2, 3], note: "x".repeat(50) },
      { path: "src/two.ts", lines: [] },
    ],
    total: 2,
  };
  expect(textOf(value)).toBe(
    lines(
      "{",
      "  files: [",
      `    {path: "src/one.ts", lines: [1, 2, 3], note: "${"x".repeat(50)}"},`,
      '    {path: "src/two.ts", lines: []}',
      "  ],",
      "  total: 2",
      "}",
    ),
  );
});

test("a container that would make its line longer than 200 characters is a block", () => {
  const key = "k".repeat(120);
  const child = { a: "x".repeat(80) };
  expect(textOf({ [key]: child })).toBe(lines("{", `  ${key}: {`, `    a: "${"x".repeat(80)}"`, "  }", "}"));
});

test("text of several lines keeps them, under its key and between quotes of its own", () => {
  expect(textOf({ name: "a.ts", text: "one\n\n  two\nthree", n: 1 })).toBe(
    lines(
      "{",
      '  name: "a.ts",',
      '  text: """',
      "    one",
      "",
      "      two",
      "    three",
      '  """,',
      "  n: 1",
      "}",
    ),
  );
});

test("a line break at the end of such text shows as an empty line", () => {
  expect(textOf({ t: "a\nb\n" })).toBe(lines("{", '  t: """', "    a", "    b", "", '  """', "}"));
});

test("text of several lines keeps them inside arrays, maps and deeper blocks", () => {
  expect(textOf(["a\nb", { deep: ["c\nd"] }])).toBe(
    lines(
      "[",
      '  """',
      "    a",
      "    b",
      '  """,',
      "  {",
      "    deep: [",
      '      """',
      "        c",
      "        d",
      '      """',
      "    ]",
      "  }",
      "]",
    ),
  );
  expect(textOf(new Map([["k", "a\nb"]]))).toBe(
    lines("Map(1) {", '  "k" => """', "    a", "    b", '  """', "}"),
  );
});

test("more than 200 levels are not shown", () => {
  let value: unknown = "bottom";
  for (let level = 0; level < 200; level += 1) value = [value];
  expect(textOf(value)).toContain('"bottom"');
  value = "bottom";
  for (let level = 0; level < 50_000; level += 1) value = [value];
  const text = textOf(value);
  expect(text).not.toContain("bottom");
  expect(text).toContain("[deeper than 200 levels]");
  expect(text.split("[").length - 1).toBe(201);
});

test("a text is yielded in pieces of at most 64 KiB, never inside a pair", () => {
  const values = [
    "👍".repeat(200_000),
    ["👍".repeat(100_000)],
    { k: "a👍\n".repeat(50_000) },
    { ["👍".repeat(100_000)]: 1 },
  ];
  for (const value of values) {
    const pieces = [...valueText(value)];
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(65_536);
      expect(piece.isWellFormed()).toBe(true);
    }
  }
});

test("long text inside a container is quoted whole", () => {
  const text = 'a"\\é👍'.repeat(20_000);
  expect(textOf([text])).toBe(lines("[", `  ${JSON.stringify(text)}`, "]"));
});

test("the reader can stop early: a value without end costs only what is read", () => {
  let shared: unknown = { leaf: 1 };
  for (let level = 0; level < 30; level += 1) shared = { left: shared, right: shared };
  const endless: object = new Proxy(
    {},
    {
      ownKeys: () => ["a", "b"],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_target, key): unknown => (key === "a" || key === "b" ? endless2() : undefined),
    },
  );
  const endless2 = (): object => new Proxy(endless, {});
  for (const value of [shared, endless, Array.from({ length: 5_000_000 }, () => null)]) {
    let length = 0;
    for (const piece of valueText(value)) {
      length += piece.length;
      if (length > 300_000) break;
    }
    expect(length).toBeGreaterThan(300_000);
  }
});

test("containers too wide for one line are listed a bounded number of times", () => {
  let listed = 0;
  const wide = new Proxy(
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index])),
    {
      ownKeys: (target) => {
        listed += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  let value: unknown = wide;
  for (let level = 0; level < 40; level += 1) value = { a: value };
  textOf(value);
  expect(listed).toBeLessThanOrEqual(3);
});

test("maps used as keys of maps do not multiply the work", () => {
  let value: unknown = 1;
  let steps = 0;
  for (let level = 0; level < 60; level += 1)
    value = new Map<unknown, unknown>([
      [value, 1],
      [[value], 2],
    ]);
  for (const piece of valueText(value)) {
    steps += piece.length;
    if (steps > 1_000_000) break;
  }
  expect(steps).toBeLessThan(1_000_000);
});

/** Reads the text of plain data back, by the rules of the spec and with none of the code under test. */
function parseBack(text: string): unknown {
  const source = text
    .replace(
      /(^ *(?:[^\s":{}[\]]+: |"(?:[^"\\]|\\.)*": )?)"""\n((?:.*\n)*?)( *)"""(?=,?$)/gm,
      (_all, head: string, body: string, indent: string) => {
        const inner = body
          .slice(0, -1)
          .split("\n")
          .map((line) => (line === "" ? "" : line.slice(indent.length + 2)));
        return head + JSON.stringify(inner.join("\n"));
      },
    )
    .replaceAll("__proto__: ", '["__proto__"]: ');
  return vm.runInThisContext(`JSON.stringify(${source.startsWith("{") ? `(${source})` : source})`);
}

test("plain data can be read back from its text", () => {
  const word = fc
    .string({ unit: fc.constantFrom(..."abc é日👍'\\\n".split("")), maxLength: 30 })
    .map((text) => text.toWellFormed().replaceAll("\ufffd", "?"));
  const key = fc.string({ unit: fc.constantFrom(..."abcXYZ_-1".split("")), minLength: 1, maxLength: 30 });
  const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)),
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      tie("leaf"),
      fc.array(tie("tree"), { maxLength: 6 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 6, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.oneof(fc.array(tree), fc.dictionary(key, tree, { noNullPrototype: true })), (value) => {
      expect(parseBack(textOf(value))).toBe(JSON.stringify(value));
    }),
    { seed: 11, numRuns: 2_000 },
  );
});
