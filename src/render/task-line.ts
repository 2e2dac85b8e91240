/** One background task on one line: the same in tool rows, notices and the panel. */

import { bytes, duration, elapsed } from "./facts.ts";
import type { Line, Pen, Span } from "./pen.ts";
import { amountOf, countIn, type Fields, textOf } from "./read-fields.ts";
import { oneLine, type Tone } from "./screen.ts";

const MAX_LABEL = 48;
const MAX_AGENT = 24;
const MAX_ERROR = 120;
/** pi's session ids begin with the time, so that a shorter part is not one session's own. */
const MAX_SESSION = 14;

const LOOKS: Readonly<Record<string, { glyph: string; tone: Tone }>> = {
  running: { glyph: "●", tone: "accent" },
  stopping: { glyph: "◐", tone: "warning" },
  succeeded: { glyph: "✓", tone: "success" },
  failed: { glyph: "✗", tone: "error" },
  lost: { glyph: "◌", tone: "warning" },
  canceled: { glyph: "⊘", tone: "muted" },
};

/** Why the store says that a task is lost, in words. */
const REASONS: Readonly<Record<string, string>> = {
  lost_on_session_restart: "its pi ended before it did",
  session_ended_while_running: "its session ended before it did",
};

/** What went wrong, as a person reads it. */
export function errorOf(task: Fields): string {
  const error = textOf(task["errorMessage"]).trim();
  return (Object.hasOwn(REASONS, error) && REASONS[error]) || error;
}

/** Does it still run, so that it may have a longer time and more output? */
export const isOngoing = ({ status }: Fields): boolean => status === "running" || status === "stopping";

/** Glyph and name of a status. One that is not known is shown as it is. */
export function statusSpan(pen: Pen, status: unknown): Span {
  const name = oneLine(pen.screen, textOf(status)) || "unknown";
  const { glyph, tone } = (Object.hasOwn(LOOKS, name) && LOOKS[name]) || { glyph: "○", tone: "muted" };
  return { text: `${glyph} ${name}`, tone };
}

/** What stands at the left: status, label, agent and the first line of an error. */
export function taskLine(pen: Pen, task: Fields): Line {
  const { screen } = pen;
  const label = oneLine(screen, textOf(task["label"])) || oneLine(screen, textOf(task["id"])) || "?";
  const agent = oneLine(screen, textOf(task["agentName"]));
  const error = oneLine(screen, errorOf(task).split("\n", 1)[0] ?? "");
  const line: Span[] = [statusSpan(pen, task["status"]), { text: "  " }];
  line.push(...pen.cut([{ text: label, tone: "toolOutput" }], MAX_LABEL));
  if (agent !== "") line.push({ text: " " }, ...pen.cut([{ text: agent, tone: "dim" }], MAX_AGENT));
  const session = oneLine(screen, textOf(task["session"]));
  if (session !== "")
    line.push(
      { text: " · session ", tone: "dim" },
      ...pen.cut([{ text: session, tone: "dim" }], MAX_SESSION),
    );
  if (error !== "")
    line.push({ text: " · ", tone: "dim" }, ...pen.cut([{ text: error, tone: "error" }], MAX_ERROR));
  return line;
}

/**
 * What stands at the right: bytes and time. `at` is when that was so, in milliseconds since the epoch; the time of a
 * task that ran then says so, unless the row is `live` and drawn again.
 */
export function taskFacts(task: Fields, at: number, live = false): Span[] {
  const size = countIn(task["outputBytes"]);
  const time = timeOf(task, at, live);
  return [...(size > 0 ? [{ text: bytes(size) }] : []), ...(time === undefined ? [] : [{ text: time }])];
}

function timeOf(task: Fields, at: number, live: boolean): string | undefined {
  const { durationMs, createdAt } = task;
  if (typeof durationMs === "number") return duration(amountOf(durationMs));
  if (!isOngoing(task) || typeof createdAt !== "number" || at < createdAt) return undefined;
  return `${live ? "" : "at "}${elapsed(at - createdAt)}`;
}
