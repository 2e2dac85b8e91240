import { afterEach, beforeEach, expect, test } from "vitest";
import { TerminalScreen } from "./terminal-screen.ts";

let screen: TerminalScreen;
let answers: string[];
beforeEach(() => {
  answers = [];
  screen = new TerminalScreen({ columns: 20, rows: 3 }, (data) => answers.push(data));
});
afterEach(() => screen.dispose());

const write = (data: string): Promise<void> => new Promise((resolve) => screen.write(data, resolve));

test("cells have a text, colours and attributes, and are found by what they show", async () => {
  await write("ok \x1b[31mred\x1b[1;4;7;9;38;2;0;16;255;48;5;200mrgb\x1b[0;2;3mdim");
  expect(screen.cells(/red/).map(({ text, foreground }) => [text, foreground])).toEqual([
    ["r", 1],
    ["e", 1],
    ["d", 1],
  ]);
  const plain = {
    width: 1,
    bold: false,
    dim: false,
    italic: false,
    underline: false,
    inverse: false,
    struck: false,
  };
  const noColours = { foreground: "default", background: "default" };
  expect(screen.cell(0, 0)).toEqual({ text: "o", ...plain, ...noColours });
  const loud = { bold: true, underline: true, inverse: true, struck: true };
  expect(screen.cell(6, 0)).toEqual({ ...plain, ...loud, text: "r", foreground: "#0010ff", background: 200 });
  expect(screen.cells(/dim/)[0]).toEqual({ text: "d", ...plain, ...noColours, dim: true, italic: true });
  expect(() => screen.cells(/blue/)).toThrow(/no row shows \/blue\/\n20x3\n┌─/);
  expect(() => screen.cell(20, 0)).toThrow("no cell 20, 0");
});

// The widths are those of terminals that draw grapheme clusters.
test.each([
  ["a letter and an accent", "e\u0301", 1],
  ["Chinese", "日本", 4],
  ["emoji", "✅", 2],
  ["a text sign in emoji style", "❤\ufe0f", 2],
  ["a keycap", "1\ufe0f\u20e3", 2],
  ["a hand with a tone", "👍🏽", 2],
  ["a flag", "🇩🇪", 2],
  ["two flags", "🇩🇪🇫🇷", 4],
  ["a family", "👨‍👩‍👧", 2],
  ["a couple with a heart", "👩‍❤️‍👨", 2],
  ["a joiner without anything to join", "a\u200db", 2],
])("%s takes its cells", async (_, text, width) => {
  await write(`${text}|`);
  expect(screen.cell(width, 0).text).toBe("|");
  expect(screen.cells(/\|/)).toHaveLength(1);
  expect(screen.rows()).toEqual([`${text}|`, "", ""]);
});

test("rows that left the top are scrollback, and the alternate screen has none", async () => {
  await write("one\r\ntwo\r\nthree\r\nfour  ");
  expect(screen.scrollback()).toEqual(["one"]);
  expect(screen.text()).toBe("two\nthree\nfour");
  await write("\x1b[?1049h\x1b[Hup\r\n\r\n\r\n\r\ndown");
  expect(screen.isAlternate).toBe(true);
  expect(screen.rows()).toEqual(["", "", "down"]);
  expect(screen.scrollback()).toEqual(["one"]);
});

test("modes that a program leaves changed are named, frames and clearings are known, and a title is kept", async () => {
  expect(screen.changedModes()).toEqual([]);
  await write("\x1b[?2004;1000h\x1b[?25l\x1b[>7u\x1b[>4;2m\x1b]0;a title\x07\x1b[?2026h\x1b[2J");
  expect(screen.isMidFrame).toBe(true);
  expect(screen.title).toBe("a title");
  expect(screen.clearings).toBe(1);
  const changed = ["?1000", "?2004", "?2026", "-?25", "kitty keyboard", "modified keys"];
  expect(screen.changedModes().toSorted()).toEqual(changed.toSorted());
  await write("\x1b[?2026;1000;2004l\x1b[?25h\x1b[<u\x1b[>4;0m");
  expect(screen.isMidFrame).toBe(false);
  expect(screen.changedModes()).toEqual([]);
});

test("it says what terminal it is, and leaves queries for kitty's keyboard and for colours without an answer", async () => {
  await write("\x1b[?u\x1b]10;?\x07\x1b]11;?\x07\x1b]4;1;?\x07\x1b]7501;?\x1b\\\x1b[c");
  expect(answers).toEqual(["\x1b[?1;2c"]);
});

test("a resize keeps what the rows show", async () => {
  await write("one\r\ntwo");
  screen.resize({ columns: 10, rows: 2 });
  expect(screen.size).toEqual({ columns: 10, rows: 2 });
  expect(screen.rows()).toEqual(["one", "two"]);
  expect(screen.picture()).toBe("10x2\n┌──────────┐\n│one       │\n│two       │\n└──────────┘");
});
