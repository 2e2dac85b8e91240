/** Rows of `ptc_task_list`, `ptc_task_output` and `ptc_task_stop`. */

import { countOf } from "./facts.ts";
import { type Line, MAX_ROW, type Pen, type Span } from "./pen.ts";
import { drawForeign, type ResultState } from "./foreign-row.ts";
import { amountOf, countIn, type Fields, isFields, listOf, textOf, textsOf } from "./read-fields.ts";
import { oneLine } from "./screen.ts";
import { statusSpan, taskFacts, taskLine } from "./task-line.ts";
import { textBlock } from "./text-block.ts";
import { drawArea, INDENT } from "./tree.ts";

const MAX_TASKS = 32;
const MAX_OUTPUT_LINES = 6;
const MAX_OUTPUT_CHARS = 160;
const MAX_WARNINGS = 4;

/** Rows of a task tool's result, whatever the details are. */
export function drawTasks(pen: Pen, details: unknown, state: ResultState, width: number): string[] {
  if (!isFields(details) || state.isPartial) return drawForeign(pen, state, width);
  const at = amountOf(details["at"]);
  const { task } = details;
  if (details["tool"] === "ptc_task_list") return drawList(pen, details, at, width);
  if (!isFields(task)) return drawForeign(pen, state, width);
  if (details["tool"] === "ptc_task_output") return drawOutput(pen, { details, task, at }, width);
  if (details["tool"] === "ptc_task_stop") return drawStop(pen, { details, task, at }, width);
  return drawForeign(pen, state, width);
}

function drawList(pen: Pen, details: Fields, at: number, width: number): string[] {
  const tasks = listOf(details["tasks"]).filter(isFields);
  const total = Math.max(countIn(details["total"]), tasks.length);
  const shown = tasks.slice(0, MAX_TASKS);
  const rows = shown.map((task) => pinned(pen, taskLine(pen, task), taskFacts(task, at), width));
  const rest = total - shown.length;
  const dim = (text: string): string => pen.draw([{ text: `${INDENT}${text}`, tone: "dim" }], width);
  if (rest > 0) rows.push(dim(`…+${countOf(rest, "more task")}`));
  if (total === 0) rows.push(dim("no tasks"));
  const warnings = textBlock(pen.screen, {
    label: "warnings",
    lines: textsOf(details["warnings"]),
    max: MAX_WARNINGS,
    keep: "first",
    noun: "warning",
    tone: "warning",
  });
  return [...rows, ...drawArea(pen, { branches: warnings, facts: [] }, width)];
}

const pinned = (pen: Pen, line: Line, facts: readonly Span[], width: number): string =>
  pen.pin([{ text: INDENT }, ...line], facts, width);

interface OneTask {
  details: Fields;
  task: Fields;
  at: number;
}

function drawOutput(pen: Pen, { details, task, at }: OneTask, width: number): string[] {
  const facts = [...(details["truncated"] === true ? [{ text: "truncated" }] : []), ...taskFacts(task, at)];
  const lines = textOf(details["output"]).trimEnd().split("\n");
  const shown = lines.slice(-MAX_OUTPUT_LINES).filter((line) => lines.length > 1 || line !== "");
  const hidden = lines.length - MAX_OUTPUT_LINES;
  const rowWidth = Math.min(width, MAX_OUTPUT_CHARS);
  const text = (line: string, tone: Span["tone"]): string =>
    pen.draw([{ text: `${INDENT}${INDENT}` }, { text: line, tone }], rowWidth);
  return [
    pinned(pen, taskLine(pen, task), facts, width),
    ...(hidden > 0 ? [text(`…+${countOf(hidden, "earlier line")}`, "dim")] : []),
    ...shown.map((line) => text(oneLine(pen.screen, line), "toolOutput")),
  ];
}

function drawStop(pen: Pen, { details, task, at }: OneTask, width: number): string[] {
  const reason = oneLine(pen.screen, textOf(details["stopReason"]));
  const line: Span[] = [];
  const from = textOf(details["fromStatus"]);
  if (from !== "" && from !== task["status"])
    line.push({ ...statusSpan(pen, from), tone: "dim" }, { text: " → ", tone: "dim" });
  line.push(...taskLine(pen, task));
  if (reason !== "") line.push({ text: ` (${reason})`, tone: "dim" });
  return [pinned(pen, line, taskFacts(task, at), Math.min(width, MAX_ROW + 40))];
}
