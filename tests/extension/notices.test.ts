/** Sentences for the person. */

import { expect, test } from "vitest";
import { warnOfMany } from "../../src/extension/notices.ts";

function warned(sentences: string[]): string[] {
  const told: string[] = [];
  const ui = { notify: (message: string) => void told.push(message) };
  warnOfMany({ hasUI: true, ui }, sentences, "task files cannot be used");
  return told;
}

test("a few problems are told one by one, many in one sentence with their number and the first", () => {
  expect(warned(["a", "b", "c"])).toEqual(["a", "b", "c"]);
  expect(warned(["a", "b", "c", "d"])).toEqual(["4 task files cannot be used; the first: a"]);
});
