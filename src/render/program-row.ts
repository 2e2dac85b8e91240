/** Rows of `ptc_run_code` and `ptc_workflow`: what the program is for, and what became of it. */

import { callBranches, callCounts } from "./call-tree.ts";
import { countOf, dollars, duration, elapsed, fact } from "./facts.ts";
import type { Line, Pen, Span } from "./pen.ts";
import { drawForeign, type ResultState } from "./foreign-row.ts";
import { programBlocks } from "./program-blocks.ts";
import {
  amountOf,
  countIn,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  textsOf,
} from "./read-fields.ts";
import { oneLine, type Screen } from "./screen.ts";
import { graphemes, shimmer } from "./shimmer.ts";
import { type Branch, drawArea } from "./tree.ts";
import { valueRows } from "./value-tree.ts";

/** Rows of a value while the row is collapsed; a screen shows no more. */
const MAX_VALUE_ROWS = 64;
const TOOLS: readonly unknown[] = ["ptc_run_code", "ptc_workflow"];
/** Lines of code that say nothing of what a program is for. */
const EMPTY_CODE = /^(?:\/\/.*|\/?\*.*|["']use strict["'];?|```\w*|[{}()[\];,]*)$/;

/** What a call row says besides its arguments. */
export interface CallState {
  label: string;
  /** Milliseconds of the clock while it runs. */
  runningAt?: number;
  /** pi ended while it ran, so there will be no result. */
  isInterrupted: boolean;
}

/** The line a program is introduced by: its description, a workflow's name, else its first meaningful line. */
export function programTitle(screen: Screen, args: unknown): string {
  const { description, meta, code, script } = fieldsOf(args);
  const { name, description: about } = fieldsOf(meta);
  const given = [description, name, about].map((text) => oneLine(screen, textOf(text)).trim());
  return given.find((text) => text !== "") ?? firstMeaningful(screen, textOf(code) || textOf(script));
}

function firstMeaningful(screen: Screen, source: string): string {
  const line = source
    .slice(0, 4_096)
    .split("\n")
    .find((text) => !EMPTY_CODE.test(text.trim()));
  return oneLine(screen, line ?? "").trim();
}

/** Rows of the call. */
export function drawCall(pen: Pen, title: string, state: CallState, width: number): string[] {
  const label: Span[] = [{ text: state.label, tone: "toolTitle", isBold: true }, { text: "  " }];
  const about: Line =
    state.runningAt === undefined
      ? [{ text: title, tone: "text" }]
      : shimmer(graphemes(title), state.runningAt);
  const rows = [pen.draw(title === "" ? label.slice(0, 1) : [...label, ...about], width)];
  if (state.isInterrupted)
    rows.push(pen.draw([{ text: "  interrupted: pi ended before it did", tone: "warning" }], width));
  return rows;
}

/** Rows of a program's result, whatever the details are. */
export function drawProgram(pen: Pen, details: unknown, state: ResultState, width: number): string[] {
  if (!isFields(details) || !TOOLS.includes(details["tool"])) return drawForeign(pen, state, width);
  const isOpen = details["running"] === true;
  const isLive = isOpen && state.isPartial;
  const facts = isLive ? liveFacts(details) : finalFacts(pen, details);
  const top = isLive
    ? { head: liveLine(pen, details), branches: [] }
    : resultTop(pen, details, { facts, isOpen, width, isExpanded: state.isExpanded });
  const calls = callBranches(pen, {
    records: listOf(details["subCalls"]),
    ...callCounts(details["calls"]),
    ...(isLive ? { elapsedMs: amountOf(details["durationMs"]) } : {}),
  });
  const blocks = state.isExpanded ? programBlocks(pen.screen, details) : [];
  return drawArea(pen, { ...top, branches: [...top.branches, ...calls, ...blocks], facts }, width);
}

function resultTop(
  pen: Pen,
  details: Fields,
  state: { facts: readonly Span[]; isOpen: boolean; width: number; isExpanded: boolean },
): { head?: Line; branches: readonly Branch[] } {
  const ended = endLine(pen.screen, details, state.isOpen);
  if (ended) return { head: ended, branches: [] };
  const { value, result } = details;
  if (value !== undefined) {
    const { width } = state;
    const firstWidth = pen.roomBeside(state.facts, width);
    const maxRows = state.isExpanded ? Number.POSITIVE_INFINITY : MAX_VALUE_ROWS;
    return valueRows(pen, value, { firstWidth, width, maxRows });
  }
  if (typeof result !== "string" || result === "")
    return { head: [{ text: "done", tone: "success" }], branches: [] };
  const text: Span = { text: oneLine(pen.screen, result, "↵"), tone: "toolOutput" };
  return { head: [{ text: "→ ", tone: "dim" }, text], branches: [] };
}

/** How a program ended that has no result. */
function endLine(screen: Screen, details: Fields, isOpen: boolean): Line | undefined {
  if (isOpen) return [{ text: "interrupted: the program did not end", tone: "warning" }];
  const { error } = details;
  if (error === undefined || error === null) return undefined;
  const { kind, message } = fieldsOf(error);
  const reason = oneLine(screen, textOf(message).trim()) || textOf(kind) || "no reason given";
  if (kind === "abort") return [{ text: `canceled: ${reason}`, tone: "warning" }];
  return [{ text: `failed: ${reason}`, tone: "error" }];
}

function liveLine(pen: Pen, details: Fields): Line {
  const { screen } = pen;
  const phase = oneLine(screen, textOf(details["phase"]));
  const said =
    textsOf(details["narrations"]).findLast((line) => line.trim() !== "") ??
    textsOf(details["logs"]).findLast((line) => line.trim() !== "") ??
    "";
  const line: Span[] = [];
  if (phase !== "") line.push({ text: phase, tone: "accent" });
  if (said !== "") {
    if (line.length > 0) line.push({ text: " · ", tone: "dim" });
    line.push({ text: oneLine(screen, said), tone: "muted" });
  }
  return line.length > 0 ? line : [{ text: "running", tone: "muted" }];
}

function liveFacts(details: Fields): Span[] {
  const cost = amountOf(details["childCost"]);
  return [
    ...fact(cost > 0, () => dollars(cost)),
    ...fact(true, () => elapsed(amountOf(details["durationMs"]))),
  ];
}

function finalFacts({ screen }: Pen, details: Fields): Span[] {
  const totals = fieldsOf(details["totals"]);
  const amount = (key: string): number => Math.max(countIn(totals[key]), listOf(details[key]).length);
  const [logs, phases, warnings] = [amount("logs"), amount("phases"), amount("warnings")];
  const images = countIn(details["imageCount"]);
  const path = textOf(details["fullOutputPath"]);
  const isCut = details["truncated"] === true || path !== "";
  const cost = amountOf(details["childCost"]);
  return [
    ...fact(logs > 0, () => countOf(logs, "output line")),
    ...fact(phases > 0, () => countOf(phases, "phase")),
    ...fact(images > 0, () => countOf(images, "image")),
    ...fact(warnings > 0, () => countOf(warnings, "warning"), "warning"),
    ...fact(isCut, () => (path === "" || screen.fileExists(path) ? "truncated" : "truncated, file expired")),
    ...fact(typeof details["durationMs"] === "number", () => duration(amountOf(details["durationMs"]))),
    ...fact(cost > 0, () => dollars(cost)),
  ];
}
