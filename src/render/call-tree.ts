/** The calls of a program as a branch: at most 32, running and failed ones before finished ones, the rest counted. */

import { countOf, duration, elapsed } from "./facts.ts";
import type { Line, Pen, Span } from "./pen.ts";
import { amountOf, countIn, type Fields, fieldsOf, isFields, textOf } from "./read-fields.ts";
import { oneLine, type Tone } from "./screen.ts";
import type { Branch } from "./tree.ts";

const MAX_CALLS = 32;
/** Names of tools are short; arguments and errors give way to the row's edge. */
const MAX_NAME = 60;
const DISPATCH = "pi.dispatch";

type ShownStatus = "queued" | "running" | "ok" | "failed" | "canceled" | "rejected";

const LOOKS: Readonly<Record<ShownStatus, { glyph: string; tone: Tone }>> = {
  queued: { glyph: "○", tone: "dim" },
  running: { glyph: "●", tone: "accent" },
  ok: { glyph: "✓", tone: "success" },
  failed: { glyph: "✗", tone: "error" },
  canceled: { glyph: "⊘", tone: "warning" },
  rejected: { glyph: "✗", tone: "error" },
};

/** The calls a program made, as `details` have them. */
export interface CallsView {
  records: readonly unknown[];
  total: number;
  failed: number;
  /** Milliseconds since the program began; absent when it is over, and what is still open was cut off. */
  elapsedMs?: number;
}

/** The branch of a program's calls; none when it made none. */
export function callBranches(pen: Pen, { records, total, failed, elapsedMs }: CallsView): Branch[] {
  const all = Math.max(total, records.length);
  if (all === 0) return [];
  const shown = chooseCalls(records);
  const calls = shown.map((record) => callLine(pen, record, elapsedMs));
  const head: Span[] = [{ text: countOf(all, "call"), tone: "muted" }];
  if (failed > 0) head.push({ text: " · ", tone: "dim" }, { text: `${failed} failed`, tone: "error" });
  const rest = all - shown.length;
  if (rest > 0) {
    const shownFailed = shown.filter(({ status }) => status === "error" || status === "canceled").length;
    const hidden = Math.min(rest, failed - shownFailed);
    const more = `…+${rest} more ${rest === 1 ? "call" : "calls"}${hidden > 0 ? ` (${hidden} failed)` : ""}`;
    calls.push([{ text: more, tone: "dim" }]);
  }
  return [{ line: head, children: calls.map((line) => ({ line })) }];
}

/** The newest of each rank, the lowest rank first; returned in the order they were made. */
function chooseCalls(records: readonly unknown[]): Fields[] {
  const groups: { record: Fields; index: number }[][] = [[], [], [], []];
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (!isFields(record)) continue;
    const group = groups[callRank(record["status"])] as { record: Fields; index: number }[];
    if (group.length < MAX_CALLS) group.push({ record, index });
  }
  const chosen = groups.flat().slice(0, MAX_CALLS);
  return chosen.toSorted((one, other) => one.index - other.index).map(({ record }) => record);
}

/** Which calls are shown where not all can be: 0 runs, 1 failed, 2 ended otherwise, 3 has not begun. */
export function callRank(status: unknown): 0 | 1 | 2 | 3 {
  if (status === "running") return 0;
  if (status === "error") return 1;
  return status === "queued" ? 3 : 2;
}

function callLine(pen: Pen, record: Fields, elapsedMs: number | undefined): Line {
  const { screen } = pen;
  const name = oneLine(screen, textOf(record["name"])) || "?";
  const status = statusOf(record["status"], name, elapsedMs === undefined);
  const { glyph, tone } = LOOKS[status];
  const line: Span[] = [
    { text: `${glyph} `, tone },
    ...pen.cut([{ text: name, tone: "toolTitle" }], MAX_NAME),
    { text: ` ${status}`, tone },
  ];
  const time = status === "running" ? runningTime(record, elapsedMs) : timeTaken(record);
  if (time !== undefined) line.push({ text: ` ${time}`, tone: "dim" });
  const args = oneLine(screen, textOf(record["args"]));
  if (args !== "") line.push({ text: `  ${args}`, tone: "toolOutput" });
  const said = oneLine(screen, textOf(status === "running" ? record["partial"] : record["error"]));
  if (said !== "") line.push({ text: ` · ${said}`, tone: status === "running" ? "muted" : tone });
  return line;
}

const timeTaken = ({ durationMs }: Fields): string | undefined =>
  typeof durationMs === "number" ? duration(amountOf(durationMs)) : undefined;

/** In whole seconds: a row that changes with every update is measured anew each time. */
const runningTime = ({ startedMs }: Fields, elapsedMs: number | undefined): string | undefined =>
  elapsedMs === undefined ? undefined : elapsed(elapsedMs - amountOf(startedMs));

function statusOf(status: unknown, name: string, isOver: boolean): ShownStatus {
  if (status === "ok" || status === "canceled") return status;
  if (status === "error") return name === DISPATCH ? "rejected" : "failed";
  if (isOver) return "canceled";
  return status === "queued" ? "queued" : "running";
}

/** Total and failed calls from `details.calls`. */
export function callCounts(calls: unknown): { total: number; failed: number } {
  const { total, failed } = fieldsOf(calls);
  return { total: countIn(total), failed: countIn(failed) };
}
