import { expect, test } from "vitest";
import { SkippedLines } from "../../src/children/skipped-lines.ts";

test("nothing skipped is nothing said", () => {
  expect(new SkippedLines().sentences()).toEqual([]);
});

test("each kind is one sentence with its count, in the order in which they came up", () => {
  const skipped = new SkippedLines();
  for (const kind of ["noise", "incomplete", "noise", "no-usage", "no-object"] as const) skipped.add(kind);
  expect(skipped.sentences()).toEqual([
    "2 lines of the child's output skipped: no JSON",
    "1 line of the child's output read only in part: a field is missing or of a wrong type",
    "1 line of the child's output counted without usage: it is missing or no object",
    "1 line of the child's output skipped: no JSON object",
  ]);
});

test("lines that are too long say how long they were together", () => {
  const skipped = new SkippedLines();
  skipped.add("too-long", 40_000_000);
  skipped.add("too-long", 2);
  expect(skipped.sentences()).toEqual([
    "2 lines of the child's output skipped: too long, 40000002 bytes together",
  ]);
});

test("of unknown types the first is named, bounded and clean", () => {
  const skipped = new SkippedLines();
  skipped.addUnknown(`new\u001b[31m_kind${"x".repeat(500)}`);
  skipped.addUnknown("other");
  const [sentence = ""] = skipped.sentences();
  expect(sentence).toMatch(/^2 lines of the child's output skipped: unknown type, first "new_kindx+…"$/);
  expect(sentence.length).toBeLessThan(150);
});
