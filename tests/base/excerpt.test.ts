import { expect, test } from "vitest";
import { excerptOf } from "../../src/base/excerpt.ts";

test("a line is shown with its number and a caret under the column", () => {
  expect(excerptOf("a\n  b.c()\n", 2, 5)).toBe("2 |   b.c()\n  |     ^");
  expect(excerptOf("a\nb", 2)).toBe("2 | b");
});

test("tabs before the column stay tabs, so that the caret stands right", () => {
  expect(excerptOf("\tx\ty", 1, 4)).toBe("1 | \tx\ty\n  | \t \t^");
});

test.each([
  ["past the end", 3],
  ["before the start", 0],
  ["that is no number", Number.NaN],
  ["that is blank", 2],
])("a line %s has none", (_what, line) => {
  expect(excerptOf("a\n   ", line, 1)).toBe("");
});

test("a long line is cut, cleaned, and has a caret only where it is shown", () => {
  const long = `\u001b[31m${"x".repeat(500)}`;
  expect(excerptOf(long, 1, 400)).toMatch(/^1 \| x{195}…$/);
  expect(excerptOf(long, 1, 3).split("\n")[1]).toBe("  |   ^");
});
