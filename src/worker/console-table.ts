/** What `console.table` prints: columns in plain characters, without a frame. */

import { cleanText } from "../base/plain-text.ts";
import { exec, isArray, max, min, ownKeys, stringify, uncurry } from "../base/primordials.ts";
import { failureText } from "./value-kind.ts";

const MAX_ROWS = 1_000;
const MAX_COLUMNS = 100;
/** Cells are padded up to this width; a longer one pushes the rest of its own row aside. */
const MAX_WIDTH = 60;

const padEnd = uncurry(String.prototype.padEnd as (this: string, length: number) => string);
const trimEnd = uncurry(String.prototype.trimEnd);
const join = uncurry(Array.prototype.join);
const setHas = uncurry(Set.prototype.has);
const setAdd = uncurry(Set.prototype.add);

/** Text of a table of `data`, an array or object of rows; undefined when it is neither or cannot be read. */
export function tableText(
  data: unknown,
  wanted: unknown,
  cell: (value: unknown) => string,
): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  try {
    const names = ownKeys(data);
    // A map or set, or nothing to lay out.
    if (names.length === 0) return undefined;
    const count = min(names.length, MAX_ROWS);
    const columns = isArray(wanted) ? textsOf(wanted) : columnsOf(data, names, count);
    const rows: string[][] = [];
    let hasValues = false;
    for (let index = 0; index < count; index += 1) {
      const name = names[index] as string;
      const value = (data as Record<string, unknown>)[name];
      const row = [cellText(name)];
      const isRow = typeof value === "object" && value !== null;
      for (let at = 0; at < columns.length; at += 1)
        row[at + 1] = isRow ? cellOf(value, columns[at] as string, cell) : "";
      row[columns.length + 1] = isRow ? "" : cellText(cell(value));
      hasValues ||= !isRow;
      rows[index] = row;
    }
    const more = names.length > count ? `\n…${names.length - count} more rows` : "";
    const wide =
      columns.length === MAX_COLUMNS ? `\n…columns after the first ${MAX_COLUMNS} are left out` : "";
    return layOut(headOf(columns, hasValues), rows) + more + wide;
  } catch {
    // Not readable as a table: the caller prints it as one value.
    return undefined;
  }
}

function textsOf(list: unknown[]): string[] {
  const texts: string[] = [];
  for (let index = 0; index < min(list.length, MAX_COLUMNS); index += 1) {
    if (typeof list[index] === "string") texts[texts.length] = list[index] as string;
  }
  return texts;
}

function columnsOf(data: object, names: readonly string[], count: number): string[] {
  const columns: string[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const row = (data as Record<string, unknown>)[names[index] as string];
    const keys = typeof row === "object" && row !== null ? ownKeys(row) : [];
    for (let at = 0; at < keys.length && columns.length < MAX_COLUMNS; at += 1) {
      const key = keys[at] as string;
      if (setHas(seen, key)) continue;
      setAdd(seen, key);
      columns[columns.length] = key;
    }
  }
  return columns;
}

function headOf(columns: readonly string[], hasValues: boolean): string[] {
  const head = ["(index)"];
  for (let at = 0; at < columns.length; at += 1) head[at + 1] = cellText(columns[at] as string);
  if (hasValues) head[columns.length + 1] = "Values";
  return head;
}

function cellOf(row: object, column: string, cell: (value: unknown) => string): string {
  try {
    const value = (row as Record<string, unknown>)[column];
    return value === undefined ? "" : cellText(cell(value));
  } catch (error) {
    return cellText(`[throws: ${failureText(error)}]`);
  }
}

function layOut(head: readonly string[], rows: readonly string[][]): string {
  const widths: number[] = [];
  const lines: string[] = [];
  for (let row = -1; row < rows.length; row += 1) {
    const cells = row < 0 ? head : (rows[row] as string[]);
    for (let at = 0; at < head.length; at += 1)
      widths[at] = min(MAX_WIDTH, max(widths[at] ?? 0, (cells[at] as string).length));
  }
  for (let row = -1; row < rows.length; row += 1) {
    const cells = row < 0 ? head : (rows[row] as string[]);
    let line = "";
    for (let at = 0; at < head.length; at += 1)
      line += `${at === 0 ? "" : " | "}${padEnd(cells[at] as string, widths[at] as number)}`;
    lines[row + 1] = trimEnd(line);
  }
  return join(lines, "\n");
}

/** A cell on one line. A line break or tab would break the columns; in quotes it shows as what it is. */
function cellText(text: string): string {
  const clean = cleanText(text);
  return exec(/[\n\t]/, clean) === null ? clean : stringify(clean);
}
