import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KEPT_LINES, TextSection } from "../../src/program/text-section.ts";

function section(...pieces: string[]): TextSection {
  const made = new TextSection();
  for (const piece of pieces) made.add(piece);
  return made;
}
const whole = (of: TextSection): string => Buffer.concat(of.bytes()).toString("utf8");

describe("a section", () => {
  test("counts and keeps lines, whatever pieces they came in", () => {
    const text = section("on", "e\ntw", "o\n", "\nthree");
    expect(text.lineCount).toBe(4);
    expect(text.newest(10)).toEqual(["one", "two", "", "three"]);
    expect(text.newest(2)).toEqual(["", "three"]);
    expect(whole(text)).toBe("one\ntwo\n\nthree");
    text.endLine();
    text.endLine();
    expect(whole(text)).toBe("one\ntwo\n\nthree\n");
    expect(text.lineCount).toBe(4);
  });

  test("without text is empty, and one with a single newline is not", () => {
    expect(section().isEmpty).toBe(true);
    expect(section("").isEmpty).toBe(true);
    expect(section("\n").isEmpty).toBe(false);
    expect(section("x").isEmpty).toBe(false);
  });

  test("keeps the newest 2000 lines of any number, and all of them for the file", () => {
    expect(KEPT_LINES).toBe(2_000);
    const text = new TextSection();
    for (let index = 1; index <= 10_000; index += 1) text.add(`${index}\n`);
    expect(text.lineCount).toBe(10_000);
    const kept = text.newest(2_000);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([2_000, "8001", "10000"]);
    expect(whole(text).split("\n")).toHaveLength(10_001);
  });

  test("cuts long lines at 200 characters, says so, and keeps them whole for the file", () => {
    const exact = section(`${"x".repeat(200)}\n`);
    expect([exact.anyCut, exact.newest(1)]).toEqual([false, ["x".repeat(200)]]);
    for (const pieces of [
      [`${"x".repeat(5_000)}\n`],
      ["x".repeat(201)],
      Array.from({ length: 300 }, () => "x"),
    ]) {
      const long = section(...pieces);
      expect(long.anyCut).toBe(true);
      expect(long.newest(1)).toEqual([`${"x".repeat(199)}…`]);
      expect(whole(long)).toBe(pieces.join(""));
    }
  });

  test("holds the file's bytes whatever the text and its pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 40 })), (pieces) => {
        expect(whole(section(...pieces))).toBe(pieces.join(""));
        expect(section(...pieces).newest(1e6)).toEqual(
          pieces.join("") === "" ? [] : pieces.join("").replace(/\n$/, "").split("\n"),
        );
      }),
    );
  });
});

describe("the tail", () => {
  test.each([
    ["abcdef", 3, "def", true],
    ["abcdef", 6, "abcdef", false],
    ["abcdef", 100, "abcdef", false],
    ["aéz", 2, "z", true],
    ["aéz", 3, "éz", true],
    ["a😀", 3, "", true],
    ["a😀", 4, "😀", true],
    ["", 10, "", false],
  ])("of %j in %i bytes is %j", (text, max, tail, truncated) => {
    expect(section(text).tail(max)).toEqual({ text: tail, truncated });
  });

  test("of a text of many chunks is exact", () => {
    const text = new TextSection();
    for (let index = 0; index < 100_000; index += 1) text.add(`${index}\n`);
    const all = whole(text);
    expect(text.tail(65_536)).toEqual({ text: all.slice(-65_536), truncated: true });
  });
});

test("the head never ends inside a pair, nor in blanks", () => {
  expect(section("ab😀c").head(3)).toBe("ab");
  expect(section("ab😀c").head(4)).toBe("ab😀");
  expect(section("ab  \n\ncd").head(5)).toBe("ab");
  const long = new TextSection();
  for (let index = 0; index < 50_000; index += 1) long.add("0123456789");
  expect(long.head(4_096)).toBe("0123456789".repeat(410).slice(0, 4_096));
});
