/** How the panel looks: a list of children and tasks, or one of them in detail. Pure. */

import { childFacts, childLine } from "./children-widget.ts";
import type { TaskRow } from "./details.ts";
import { countOf } from "./facts.ts";
import type { LiveChild, LiveDetail, LiveSnapshot } from "./live-snapshot.ts";
import type { Line, Pen, Span } from "./pen.ts";
import { fieldsOf } from "./read-fields.ts";
import { oneLine, textLines } from "./screen.ts";
import { reportBlocks } from "./subagent-row.ts";
import { errorOf, isOngoing, taskFacts, taskLine } from "./task-line.ts";
import { drawArea, INDENT } from "./tree.ts";

const MAX_ERROR_ROWS = 6;
const MAX_SUMMARY_ROWS = 6;
const MAX_REPORT_ROWS = 12;

/** One row of the list. A task that runs in this pi has its child, too. */
export interface PanelEntry {
  id: string;
  label: string;
  child?: LiveChild;
  task?: TaskRow;
  /** It can be stopped. */
  isOpen: boolean;
}

/** What is to be drawn. */
export interface PanelView {
  entries: readonly PanelEntry[];
  selected: number;
  /** Set in the detail view. */
  detail?: LiveDetail;
  /** The person is asked whether the selected one is to be stopped. */
  isAsking: boolean;
  /** Rows the panel may have. */
  height: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Tasks that the list does not hold. */
  missing: number;
}

/** Children first, then tasks, newest first; a running task of this pi once. */
export function panelEntries({ children, tasks }: LiveSnapshot): PanelEntry[] {
  const byId = new Map(children.map((child) => [child.id, child]));
  const taskIds = new Set(tasks.map(({ id }) => id));
  const running = children.filter(({ id }) => !taskIds.has(id));
  return [
    ...running.map((child) => ({ id: child.id, label: child.label, child, isOpen: true })),
    ...tasks.map((task) => ({
      id: task.id,
      label: task.label,
      task,
      ...(byId.has(task.id) ? { child: byId.get(task.id) as LiveChild } : {}),
      isOpen: task.status === "running" && task.session === undefined,
    })),
  ];
}

/** Rows of the panel. None is wider than `width`. */
export function drawPanel(pen: Pen, view: PanelView, width: number): string[] {
  const entry = view.entries[view.selected];
  const room = Math.max(1, view.height - 3);
  const body =
    view.detail && entry
      ? detailRows(pen, { entry, detail: view.detail, at: view.at, room }, width)
      : listRows(pen, view, room, width);
  return [rule(pen, titleOf(view), width), ...body, hintRow(pen, view, width), rule(pen, "", width)];
}

function titleOf({ entries }: PanelView): string {
  const running = entries.filter(({ isOpen }) => isOpen).length;
  return ` children and tasks · ${running} running `;
}

function rule(pen: Pen, title: string, width: number): string {
  const left: Line =
    title === ""
      ? []
      : [
          { text: "──", tone: "dim" },
          { text: title, tone: "accent" },
        ];
  const rest = Math.max(0, width - pen.measure(left));
  return pen.draw([...left, { text: "─".repeat(rest), tone: "dim" }], width);
}

function listRows(pen: Pen, view: PanelView, room: number, width: number): string[] {
  const { entries, selected, at, missing } = view;
  if (entries.length === 0)
    return [pen.draw([{ text: `${INDENT}no children and no tasks`, tone: "dim" }], width)];
  const isWhole = entries.length <= room && missing === 0;
  const size = isWhole ? entries.length : Math.max(1, room - 1);
  const first = Math.max(0, Math.min(selected - Math.floor(size / 2), entries.length - size));
  const shown = entries.slice(first, first + size);
  const rows = shown.map((entry, index) =>
    entryRow(pen, entry, { isSelected: first + index === selected, at }, width),
  );
  if (isWhole) return rows;
  const rest = entries.length + missing - shown.length;
  return [...rows, pen.draw([{ text: `${INDENT}…+${rest} more`, tone: "dim" }], width)];
}

