import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { LARGER, plainJson as plainJsonOf } from "../../src/worker/plain-value.ts";
import { toJson } from "../../src/worker/to-json.ts";
import { valueText } from "../../src/worker/value-text.ts";

const plainJson = (value: unknown, maxParts = 1e6): string | undefined => plainJsonOf(value, maxParts);

afterEach(() => {
  for (const type of [Object, String, Array]) Reflect.deleteProperty(type.prototype, "toJSON");
});

describe("plain data", () => {
  test("has the JSON and the text that the slow walks give it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const json = plainJson(value);
        if (json === undefined) return;
        expect(toJson(value, { maxBytes: 1e6 })).toEqual({ json, omitted: false, warnings: [] });
        expect([...valueText(JSON.parse(json))].join("")).toBe([...valueText(value)].join(""));
      }),
    );
  });

  test("may have keys that are words of the language, and share parts", () => {
    const part = { n: 1 };
    const value = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "then": 3}') as object;
    expect(plainJson({ a: [part, part], value })).toBe(JSON.stringify({ a: [part, part], value }));
  });

  test("is a container, or a text when it is long", () => {
    for (const scalar of ["short", 1, true, null]) expect(plainJson(scalar)).toBeUndefined();
    expect(plainJson("x".repeat(100_000))).toBe(JSON.stringify("x".repeat(100_000)));
  });
});

const cycle: unknown[] = [];
cycle.push([cycle]);
const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as unknown;
const tagged = { [Symbol.toStringTag]: "Odd" };

test.each([
  ["undefined", undefined],
  ["an undefined field", { a: undefined }],
  ["an empty item", Object.assign([], { 1: 1 })],
  ["NaN", [Number.NaN]],
  ["-0", { a: -0 }],
  ["a BigInt", [1n]],
  ["a function", { f: () => 1 }],
  ["a symbol", [Symbol("s")]],
  ["a Map", { m: new Map() }],
  ["a Date", [new Date(0)]],
  [
    "an instance",
    new (class A {
      a = 1;
    })(),
  ],
  ["an object without prototype", Object.create(null)],
  ["a subclass of Array", new (class List extends Array {})()],
  ["its own toJSON", { toJSON: () => 1 }],
  ["a toJSON that is no function", { toJSON: 1 }],
  ["a tag", tagged],
  ["a cycle", cycle],
  ["500 levels", deep],
  [
    "a getter that throws",
    {
      get a() {
        throw new Error("no");
      },
    },
  ],
  [
    "a proxy that throws",
    new Proxy([], {
      get() {
        throw new Error("no");
      },
    }),
  ],
])("%s is left to the walks that can tell what it is", (_name, value) => {
  expect(plainJson(value)).toBeUndefined();
  expect(plainJson([value])).toBeUndefined();
});

test("no value is plain where a prototype was given a toJSON", () => {
  for (const type of [Object, String, Array]) {
    Object.assign(type.prototype, { toJSON: () => "patched" });
    expect(plainJson([{ a: "x" }])).toBeUndefined();
    Reflect.deleteProperty(type.prototype, "toJSON");
  }
});

test("a value of more parts than may be is called larger, without all of them being looked at", () => {
  expect(plainJson([1, 2, 3], 3)).toBe("[1,2,3]");
  expect(plainJson([1, 2, 3, 4], 3)).toBe(LARGER);
  let shared: unknown[] = [1];
  for (let level = 0; level < 60; level += 1) shared = [shared, shared];
  expect(plainJson(shared)).toBe(LARGER);
});
