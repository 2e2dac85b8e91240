/** What details keep of a returned value (spec 5.1, 1.10). */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/program/outcome.ts";
import { viewValue } from "../../src/tools/value-view.ts";
import { json } from "../render/any-details.ts";

const BOUND = 12_288;
const view = (value: Json) => viewValue(value, BOUND);
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test.each([[47], [null], [true], ["text"], [-0.5]])("a scalar is itself: %j", (value) => {
  expect(view(value)).toBe(value);
});

test("a container keeps six entries and says how many there are", () => {
  expect(view([1, 2, 3, 4, 5, 6, 7])).toEqual({ size: 7, items: [1, 2, 3, 4, 5, 6] });
  expect(view({ a: 1, b: [true] })).toEqual({
    size: 2,
    keys: ["a", "b"],
    items: [1, { size: 1, items: [true] }],
  });
  expect(view([])).toEqual({ size: 0, items: [] });
});

test("four levels are kept, and small lists of scalars on the fourth", () => {
  const deep = (last: Json): Json => ({ one: { two: { three: { four: last } } } });
  const fourth = (value: Json): unknown =>
    JSON.parse(JSON.stringify(view(value))).items[0].items[0].items[0].items[0];
  expect(fourth(deep([1, 2]))).toEqual({ size: 2, items: [1, 2] });
  expect(fourth(deep([1, 2, 3, 4, 5, 6]))).toEqual({ size: 6, items: [] });
  expect(fourth(deep({ five: { six: 1 } }))).toEqual({ size: 1, keys: [], items: [] });
});

test("texts and keys are cleaned and cut at 120 characters", () => {
  expect(view("x".repeat(121))).toBe(`${"x".repeat(119)}…`);
  expect(view("x".repeat(120))).toBe("x".repeat(120));
  expect(view("\u001b[31mred\u001b[0m\nnext")).toBe("red\nnext");
  expect(view({ ["k".repeat(200)]: 1 })).toEqual({ size: 1, keys: [`${"k".repeat(119)}…`], items: [1] });
  expect(view(`${"\u001b[31m".repeat(200)}${"x".repeat(50)}`)).toBe("…");
});

describe("whatever the value", () => {
  test("its view is within the bound", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(bytes(view(value))).toBeLessThanOrEqual(BOUND);
      }),
      { numRuns: 300 },
    );
  });

  test("levels go before the bound is passed, and the entries stay counted", () => {
    const level = (depth: number): Json =>
      depth === 0
        ? "漢".repeat(500)
        : Object.fromEntries(
            Array.from({ length: 9 }, (_, index) => [`${index}${"字".repeat(200)}`, level(depth - 1)]),
          );
    for (const depth of [1, 2, 3, 4, 5]) {
      const made = view(level(depth)) as { size: number; items: unknown[] };
      expect(bytes(made)).toBeLessThanOrEqual(BOUND);
      expect(made.size).toBe(9);
      expect(made.items).toHaveLength(6);
    }
  });
});