function entryRow(
  pen: Pen,
  { child, task }: PanelEntry,
  { isSelected, at }: { isSelected: boolean; at: number },
  width: number,
): string {
  const mark: Span = isSelected ? { text: "→ ", tone: "accent", isBold: true } : { text: INDENT };
  if (task)
    return pen.pin([mark, ...taskLine(pen, fieldsOf(task))], taskFacts(fieldsOf(task), at, true), width);
  return child
    ? pen.pin([mark, ...childLine(pen, child)], childFacts(child), width)
    : pen.draw([mark], width);
}

function detailRows(
  pen: Pen,
  { entry, detail, at, room }: { entry: PanelEntry; detail: LiveDetail; at: number; room: number },
  width: number,
): string[] {
  const { child, task } = entry;
  const rows = [entryRow(pen, entry, { isSelected: false, at }, width)];
  if (task && child)
    rows.push(pen.pin([{ text: INDENT }, ...childLine(pen, child)], childFacts(child), width));
  const error = task ? errorOf(fieldsOf(task)) : "";
  if (error !== "") rows.push(...textRows(pen, error, { max: MAX_ERROR_ROWS, tone: "error" }, width));
  if (detail.report) rows.push(...reportRows(pen, detail.report, width));
  const left = Math.max(1, room - rows.length);
  const isOver = task !== undefined && !isOngoing(fieldsOf(task));
  return [...rows, ...outputRows(pen, { output: detail.output, isOver, room: left }, width)].slice(0, room);
}

function reportRows(pen: Pen, report: NonNullable<LiveDetail["report"]>, width: number): string[] {
  const summary = textRows(pen, report.summary, { max: MAX_SUMMARY_ROWS, tone: "text" }, width);
  const blocks = drawArea(pen, { branches: reportBlocks(pen.screen, fieldsOf(report)), facts: [] }, width);
  const hidden = blocks.length - MAX_REPORT_ROWS;
  if (hidden <= 0) return [...summary, ...blocks];
  const cut = pen.draw(
    [{ text: `${INDENT}…+${countOf(hidden, "more row")} of the report`, tone: "dim" }],
    width,
  );
  return [...summary, ...blocks.slice(0, MAX_REPORT_ROWS), cut];
}

function textRows(
  pen: Pen,
  text: string,
  { max, tone }: { max: number; tone: Span["tone"] },
  width: number,
): string[] {
  const { lines, total } = textLines(pen.screen, text, max);
  const all = lines.flatMap((line) => pen.wrap([{ text: line, tone }], width - INDENT.length));
  const rows = all.slice(0, max).map((line) => pen.draw([{ text: INDENT }, ...line], width));
  const hidden = total - lines.length + all.length - rows.length;
  if (hidden > 0)
    rows.push(pen.draw([{ text: `${INDENT}…+${countOf(hidden, "more row")}`, tone: "dim" }], width));
  return rows;
}

/** The end of the output in `room` rows, a blank row above it. */
function outputRows(
  pen: Pen,
  { output, isOver, room }: { output: string; isOver: boolean; room: number },
  width: number,
): string[] {
  const lines = output.trimEnd().split("\n");
  if (output.trim() === "")
    return [pen.draw([{ text: `${INDENT}no output${isOver ? "" : " yet"}`, tone: "dim" }], width)];
  return lines
    .slice(-room)
    .map((line) =>
      pen.draw([{ text: INDENT }, { text: oneLine(pen.screen, line), tone: "toolOutput" }], width),
    );
}

function hintRow(pen: Pen, view: PanelView, width: number): string {
  const entry = view.entries[view.selected];
  if (view.isAsking && entry) {
    const answers: Line = [{ text: " y yes · n no", tone: "dim" }];
    const label = pen.cut([{ text: oneLine(pen.screen, entry.label), tone: "warning" }], 48);
    const question = pen.cut(
      [{ text: "Stop ", tone: "warning" }, ...label],
      width - pen.measure(answers) - 1,
    );
    return pen.draw([...question, { text: "?", tone: "warning" }, ...answers], width);
  }
  const stop = entry?.isOpen === true ? "s stop · " : "";
  const text = view.detail ? `${stop}esc back` : `↑↓ select · enter open · ${stop}esc close`;
  return pen.draw([{ text, tone: "dim" }], width);
}
