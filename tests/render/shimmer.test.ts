import { expect, test } from "vitest";
import { graphemes, shimmer } from "../../src/render/shimmer.ts";

const bright = (text: string, atMs: number): string | undefined =>
  shimmer(graphemes(text), atMs).find(({ isBold }) => isBold)?.text;
const whole = (text: string, atMs: number): string =>
  shimmer(graphemes(text), atMs)
    .map((span) => span.text)
    .join("");

test("one character is bright, and every 150 ms the next", () => {
  expect([0, 149, 150, 299, 300, 449, 450].map((atMs) => bright("abc", atMs))).toEqual([..."aabbcca"]);
  expect(shimmer(graphemes("abc"), 150)).toEqual([
    { text: "a", tone: "dim" },
    { text: "b", tone: "text", isBold: true },
    { text: "c", tone: "dim" },
  ]);
});

test("characters stay whole, and the text is always the same", () => {
  const text = "a👩‍👩‍👧‍👦e\u0301漢";
  expect(graphemes(text)).toEqual(["a", "👩‍👩‍👧‍👦", "e\u0301", "漢"]);
  for (const step of [0, 1, 2, 3, 4]) expect(whole(text, step * 150)).toBe(text);
  expect(bright(text, 150)).toBe("👩‍👩‍👧‍👦");
});

test("no text has no character", () => expect(shimmer([], 5)).toEqual([]));
