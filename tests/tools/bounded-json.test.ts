import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitTail, fitText, jsonBytes } from "../../src/tools/bounded-json.ts";

test("a text that fits stays as it is", () => {
  expect(fitText("héllo", 8)).toBe("héllo");
  expect(jsonBytes("héllo")).toBe(8);
});

test("a text that does not fit ends with an ellipsis and fits", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.integer({ min: 5, max: 300 }),
      (text, max) => {
        const fitted = fitText(text, max);
        expect(jsonBytes(fitted)).toBeLessThanOrEqual(max);
        expect(fitted === text || (text.startsWith(fitted.slice(0, -1)) && fitted.endsWith("…"))).toBe(true);
      },
    ),
  );
});

test("a cut never lands inside a surrogate pair", () => {
  for (let max = 6; max < 40; max++) expect(fitText("😀".repeat(20), max).isWellFormed()).toBe(true);
});

test("a list keeps its newest lines", () => {
  const bound = { maxItems: 3, maxItemBytes: 8, maxBytes: 1_000 };
  expect(fitTail(["a", "b", "c", "d", "a long line"], bound)).toEqual(["c", "d", "a l…"]);
  expect(fitTail(["aaaa", "bbbb", "cccc"], { ...bound, maxBytes: 15 })).toEqual(["bbbb", "cccc"]);
  expect(fitTail([], bound)).toEqual([]);
});
