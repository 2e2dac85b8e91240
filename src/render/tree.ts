import { type Line, MAX_ROW, type Pen, type Span } from "./pen.ts";

/** One row of a tree, and what hangs below it. */
export interface Branch {
  line: Line;
  children?: readonly Branch[];
  /** A line of text: it stands under its branch without a connector of its own. */
  isText?: boolean;
  /** Its line takes as many rows as it needs, up to a dozen; otherwise it is cut. */
  isWhole?: boolean;
}

/** What a row shows below its call: a line at the left edge, branches below it, facts at the right of the first row. */
export interface Area {
  head?: Line;
  branches: readonly Branch[];
  facts: readonly Span[];
}

/** Blanks before every row of an area. */
export const INDENT = "  ";
/** Most rows of one line that is shown whole. */
const MAX_WRAPPED = 12;

/** The rows of an area. None is wider than `width`. */
export function drawArea(pen: Pen, { head, branches, facts }: Area, width: number): string[] {
  const rowWidth = Math.min(width, MAX_ROW);
  const lines: Line[] = head ? [[{ text: INDENT }, ...head]] : [];
  const wrap = (line: Line, indent: string): Line[] => pen.wrap(line, rowWidth - indent.length);
  addBranches({ lines, wrap }, branches, INDENT);
  const first = lines.shift();
  if (!first) return facts.length > 0 ? [pen.pin([], facts, width)] : [];
  return [pen.pin(first, facts, width), ...lines.map((line) => pen.draw(line, rowWidth))];
}

interface Rows {
  lines: Line[];
  /** The rows of a whole line that stands behind `indent`. */
  wrap: (line: Line, indent: string) => Line[];
}

function addBranches(rows: Rows, branches: readonly Branch[], indent: string): void {
  const last = branches.findLastIndex(({ isText }) => !isText);
  branches.forEach(({ line, children = [], isText, isWhole }, index) => {
    const below = `${indent}${index < last ? "│  " : "   "}`;
    const before = isText ? below : `${indent}${index === last ? "└─ " : "├─ "}`;
    const wrapped = isWhole ? rows.wrap(line, before) : [line];
    const lines = wrapped.slice(0, MAX_WRAPPED);
    if (wrapped.length > MAX_WRAPPED) lines[MAX_WRAPPED - 1] = [{ text: "…", tone: "dim" }];
    lines.forEach((part, at) => rows.lines.push([{ text: at === 0 ? before : below, tone: "dim" }, ...part]));
    if (!isText) addBranches(rows, children, below);
  });
}

/** Columns that the connectors of a row take, from 1 for a branch of the area itself. */
export const connectorWidth = (level: number): number => INDENT.length + 3 * level;
