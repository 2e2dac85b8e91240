import { describe, expect, test } from "vitest";
import { ProgramStore } from "../../src/worker/store.ts";

const json = (bytes: number): string => "x".repeat(bytes - 2);

describe("a program", () => {
  test("sees the values of its start and its own changes, as fresh copies", () => {
    const { store, load } = new ProgramStore({ old: '{"a":[1]}' });
    (load("old") as { a: number[] }).a.push(2);
    expect(load("old")).toEqual({ a: [1] });
    const value = { n: 1 };
    store("new", value);
    value.n = 2;
    expect(load("new")).toEqual({ n: 1 });
    expect(load("nothing")).toBeUndefined();
    expect(load(5)).toBeUndefined();
  });

  test("hands on what it changed, removals as null, and nothing else", () => {
    const kept = new ProgramStore({ a: "1", b: "2" });
    kept.store("a", undefined);
    kept.store("c", [null]);
    kept.store("d", 1);
    kept.store("d", undefined);
    expect({ ...kept.changes() }).toEqual({ a: null, c: "[null]", d: null });
    expect(kept.load("a")).toBeUndefined();
  });

  test("may use any name for a key", () => {
    const kept = new ProgramStore({});
    for (const key of ["__proto__", "constructor", "a b", "x".repeat(256)]) {
      kept.store(key, key);
      expect(kept.load(key)).toBe(key);
      expect(Object.hasOwn(kept.changes(), key)).toBe(true);
    }
  });
});

describe("the store refuses", () => {
  test.each(["", "x".repeat(257), 5, undefined, null, {}])("the key %j", (key) => {
    expect(() => new ProgramStore({}).store(key, 1)).toThrow(TypeError);
  });

  test.each([
    ["a function", () => 1, /is a function; only plain JSON is kept/],
    ["a symbol", Symbol("x"), /is a symbol; only plain JSON is kept/],
    ["a BigInt", 1n, /is a bigint; only plain JSON is kept/],
  ])("%s", (_what, value, message) => {
    const kept = new ProgramStore({ k: "1" });
    expect(() => kept.store("k", value)).toThrow(message);
    expect(kept.load("k")).toBe(1);
  });

  test("a value over 256 KiB of JSON, whatever its key", () => {
    const kept = new ProgramStore({});
    for (const key of ["k", "k".repeat(256)]) {
      kept.store(key, json(262_144));
      expect(() => kept.store(key, json(262_145))).toThrow(/262145 bytes of JSON; at most 262144 are kept/);
      expect(() => kept.store(key, "é".repeat(131_072))).toThrow(RangeError);
      kept.store(key, undefined);
    }
  });

  test("more than 1 MiB in all, counting what was there, and makes room when keys go", () => {
    const kept = new ProgramStore({ a: JSON.stringify(json(262_144)), b: JSON.stringify(json(262_144)) });
    kept.store("c", json(262_144));
    expect(() => kept.store("d", json(262_144))).toThrow(/the store would be 1048580 bytes; at most 1048576/);
    kept.store("a", 1);
    kept.store("d", json(262_144));
    expect(kept.load("d")).toHaveLength(262_142);
  });
});
