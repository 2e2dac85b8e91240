import { type Line, MAX_ROW, type Pen, type Span } from "./pen.ts";

/** One row of a tree, and what hangs below it. */
export interface Branch {
  line: Line;
  children?: readonly Branch[];
  /** A line of text: it stands under its branch without a connector of its own. */
  isText?: boolean;
}

/** What a row shows below its call: a line at the left edge, branches below it, facts at the right of the first row. */
export interface Area {
  head?: Line;
  branches: readonly Branch[];
  facts: readonly Span[];
}

/** Blanks before every row of an area. */
export const INDENT = "  ";

/** The rows of an area. None is wider than `width`. */
export function drawArea(pen: Pen, { head, branches, facts }: Area, width: number): string[] {
  const lines: Line[] = head ? [[{ text: INDENT }, ...head]] : [];
  addBranches(lines, branches, INDENT);
  const first = lines.shift();
  if (!first) return facts.length > 0 ? [pen.pin([], facts, width)] : [];
  const rowWidth = Math.min(width, MAX_ROW);
  return [pen.pin(first, facts, width), ...lines.map((line) => pen.draw(line, rowWidth))];
}

function addBranches(lines: Line[], branches: readonly Branch[], indent: string): void {
  const last = branches.findLastIndex(({ isText }) => !isText);
  branches.forEach(({ line, children = [], isText }, index) => {
    if (isText) {
      lines.push([{ text: index < last ? `${indent}│  ` : `${indent}   `, tone: "dim" }, ...line]);
      return;
    }
    lines.push([{ text: `${indent}${index === last ? "└─ " : "├─ "}`, tone: "dim" }, ...line]);
    addBranches(lines, children, `${indent}${index === last ? "   " : "│  "}`);
  });
}

/** Columns that the connectors of a row take, from 1 for a branch of the area itself. */
export const connectorWidth = (level: number): number => INDENT.length + 3 * level;
