import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonProblem, toPlainJson } from "../../src/base/plain-json.ts";

const thrower = (): never => {
  throw new Error("no");
};
const evil = new Proxy({}, { get: thrower, ownKeys: thrower, getPrototypeOf: thrower });

describe("a JSON copy", () => {
  test("of JSON is the same value in other objects, keys like __proto__ included", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = toPlainJson(value);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        expect(copy === value && typeof value === "object" && value !== null).toBe(false);
      }),
    );
    const copy = toPlainJson(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  test("of anything is JSON", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
        }),
        (value) => {
          const copy = toPlainJson(value);
          const text = JSON.stringify(copy);
          expect(JSON.stringify(JSON.parse(text))).toBe(text);
          expect(jsonProblem(copy, "copy")).toBeUndefined();
        },
      ),
    );
  });

  test("leaves out functions, and has null for what has no value", () => {
    expect(
      toPlainJson({ f() {}, u: undefined, s: Symbol("s"), n: NaN, i: -Infinity, b: 12n, d: new Date(0) }),
    ).toEqual({
      n: null,
      i: null,
      b: "12",
      d: "1970-01-01T00:00:00.000Z",
    });
    expect(toPlainJson([undefined, thrower, 1])).toEqual([null, null, 1]);
    expect(toPlainJson(undefined)).toBeNull();
  });

  test("ends cycles and endless depth, but keeps shared references", () => {
    const shared = { a: 1 };
    const loop: Record<string, unknown> = { one: shared, two: shared };
    loop["self"] = loop;
    expect(toPlainJson(loop)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: null });
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(JSON.stringify(toPlainJson(deep)).length).toBeLessThan(500);
  });

  test("of 40 levels of shared references ends in time, as null", () => {
    let value: unknown = "x";
    for (let i = 0; i < 40; i++) value = [value, value];
    const started = performance.now();
    expect(toPlainJson(value)).toBeNull();
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("of an array of a billion holes is null", () => {
    expect(toPlainJson({ a: [] })).toEqual({ a: [] });
    const holes: unknown[] = [];
    holes.length = 1e9;
    expect(toPlainJson(holes)).toBeNull();
  });

  test("of 330,000 small objects is whole", () => {
    const many = Array.from({ length: 330_000 }, (_, id) => ({ id, name: "n", tags: [1] }));
    expect(toPlainJson(many)).toEqual(many);
  });

  test("survives getters, toJSON and proxies that throw", () => {
    expect(
      toPlainJson({
        get a() {
          return thrower();
        },
        b: 1,
      }),
    ).toEqual({ a: null, b: 1 });
    expect(toPlainJson({ a: { toJSON: thrower }, b: 1 })).toEqual({ a: null, b: 1 });
    expect(toPlainJson(evil)).toBeNull();
    expect(
      toPlainJson({
        toJSON() {
          return this;
        },
      }),
    ).toBeNull();
  });
});

describe("what is no plain JSON", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["a"] = { b: cyclic };
  test.each([
    [{ a: { b: [Number.NaN] } }, "args.a.b[0] is NaN"],
    [{ a: [1, -Infinity] }, "args.a[1] is -Infinity"],
    [{ "x y": undefined }, 'args["x y"] is undefined'],
    [{ a: new Map() }, "args.a is a Map"],
    [{ a: new Date() }, "args.a is a Date"],
    [{ a: () => 1 }, "args.a is a function"],
    [{ a: 1n }, "args.a is a bigint"],
    [{ a: Symbol("x") }, "args.a is a symbol"],
    [Array.from({ length: 2 }), "args[0] is undefined"],
    [cyclic, "args.a.b is a cycle"],
    [{ a: evil }, "args cannot be read: a getter or proxy in it throws, or it is nested too deep"],
  ])("%# is named with its path", (value, sentence) => expect(jsonProblem(value, "args")).toBe(sentence));

  test("is not found in JSON, null prototypes and shared references", () => {
    const shared = Object.assign(Object.create(null), { a: 1 });
    expect(jsonProblem({ one: shared, two: shared, list: [null, "x", true, 1.5] }, "args")).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => jsonProblem(value, "args") === undefined),
    );
  });

  test("includes what is nested without end", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(jsonProblem(deep, "args")).toMatch(/^args(\[0\])+ is nested more than 200 deep$/);
  });
});
