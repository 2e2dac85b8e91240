/** A returned value as rows: a tree of what `details.value` kept, with a count for all that is not shown. */

import type { Line, Pen, Span } from "./pen.ts";
import { countIn, isFields, listOf, textsOf } from "./read-fields.ts";
import { oneLine } from "./screen.ts";
import { type Branch, connectorWidth } from "./tree.ts";

const MAX_DEPTH = 4;
const MAX_CHILDREN = 6;
const MAX_INLINE = 5;
const MAX_KEY = 40;

/** A value's rows: one line, or branches. */
export interface ValueRows {
  head?: Line;
  branches: Branch[];
}

interface Container {
  size: number;
  keys: readonly string[] | undefined;
  items: readonly unknown[];
}

/** Where the rows of one container go. */
interface Room {
  /** Columns of a whole row. */
  width: number;
  /** From 1 for the entries of the value itself. */
  level: number;
  /** Rows that may be used. */
  rows: number;
}

/** The rows of `value`. The first may take `firstWidth` columns, the others `width`; a tree has at most `maxRows`. */
export function valueRows(
  pen: Pen,
  value: unknown,
  { firstWidth, width, maxRows }: { firstWidth: number; width: number; maxRows: number },
): ValueRows {
  const arrow: Span = { text: "→ ", tone: "dim" };
  const container = containerOf(value);
  if (!container) return { head: [arrow, scalarSpan(pen, value)], branches: [] };
  const inline = inlineLine(pen, container);
  if (inline && pen.measure(inline) + arrow.text.length <= firstWidth - connectorWidth(0))
    return { head: [arrow, ...inline], branches: [] };
  return { branches: entryBranches(pen, container, { width, level: 1, rows: maxRows }) };
}

function entryBranches(pen: Pen, container: Container, room: Room): Branch[] {
  const wanted = Math.min(container.items.length, MAX_CHILDREN);
  const isCut = container.size > wanted || room.rows < wanted;
  const shown = Math.max(0, Math.min(wanted, room.rows - (isCut ? 1 : 0)));
  let left = room.rows - shown - (isCut ? 1 : 0);
  const branches: Branch[] = [];
  for (let index = 0; index < shown; index += 1) {
    const rows = Math.floor(left / (shown - index));
    const branch = entryBranch(pen, container, index, { ...room, rows });
    left -= rowsOf(branch) - 1;
    branches.push(branch);
  }
  const rest = container.size - shown;
  if (rest > 0) {
    const noun = container.keys ? (rest === 1 ? "key" : "keys") : rest === 1 ? "item" : "items";
    branches.push({ line: [{ text: `…+${rest} more ${noun}`, tone: "dim" }] });
  }
  return branches;
}

function entryBranch(pen: Pen, container: Container, index: number, room: Room): Branch {
  const label = labelOf(pen, container, index);
  const child = containerOf(container.items[index]);
  if (!child) return { line: [...label, scalarSpan(pen, container.items[index])] };
  const inline = inlineLine(pen, child);
  const isLast = room.level >= MAX_DEPTH;
  if (inline) {
    const line = [...label, ...inline];
    if (isLast || pen.measure(line) <= room.width - connectorWidth(room.level)) return { line };
  }
  const name = `${child.keys ? "Object" : "Array"}(${child.size})`;
  if (isLast || room.rows < 1) return { line: [...label, { text: `${name} …`, tone: "dim" }] };
  const children = entryBranches(pen, child, { ...room, level: room.level + 1 });
  return { line: [...label, { text: name, tone: "dim" }], children };
}

function labelOf(pen: Pen, { keys }: Container, index: number): Span[] {
  if (!keys) return [{ text: `[${index}] `, tone: "dim" }];
  return [...keySpans(pen, keys[index] ?? ""), { text: ": ", tone: "dim" }];
}

const keySpans = (pen: Pen, key: string): Span[] => [
  ...pen.cut([{ text: oneLine(pen.screen, key, "↵"), tone: "muted" }], MAX_KEY),
];

/** A container of few scalars on one line; undefined for any other. */
function inlineLine(pen: Pen, { size, keys, items }: Container): Line | undefined {
  if (size > MAX_INLINE || items.length < size || items.some((item) => containerOf(item))) return undefined;
  const [opening, closing] = keys ? ["{", "}"] : ["[", "]"];
  const line: Span[] = [{ text: opening as string, tone: "dim" }];
  for (let index = 0; index < size; index += 1) {
    if (index > 0) line.push({ text: ", ", tone: "dim" });
    if (keys) line.push(...keySpans(pen, keys[index] ?? ""), { text: ": ", tone: "dim" });
    line.push(scalarSpan(pen, items[index]));
  }
  line.push({ text: closing as string, tone: "dim" });
  return line;
}

function scalarSpan(pen: Pen, value: unknown): Span {
  if (typeof value === "string")
    return { text: `"${oneLine(pen.screen, value, "↵")}"`, tone: "syntaxString" };
  if (typeof value === "number") return { text: String(value), tone: "syntaxNumber" };
  if (typeof value === "boolean" || value === null) return { text: String(value), tone: "syntaxKeyword" };
  return { text: "…", tone: "dim" };
}

function containerOf(value: unknown): Container | undefined {
  if (!isFields(value)) return undefined;
  const items = listOf(value["items"]);
  const keys = Array.isArray(value["keys"]) ? textsOf(value["keys"]) : undefined;
  return { size: Math.max(countIn(value["size"]), items.length), keys, items };
}

const rowsOf = ({ children = [] }: Branch): number => children.reduce((sum, child) => sum + rowsOf(child), 1);
