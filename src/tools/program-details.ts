/**
 * `details` of the program tools, from an outcome or from a snapshot of a running program. The parts have
 * bounds of their own whose sum lies under 128 KiB of JSON, so that no outcome can exceed it (spec 1.10).
 */

import type { PtcRunOutcome, RunProgress, SubCallRecord } from "../program/outcome.ts";
import type { ProgramDetails } from "../render/details.ts";
import { fitTail, fitText, jsonBytes, type ListBound } from "./bounded-json.ts";

const KIB = 1_024;
/** Together 105 KiB; the rest is for keys and numbers. */
const FINAL = {
  description: KIB,
  result: 8 * KIB,
  logs: { maxItems: 200, maxItemBytes: 2 * KIB, maxBytes: 16 * KIB },
  narrations: { maxItems: 100, maxItemBytes: 2 * KIB, maxBytes: 8 * KIB },
  phases: { maxItems: 64, maxItemBytes: 512, maxBytes: 6 * KIB },
  warnings: { maxItems: 50, maxItemBytes: 2 * KIB, maxBytes: 14 * KIB },
  subCalls: { maxItems: 200, maxBytes: 40 * KIB },
  path: 4 * KIB,
  error: 8 * KIB,
};
/** A partial result is sent up to ten times a second, so it carries what a row can show. */
const PARTIAL = {
  logs: { maxItems: 20, maxItemBytes: 512, maxBytes: 4 * KIB },
  narrations: { maxItems: 12, maxItemBytes: 512, maxBytes: 3 * KIB },
  phases: { maxItems: 16, maxItemBytes: 256, maxBytes: 2 * KIB },
  subCalls: { maxItems: 64, maxBytes: 16 * KIB },
};

/** Which tool ran, and the line that says what for. */
export interface ProgramTitle {
  tool: ProgramDetails["tool"];
  description: string;
}

/** Details of a run that ended. `warnings` are the outcome's and what came up after it. */
export function finalDetails(
  title: ProgramTitle,
  outcome: PtcRunOutcome,
  warnings: readonly string[],
): ProgramDetails {
  const { error, fullOutputPath } = outcome;
  return {
    tool: title.tool,
    description: fitText(title.description, FINAL.description),
    running: false,
    ...(outcome.valuePreview === "" ? {} : { result: fitText(outcome.valuePreview, FINAL.result) }),
    logs: fitTail(linesOf(outcome.logs), FINAL.logs),
    narrations: fitTail(outcome.narrations, FINAL.narrations),
    phases: fitTail(outcome.phases, FINAL.phases),
    warnings: fitTail(warnings, FINAL.warnings),
    subCalls: fitCalls(outcome.subCalls, FINAL.subCalls),
    calls: { total: outcome.calls.total, failed: outcome.calls.failed },
    imageCount: outcome.imageCount,
    durationMs: outcome.durationMs,
    queuedMs: outcome.queuedMs,
    // A path that had to be cut would name another file.
    ...(fullOutputPath !== undefined && jsonBytes(fullOutputPath) <= FINAL.path ? { fullOutputPath } : {}),
    ...(error ? { error: { kind: error.kind, message: fitText(error.message, FINAL.error) } } : {}),
  };
}

/** Details while a program runs. */
export function partialDetails(title: ProgramTitle, progress: RunProgress): ProgramDetails {
  const phase = progress.phases.at(-1);
  return {
    tool: title.tool,
    description: fitText(title.description, FINAL.description),
    running: true,
    logs: fitTail(progress.logs, PARTIAL.logs),
    narrations: fitTail(progress.narrations, PARTIAL.narrations),
    phases: fitTail(progress.phases, PARTIAL.phases),
    ...(phase === undefined ? {} : { phase: fitText(phase, PARTIAL.phases.maxItemBytes) }),
    warnings: [],
    subCalls: fitCalls(progress.subCalls, PARTIAL.subCalls),
    calls: { total: progress.calls.total, failed: progress.calls.failed },
    imageCount: 0,
    durationMs: progress.elapsedMs,
    queuedMs: 0,
  };
}

/** The lines that were printed. The newline that ends the last one starts no other. */
function linesOf(text: string): string[] {
  // Only a tail is kept: the head of a long text need not be split.
  const lines = text.slice(-FINAL.logs.maxBytes).split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** The newest records that fit, but running and failed ones before finished ones (spec 5.1). */
function fitCalls(
  records: readonly SubCallRecord[],
  bound: Pick<ListBound, "maxItems" | "maxBytes">,
): SubCallRecord[] {
  const newest = records.toReversed();
  const kept: SubCallRecord[] = [];
  let left = bound.maxBytes;
  for (const record of [...newest.filter(matters), ...newest.filter((candidate) => !matters(candidate))]) {
    if (kept.length === bound.maxItems) break;
    const fitted = fitCall(record);
    left -= Buffer.byteLength(JSON.stringify(fitted)) + 1;
    if (left < 0) break;
    kept.push(fitted);
  }
  return kept.toSorted((one, other) => one.id - other.id);
}

function matters(record: SubCallRecord): boolean {
  return record.status !== "ok" && record.status !== "canceled";
}

function fitCall(record: SubCallRecord): SubCallRecord {
  return {
    id: record.id,
    name: fitText(record.name, 256),
    args: fitText(record.args, 512),
    status: record.status,
    startedMs: record.startedMs,
    ...(record.durationMs === undefined ? {} : { durationMs: record.durationMs }),
    ...(record.error === undefined ? {} : { error: fitText(record.error, 512) }),
    ...(record.partial === undefined ? {} : { partial: fitText(record.partial, 512) }),
  };
}
