import { describe, expect, test } from "vitest";
import { Pen } from "../../src/render/pen.ts";
import { NAMED, plainPen, SCREEN } from "./canvas.ts";

const pen = plainPen();
const line = (...texts: string[]) => texts.map((text) => ({ text }));

describe("a row that is too long", () => {
  test.each([
    [10, "0123456789", "0123456789"],
    [9, "0123456789", "01234567…"],
    [1, "0123456789", "…"],
    [0, "0123456789", ""],
    [-3, "0123456789", ""],
    [6, "漢字漢字", "漢字…"],
    [5, "漢字漢字", "漢字…"],
    [4, "漢字漢字", "漢…"],
    [3, "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦…"],
  ])("ends with … in %i columns", (width, text, drawn) => {
    expect(pen.draw(line(text), width)).toBe(drawn);
  });

  test("is cut in the piece that passes the edge, in its colour", () => {
    const row = [
      { text: "one ", tone: "dim" as const },
      { text: "two three", tone: "error" as const },
      { text: "four", tone: "text" as const },
    ];
    expect(new Pen(SCREEN, NAMED).draw(row, 9)).toBe("<dim>one </><error>two </><dim>…</>");
  });

  test("leaves pi's background alone where it was cut: it holds no reset", () => {
    expect(pen.draw(line("日本語のテキスト"), 7)).toBe("日本語…");
  });

  test("is measured whole: a mark at the head of one piece can widen the one before", () => {
    const row = line("1", "\ufe0f\u20e3", "x");
    expect(SCREEN.visibleWidth("1\ufe0f\u20e3x")).toBe(3);
    expect(pen.measure(row)).toBe(3);
    expect(SCREEN.visibleWidth(pen.draw(row, 2))).toBeLessThanOrEqual(2);
  });
});

describe("a whole row", () => {
  const wrapped = (text: string, width: number): string[] =>
    pen.wrap(line(text), width).map((row) => pen.draw(row, width));

  test.each([
    ["one two", 8, ["one two"]],
    ["one two three", 8, ["one two", "three"]],
    ["  one  two three four", 10, ["  one  two", "three four"]],
    ["one two eighteen ", 8, ["one two", "eighteen"]],
    ["0123456789 0123456789ab", 10, ["0123456789", "0123456789", "ab"]],
    ["file: /a/long/path", 12, ["file:", "/a/long/path"]],
    ["漢字漢字漢字 漢字", 9, ["漢字漢字", "漢字 漢字"]],
    ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 8, ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]],
    ["far too narrow for this", 7, ["far to…"]],
    ["", 8, [""]],
  ])("%j takes rows of %i columns", (text, width, rows) => {
    expect(wrapped(text, width)).toEqual(rows);
  });

  test("keeps the colours of its pieces, one of each a row", () => {
    const named = new Pen(SCREEN, NAMED);
    const row = [
      { text: "file: ", tone: "muted" as const },
      { text: "one two three", tone: "text" as const },
    ];
    expect(named.wrap(row, 14).map((part) => named.draw(part, 14))).toEqual([
      "<muted>file: </><text>one two</>",
      "<text>three</>",
    ]);
  });
});

describe("facts", () => {
  const facts = line("6 output lines", "1 image", "536ms");

  test("stand at the right edge, joined by dots", () => {
    const row = pen.pin(line("→ 47"), facts, 60);
    expect(row).toBe(`→ 47${" ".repeat(22)}• 6 output lines · 1 image · 536ms`);
  });

  test("stay whole while the left side shrinks to 20 columns", () => {
    const row = pen.pin(line("x".repeat(50)), facts, 56);
    expect(row).toBe(`${"x".repeat(19)}…  • 6 output lines · 1 image · 536ms`);
  });

  test.each([
    [55, `${"x".repeat(31)}…  • … · 1 image · 536ms`],
    [34, `${"x".repeat(20)}…  • … · 536ms`],
    [20, `${"x".repeat(19)}…`],
  ])("then go from the front, the last staying longest: %i columns", (width, row) => {
    expect(pen.pin(line("x".repeat(50)), facts, width)).toBe(row);
  });

  test("leave a short left side whole", () => {
    expect(pen.pin(line("→ 47"), facts, 18)).toBe("→ 47   • … · 536ms");
  });

  test("stand at the edge of a wide terminal, the left side within 120 columns", () => {
    const row = pen.pin(line("x".repeat(300)), line("1ms"), 200);
    expect(row).toBe(`${"x".repeat(119)}…${" ".repeat(75)}• 1ms`);
  });
});
