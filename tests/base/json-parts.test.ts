import { expect, test } from "vitest";
import { hasTooManyParts, MAX_JSON_PARTS } from "../../src/base/json-parts.ts";

test("a text of many values is told from one that is only long", () => {
  expect(hasTooManyParts(JSON.stringify("x".repeat(20_000_000)))).toBe(false);
  expect(hasTooManyParts(JSON.stringify(Array.from({ length: MAX_JSON_PARTS - 10 }, () => 100)))).toBe(false);
  expect(hasTooManyParts(JSON.stringify(Array.from({ length: MAX_JSON_PARTS + 10 }, () => 100)))).toBe(true);
});
