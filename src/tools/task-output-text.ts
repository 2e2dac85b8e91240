/** The text of `ptc_task_output`: a head, which bytes are shown, and the output, all of it within pi's bounds. */

import type { ChildProgress } from "../children/dispatch.ts";
import { asData, renderDispatch, usageLine } from "../children/render-dispatch.ts";
import type { OutputPart } from "../tasks/output-window.ts";
import { isTerminal, type TaskRecord } from "../tasks/record.ts";
import { dataLine, elapsedText, type TextBounds } from "./task-access.ts";

/** Room for the line that says which bytes are shown. A path may be long. */
const RANGE_BYTES = 600;
/** Lines beside head and output: the range, a blank one, and what a usage and a cut add. */
const EXTRA_LINES = 5;
const MAX_WARNINGS = 10;
const REPORT_END = "</pi-ptc-report>";

export type Part = Extract<OutputPart, { ok: true }>;

/** Status, what a running child does, why it ended, its report and usage: at most half of what the bounds allow. */
export function headOf(
  record: TaskRecord,
  {
    progress,
    withReport,
    bounds,
  }: { progress: ChildProgress | undefined; withReport: boolean; bounds: TextBounds },
): string[] {
  const { id, status, agentName, depth, label, stopReason, errorMessage, warnings = [] } = record;
  const line = [
    id,
    status,
    `${dataLine(agentName, 60)} depth=${depth}`,
    dataLine(label),
    ...elapsedText(record, Date.now()),
  ];
  const tool = progress?.tool;
  const doing = progress && [
    `turn ${progress.turns}`,
    ...(tool ? [`${tool.running ? "running" : "ran"} ${dataLine(tool.name)}`] : []),
  ];
  const head = [
    line.join("  "),
    ...(doing ? [doing.join(", ")] : []),
    ...(stopReason === undefined ? [] : [`stop reason: ${dataLine(stopReason)}`]),
    ...(errorMessage === undefined ? [] : [`error: ${dataLine(errorMessage, 1_000)}`]),
    ...warnings.slice(0, MAX_WARNINGS).map((warning) => `Warning: ${dataLine(warning, 500)}`),
    ...(warnings.length > MAX_WARNINGS ? [`Warning: and ${warnings.length - MAX_WARNINGS} more`] : []),
    ...(withReport ? reportLines(record) : []),
  ];
  return [...cutHead(head, bounds), ...(record.usage ? [usageLine(record.usage)] : [])];
}

function reportLines({ report, reportChannel = "none", agentName }: TaskRecord): string[] {
  if (!report) return [];
  const result = { status: "fulfilled", text: "", started: true, durationMs: 0 } as const;
  return renderDispatch({ ...result, agentName, reportChannel, report }).split("\n");
}

/** A report in a script of three bytes a character may take more than all there is. */
function cutHead(head: readonly string[], { maxBytes, maxLines }: TextBounds): string[] {
  let bytes = 0;
  const count = head.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > maxBytes / 2 || index >= maxLines / 2;
  });
  if (count === -1) return [...head];
  const kept = head.slice(0, Math.max(1, count));
  return [...kept, "(more is left out)", ...(head.includes(REPORT_END) ? [REPORT_END] : [])];
}

/** What the bounds leave to the output. */
export function roomBeside(head: readonly string[], { maxBytes, maxLines }: TextBounds): TextBounds {
  return {
    maxBytes: Math.max(1_024, maxBytes - Buffer.byteLength(head.join("\n")) - RANGE_BYTES),
    maxLines: Math.max(10, maxLines - head.length - EXTRA_LINES),
  };
}

/** The part that fits as it is shown, which takes more bytes than on disk where it would pass for the host's words. */
export function fittingPart(
  record: TaskRecord,
  room: TextBounds,
  read: (wish: TextBounds) => OutputPart,
): OutputPart {
  for (let { maxBytes } = room; ;) {
    const part = read({ ...room, maxBytes });
    const bytes = part.ok ? Buffer.byteLength(bodyOf(record, part)) : 0;
    if (bytes <= room.maxBytes || maxBytes <= 1) return part;
    // A little less than the share says, since not all of it grows alike.
    maxBytes = Math.max(1, Math.floor((maxBytes * room.maxBytes * 0.98) / bytes));
  }
}

/** Which bytes are shown and where the next begin; nothing where all there will ever be is shown. */
export function rangeLines({
  record,
  page,
  shown,
  nextOffset,
  path,
}: {
  record: TaskRecord;
  page: Part;
  shown: Part;
  nextOffset: number | undefined;
  path: string | undefined;
}): string[] {
  const next = shown.end < page.end ? shown.end : nextOffset;
  if (shown.start === 0 && next === undefined) return [];
  const parts = [
    `Bytes ${shown.start}-${shown.end} of ${shown.size}${isTerminal(record.status) ? "" : " so far"}`,
    ...(next === undefined ? [] : [`next sinceBytes ${next}`]),
    ...(path ? [`full output: ${path}`] : []),
  ];
  return [`[${parts.join("; ")}]`];
}

/** The output as the model sees it. */
export function bodyOf({ status, outputPreview }: TaskRecord, { text, size }: Part): string {
  if (size > 0 || !isTerminal(status) || !outputPreview) return asData(text);
  return `[The output is not on disk; this is its end.]\n${asData(outputPreview)}`;
}
