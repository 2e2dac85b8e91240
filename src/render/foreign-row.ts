import { countOf } from "./facts.ts";
import { type Line, MAX_ROW, type Pen } from "./pen.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";
import { oneLine } from "./screen.ts";
import { type Branch, connectorWidth, drawArea } from "./tree.ts";

const MAX_LINES = 12;

/** How a result is to be drawn. */
export interface ResultState {
  isExpanded: boolean;
  isPartial: boolean;
  isError: boolean;
  /** The result's blocks, for details that are missing or foreign. */
  content: unknown;
}

/** The text of content: a string, or blocks of which the text ones count. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((block) => textOf(fieldsOf(block)["text"]))
    .join("\n");
}

/** A result without details of ours: refused arguments, a gate's block, or an older version's. */
export function drawForeign(pen: Pen, state: ResultState, width: number): string[] {
  const lines = contentText(state.content)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const first = oneLine(pen.screen, lines[0] ?? "");
  const line: Line = state.isError
    ? [{ text: `failed: ${first || "no reason given"}`, tone: "error" }]
    : [{ text: first || (state.isPartial ? "running" : "done"), tone: "toolOutput" }];
  const isWhole = state.isExpanded && state.isError;
  const [head = line, ...more] = isWhole
    ? pen.wrap(line, Math.min(width, MAX_ROW) - connectorWidth(1))
    : [line];
  const rest = lines.slice(1);
  const shown = rest.slice(0, state.isExpanded ? MAX_LINES : 0);
  const branches: Branch[] = more.map((part) => ({ line: part, isText: true }));
  for (const text of shown)
    branches.push({
      line: [{ text: oneLine(pen.screen, text), tone: "toolOutput" }],
      isText: true,
      isWhole,
    });
  const hidden = rest.length - shown.length;
  if (hidden > 0)
    branches.push({ line: [{ text: `…+${countOf(hidden, "more line")}`, tone: "dim" }], isText: true });
  return drawArea(pen, { head, branches, facts: [] }, width);
}
