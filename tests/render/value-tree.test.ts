/** Returned values as rows (spec 5.1). */

import { describe, expect, test } from "vitest";
import type { Json } from "../../src/program/outcome.ts";
import { drawArea } from "../../src/render/tree.ts";
import { valueRows } from "../../src/render/value-tree.ts";
import { viewValue } from "../../src/tools/value-view.ts";
import { plainPen } from "./canvas.ts";

const pen = plainPen();

function rows(value: Json, { width = 80, maxRows = Number.POSITIVE_INFINITY } = {}): string[] {
  const made = valueRows(pen, viewValue(value, 12_288), { firstWidth: width, width, maxRows });
  return drawArea(pen, { ...made, facts: [] }, width);
}

describe("a value on one line", () => {
  test.each([
    [47, "→ 47"],
    [-1.5, "→ -1.5"],
    [true, "→ true"],
    [null, "→ null"],
    ["", '→ ""'],
    ["text", '→ "text"'],
    ['say "hi"', '→ "say "hi""'],
    ["two\nlines\r\nthree", '→ "two↵lines↵three"'],
    ["tab\there", '→ "tab here"'],
    ["\u001b[31mred\u001b[0m", '→ "red"'],
    [{}, "→ {}"],
    [[], "→ []"],
    [{ file: "a", line: 12 }, '→ {file: "a", line: 12}'],
    [[1, "a", null, false, 2.5], '→ [1, "a", null, false, 2.5]'],
  ] as [Json, string][])("%j", (value, shown) => {
    expect(rows(value)).toEqual([`  ${shown}`]);
  });
});

describe("a container", () => {
  test("has a row for each entry, small ones of scalars on one line", () => {
    const value = {
      file: "chat-viewport.ts",
      instantiations: [23, 47, 91].map((line) => ({ file: "chat-viewport.ts", line })),
      totalLines: 47,
    };
    expect(rows(value)).toEqual([
      '  ├─ file: "chat-viewport.ts"',
      "  ├─ instantiations: Array(3)",
      '  │  ├─ [0] {file: "chat-viewport.ts", line: 23}',
      '  │  ├─ [1] {file: "chat-viewport.ts", line: 47}',
      '  │  └─ [2] {file: "chat-viewport.ts", line: 91}',
      "  └─ totalLines: 47",
    ]);
  });

  test("of six scalars is a tree, of five on one line where it fits", () => {
    expect(rows([1, 2, 3, 4, 5, 6])).toHaveLength(6);
    expect(rows([1, 2, 3, 4, 5])).toEqual(["  → [1, 2, 3, 4, 5]"]);
    expect(rows([1, 2, 3, 4, 5], { width: 18 })).toHaveLength(5);
    expect(rows({ a: ["long word", "long word"] }, { width: 34 })).toEqual([
      '  └─ a: ["long word", "long word"]',
    ]);
    expect(rows({ a: ["long word", "long word"] }, { width: 33 })).toHaveLength(3);
  });

  test("shows six entries and counts the others", () => {
    const keys = Object.fromEntries("abcdefgh".split("").map((key) => [key, 1]));
    expect(rows(keys).slice(-2)).toEqual(["  ├─ f: 1", "  └─ …+2 more keys"]);
    expect(rows([1, 2, 3, 4, 5, 6, 7]).at(-1)).toBe("  └─ …+1 more item");
    expect(rows(Array.from({ length: 40 }, () => 1)).at(-1)).toBe("  └─ …+34 more items");
  });

  test("is four levels deep; what lies deeper is closed", () => {
    expect(rows({ one: { two: { three: { four: { five: { six: 1 } } } } } })).toEqual([
      "  └─ one: Object(1)",
      "     └─ two: Object(1)",
      "        └─ three: Object(1)",
      "           └─ four: Object(1) …",
    ]);
    expect(rows({ one: { two: { three: { four: [1, 2] } } } }).at(-1)).toBe("           └─ four: [1, 2]");
  });

  test("cuts a row at the terminal's edge, and at 120 columns", () => {
    const value = { key: "x".repeat(300), other: 1 };
    expect(rows({ ...value, n: [value] }, { width: 40 })[0]).toHaveLength(40);
    expect(rows({ ...value, n: [value] }, { width: 400 })[0]?.length).toBeLessThanOrEqual(120);
    expect(rows({ ["k".repeat(90)]: 1, n: [value] })[0]).toBe(`  ├─ ${"k".repeat(39)}…: 1`);
  });
});

describe("a tree of too many rows", () => {
  const leaf = (text: string) => ({ text, list: [[1], [2], [3], [4], [5], [6]] });
  const value = { small: [[1], [2]], large: { a: leaf("a"), b: leaf("b"), c: leaf("c") }, end: 1 };

  test("keeps small entries whole and shares what is left among the large ones", () => {
    const shown = rows(value, { maxRows: 15 });
    expect(shown.length).toBeLessThanOrEqual(15);
    expect(shown.slice(0, 4)).toEqual([
      "  ├─ small: Array(2)",
      "  │  ├─ [0] [1]",
      "  │  └─ [1] [2]",
      "  ├─ large: Object(3)",
    ]);
    expect(shown.at(-1)).toBe("  └─ end: 1");
    expect(shown.filter((row) => row.includes("list: Array(6) …")).length).toBeGreaterThan(0);
  });

  test("of fewer rows than entries counts the entries that are left out", () => {
    expect(rows(value, { maxRows: 2 })).toEqual(["  ├─ small: Array(2) …", "  └─ …+2 more keys"]);
  });
});

test("what no view of a value looks like is drawn as unknown", () => {
  const made = valueRows(
    pen,
    { size: 3, items: [undefined, () => 1, { size: "x" }] },
    { firstWidth: 80, width: 80, maxRows: 64 },
  );
  expect(drawArea(pen, { ...made, facts: [] }, 80)).toEqual(["  ├─ [0] …", "  ├─ [1] …", "  └─ [2] []"]);
});
