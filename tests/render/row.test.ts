import { expect, test } from "vitest";
import { Row } from "../../src/render/row.ts";
import type { Palette } from "../../src/render/screen.ts";
import { PLAIN, SCREEN } from "./canvas.ts";

function counted(row: Row, inputs: readonly unknown[]) {
  let drawn = 0;
  row.show(inputs, (pen, width) => [pen.draw([{ text: `drawing ${++drawn}` }], width)]);
  return () => drawn;
}

test("the same inputs, width and colours are drawn once, and their lines are the same array", () => {
  const row = new Row(SCREEN, PLAIN);
  const details = {};
  counted(row, [details, true]);
  const lines = row.render(40);
  const second = counted(row, [details, true]);
  row.invalidate();
  expect(row.render(40)).toBe(lines);
  expect(second()).toBe(0);
});

test.each([
  ["inputs", (row: Row) => counted(row, [{}]), 40],
  ["the width", () => undefined, 39],
])("other %s are drawn anew", (_what, change, width) => {
  const row = new Row(SCREEN, PLAIN);
  counted(row, [{}]);
  const lines = row.render(40);
  change(row);
  expect(row.render(width)).not.toBe(lines);
});

test("another theme is drawn anew once pi says that it changed", () => {
  let colour = "1";
  const palette: Palette = {
    fg: (_tone, text) => `\u001b[3${colour}m${text}\u001b[39m`,
    bold: (text) => text,
  };
  const row = new Row(SCREEN, palette).show([], (pen) => [pen.draw([{ text: "x", tone: "dim" }], 9)]);
  expect(row.render(9)).toEqual(["\u001b[31mx\u001b[39m"]);
  colour = "2";
  row.invalidate();
  expect(row.render(9)).toEqual(["\u001b[32mx\u001b[39m"]);
});

test("a drawing that throws is a row that says so, within the width", () => {
  const row = new Row(SCREEN, PLAIN).show([], () => {
    throw new Error("never seen");
  });
  expect(row.render(80)).toEqual(["(cannot be shown)"]);
  expect(row.render(4)).toEqual(["(ca…"]);
});
