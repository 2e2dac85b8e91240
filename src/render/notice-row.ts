/** The message that tells of ended tasks, as compact rows instead of its tags. */

import { countOf } from "./facts.ts";
import { contentText } from "./foreign-row.ts";
import type { Pen, Span } from "./pen.ts";
import { fieldsOf, isFields, listOf, textOf } from "./read-fields.ts";
import { oneLine } from "./screen.ts";
import { taskFacts, taskLine } from "./task-line.ts";
import { INDENT } from "./tree.ts";

const MAX_TASKS = 32;
const MAX_PREVIEW_LINES = 6;
/** How one told task begins in the text that the model gets. */
const TOLD = /<bg-task-notification\s/g;

/** What pi hands to a message renderer. */
export interface NoticeMessage {
  details?: unknown;
  content: unknown;
}

/** Rows of a notice. One from a version without details is at least counted. */
export function drawNotice(pen: Pen, message: NoticeMessage, isExpanded: boolean, width: number): string[] {
  const { tasks: drawn, taskIds } = fieldsOf(message.details);
  const tasks = listOf(drawn).filter(isFields);
  const count = Math.max(tasks.length, listOf(taskIds).length) || toldIn(message.content);
  const head: Span[] = [
    { text: "PTC", tone: "toolTitle", isBold: true },
    { text: `  ${count === 0 ? "background tasks" : countOf(count, "background task")} ended`, tone: "text" },
  ];
  const rows = [pen.draw(head, width)];
  for (const task of tasks.slice(0, MAX_TASKS)) {
    rows.push(pen.pin([{ text: INDENT }, ...taskLine(pen, task)], taskFacts(task, 0), width));
    if (isExpanded) rows.push(...previewRows(pen, textOf(task["outputPreview"]), width));
  }
  const rest = tasks.length > 0 ? count - Math.min(tasks.length, MAX_TASKS) : 0;
  if (rest > 0)
    rows.push(pen.draw([{ text: `${INDENT}…+${countOf(rest, "more task")}`, tone: "dim" }], width));
  return rows;
}

function previewRows(pen: Pen, preview: string, width: number): string[] {
  const lines = preview.trimEnd().split("\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const row = (text: string, tone: Span["tone"]): string =>
    pen.draw([{ text: `${INDENT}${INDENT}` }, { text, tone }], width);
  const rows = lines.slice(0, MAX_PREVIEW_LINES).map((line) => row(oneLine(pen.screen, line), "toolOutput"));
  const hidden = lines.length - MAX_PREVIEW_LINES;
  return hidden > 0 ? [...rows, row(`…+${countOf(hidden, "more line")}`, "dim")] : rows;
}

const toldIn = (content: unknown): number => contentText(content).match(TOLD)?.length ?? 0;
