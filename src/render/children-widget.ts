/** The widget: one row for each child that runs, one line when none does. */

import { countOf, dollars, elapsed, fact } from "./facts.ts";
import type { LiveChild, LiveSnapshot } from "./live-snapshot.ts";
import type { Line, Pen, Span } from "./pen.ts";
import { amountOf, fieldsOf, textOf } from "./read-fields.ts";
import { oneLine } from "./screen.ts";
import { doingOf, usageFacts } from "./subagent-row.ts";

const MAX_ROWS = 10;
const MAX_LABEL = 40;
const MAX_AGENT = 24;

/** Rows of the widget; none until there was a child. */
export function drawWidget(pen: Pen, { children, ended }: LiveSnapshot, width: number): string[] {
  if (children.length === 0) return ended.count === 0 ? [] : [idleRow(pen, ended, width)];
  const shown = children.length > MAX_ROWS ? children.slice(0, MAX_ROWS - 1) : children;
  const rows = shown.map((child) => pen.pin(childLine(pen, child), childFacts(child), width));
  const rest = children.length - shown.length;
  if (rest > 0) rows.push(pen.draw([{ text: `…+${rest} more children`, tone: "dim" }], width));
  return rows;
}

function idleRow(pen: Pen, { count, cost }: LiveSnapshot["ended"], width: number): string {
  const spent = cost > 0 ? ` · ${dollars(cost)}` : "";
  return pen.draw([{ text: `${countOf(count, "child", "children")} ended${spent}`, tone: "dim" }], width);
}

/** Agent, label and what the child does now. */
export function childLine(pen: Pen, { label, progress }: LiveChild): Line {
  const { screen } = pen;
  const agent = oneLine(screen, textOf(progress.agentName));
  const line: Span[] = [{ text: "● ", tone: "accent" }];
  if (agent !== "") line.push(...pen.cut([{ text: agent, tone: "toolTitle" }], MAX_AGENT), { text: " " });
  line.push(...pen.cut([{ text: oneLine(screen, label), tone: "toolOutput" }], MAX_LABEL));
  line.push({ text: " · ", tone: "dim" }, ...doingOf(screen, fieldsOf(progress)));
  return line;
}

/** Turns, tokens, cost and time so far. */
export function childFacts({ progress }: LiveChild): Span[] {
  return [...usageFacts(fieldsOf(progress)), ...fact(true, () => elapsed(amountOf(progress.elapsedMs)))];
}
