/** Sentences for the person. */

import { expect, test } from "vitest";
import { warn, warnOfMany } from "../../src/extension/notices.ts";

function warned(sentences: string[]): string[] {
  const told: string[] = [];
  const ui = { notify: (message: string) => void told.push(message) };
  warnOfMany({ hasUI: true, ui }, sentences, "task files cannot be used");
  return told;
}

test("a few problems are told one by one, many in one sentence with their number and the first", () => {
  expect(warned(["a", "b", "c"])).toEqual(["a", "b", "c"].map((told) => `pi-ptc-subagents: ${told}`));
  expect(warned(["a", "b", "c", "d"])).toEqual([
    "pi-ptc-subagents: 4 task files cannot be used; the first: a",
  ]);
});

test("a warning says once which package it is of", () => {
  const told: string[] = [];
  const ui = { notify: (message: string, type: string) => void told.push(`${type}: ${message}`) };
  warn({ hasUI: true, ui }, ["ptc.json: unknown key", "pi-ptc-subagents is loaded twice"]);
  expect(told).toEqual([
    "warning: pi-ptc-subagents: ptc.json: unknown key",
    "warning: pi-ptc-subagents is loaded twice",
  ]);
});
