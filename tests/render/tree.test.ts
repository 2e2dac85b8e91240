import { expect, test } from "vitest";
import { type Branch, drawArea } from "../../src/render/tree.ts";
import { plainPen } from "./canvas.ts";

const branch = (text: string, ...children: Branch[]): Branch => ({ line: [{ text }], children });
const text = (words: string): Branch => ({ line: [{ text: words }], isText: true });

test("connectors join branches, close the last one, and go on beside what hangs below", () => {
  const branches = [
    branch("a", branch("a1", branch("a11")), branch("a2")),
    branch("b", text("said"), text("more")),
    branch("c", text("last")),
  ];
  expect(drawArea(plainPen(), { branches, facts: [] }, 40)).toEqual([
    "  ├─ a",
    "  │  ├─ a1",
    "  │  │  └─ a11",
    "  │  └─ a2",
    "  ├─ b",
    "  │     said",
    "  │     more",
    "  └─ c",
    "        last",
  ]);
});

test("text between branches leaves their connector whole", () => {
  const branches = [branch("a"), text("between"), branch("b"), text("after")];
  expect(drawArea(plainPen(), { branches, facts: [] }, 40)).toEqual([
    "  ├─ a",
    "  │  between",
    "  └─ b",
    "     after",
  ]);
});

test("the facts stand on the first row, be it a head or a branch", () => {
  const facts = [{ text: "1ms" }];
  const area = { branches: [branch("a"), branch("b")], facts };
  expect(drawArea(plainPen(), area, 20)).toEqual(["  ├─ a         • 1ms", "  └─ b"]);
  expect(drawArea(plainPen(), { ...area, head: [{ text: "→ 1" }] }, 20)).toEqual([
    "  → 1          • 1ms",
    "  ├─ a",
    "  └─ b",
  ]);
});

test("facts without anything beside them have a row of their own, and nothing has none", () => {
  expect(drawArea(plainPen(), { branches: [], facts: [{ text: "1ms" }] }, 9)).toEqual(["    • 1ms"]);
  expect(drawArea(plainPen(), { branches: [], facts: [] }, 9)).toEqual([]);
});

test("rows take at most 120 columns of a wide terminal", () => {
  const rows = drawArea(plainPen(), { branches: [branch("a"), branch("x".repeat(300))], facts: [] }, 400);
  expect(rows[1]).toHaveLength(120);
});
