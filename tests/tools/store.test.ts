import { describe, expect, test } from "vitest";
import { keepChanges, readStore, STORE_ENTRY_TYPE, type StoreEntry } from "../../src/tools/store.ts";

const entry = (data: unknown) => ({ type: "custom", customType: STORE_ENTRY_TYPE, data });

/** A branch that grows with what is kept. */
function session(...start: unknown[]) {
  const branch = start.map(entry);
  const keep = (changes: Record<string, string | null>): string[] =>
    keepChanges(changes, {
      branch: () => branch,
      append: (data: StoreEntry) => void branch.push(entry(JSON.parse(JSON.stringify(data)))),
    });
  return { branch, keep, read: () => readStore(branch) };
}

describe("what programs keep", () => {
  test("is read back from the branch, the last writer winning, removals included", () => {
    const { branch, keep, read } = session();
    expect(keep({ a: "1", b: '"x"' })).toEqual([]);
    expect(keep({ a: "2", b: null })).toEqual([]);
    expect(read()).toEqual({ a: "2" });
    expect(branch.map(({ data }) => data)).toEqual([
      { set: { a: "1", b: '"x"' }, delete: [] },
      { set: { a: "2" }, delete: ["b"] },
    ]);
  });

  test("leaves no entry when nothing changed", () => {
    const { branch, keep } = session({ set: { a: "1" }, delete: [] });
    keep({});
    keep({ nothing: null });
    keep({ a: "1" });
    expect(branch).toHaveLength(1);
  });

  test("may have any key, __proto__ too", () => {
    const { keep, read } = session();
    keep(JSON.parse('{"__proto__": "1", "constructor": "2", "😀": "3"}'));
    expect(Object.entries(read())).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
      ["😀", "3"],
    ]);
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
  });
});

describe("a value that does not fit", () => {
  const json = (bytes: number): string => JSON.stringify("x".repeat(bytes - 2));

  test("is refused by itself with a warning that names its key", () => {
    const { keep, read } = session();
    const warnings = keep({ small: "1", big: json(262_144 + 100), other: "2" });
    expect(warnings).toEqual([
      'store("big") was not kept: its JSON is 262244 bytes, at most 262144 are kept',
    ]);
    expect(read()).toEqual({ small: "1", other: "2" });
  });

  test("of 256 KiB is kept", () => {
    const { keep, read } = session();
    expect(keep({ big: json(262_144) })).toEqual([]);
    expect(read()["big"]).toHaveLength(262_144);
  });

  test("in the whole store is refused, what was there stays, and removals make room", () => {
    const { keep, read } = session();
    for (const key of ["a", "b", "c"]) expect(keep({ [key]: json(262_144) })).toEqual([]);
    expect(keep({ d: json(262_100), e: json(200) })).toEqual([
      expect.stringContaining('store("e") was not kept: the store would be'),
    ]);
    expect(Object.keys(read())).toEqual(["a", "b", "c", "d"]);
    expect(keep({ a: null, e: json(200) })).toEqual([]);
    expect(Object.keys(read())).toEqual(["b", "c", "d", "e"]);
  });

  test("is one of many: ten are named and the rest counted", () => {
    const { keep } = session();
    const warnings = keep(
      Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`k${index}`, json(300_000)])),
    );
    expect(warnings).toHaveLength(11);
    expect(warnings[10]).toBe("5 more values were not kept");
  });
});

describe("entries of a session file that somebody edited", () => {
  test.each([
    undefined,
    null,
    "text",
    [],
    {},
    { set: null, delete: null },
    { set: [], delete: "a" },
    { set: { a: 5, b: { c: 1 }, d: "{broken", e: "", ["x".repeat(300)]: "1", "": "1" }, delete: [1, null] },
  ])("lose only what is not well-formed: %j", (data) => {
    expect(readStore([entry({ set: { kept: "1" }, delete: [] }), entry(data)])).toEqual({ kept: "1" });
  });

  test("of other types are not looked at", () => {
    expect(
      readStore([
        { type: "message" },
        { type: "custom", customType: "codemode-store", data: { set: { a: "1" }, delete: [] } },
      ] as never),
    ).toEqual({});
  });
});

test("a session that is gone is a warning, not a throw", () => {
  const stale = () => {
    throw new Error("This extension ctx is stale");
  };
  expect(keepChanges({ a: "1" }, { branch: stale, append: stale })).toEqual([
    'nothing was stored ("a"): This extension ctx is stale',
  ]);
  expect(keepChanges({ a: "1" }, { branch: () => [], append: stale })).toHaveLength(1);
});
