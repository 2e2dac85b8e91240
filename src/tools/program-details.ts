/**
 * `details` of the program tools, from an outcome or from a snapshot of a running program. The parts have
 * bounds of their own whose sum lies under 128 KiB of JSON, so that no outcome can exceed it (spec 1.10).
 */

import { cutLine } from "../base/plain-text.ts";
import type { PtcRunOutcome, RunError, RunProgress, SubCallRecord } from "../program/outcome.ts";
import { callRank } from "../render/call-tree.ts";
import type { ProgramDetails } from "../render/details.ts";
import { fitTail, fitText, jsonBytes, type ListBound } from "./bounded-json.ts";
import { viewValue } from "./value-view.ts";

const KIB = 1_024;
/** Together 120 KiB; the rest is for keys and numbers. */
const FINAL = {
  description: KIB,
  result: 8 * KIB,
  value: 12 * KIB,
  codeLine: 320,
  logs: { maxItems: 200, maxItemBytes: 2 * KIB, maxBytes: 16 * KIB },
  narrations: { maxItems: 100, maxItemBytes: 2 * KIB, maxBytes: 8 * KIB },
  phases: { maxItems: 64, maxItemBytes: 512, maxBytes: 6 * KIB },
  warnings: { maxItems: 50, maxItemBytes: 2 * KIB, maxBytes: 14 * KIB },
  subCalls: { maxItems: 200, maxBytes: 40 * KIB },
  path: 4 * KIB,
  error: 8 * KIB,
  excerpt: 2 * KIB,
};
const CODE_LINES = 3;
const CODE_CHARS = 200;
/** A partial result is sent up to ten times a second, so it carries what a row can show. */
const PARTIAL = {
  logs: { maxItems: 20, maxItemBytes: 512, maxBytes: 4 * KIB },
  narrations: { maxItems: 12, maxItemBytes: 512, maxBytes: 3 * KIB },
  phases: { maxItems: 16, maxItemBytes: 256, maxBytes: 2 * KIB },
  subCalls: { maxItems: 64, maxBytes: 16 * KIB },
};

/** Which tool ran, the line that says what for, and the program. */
export interface ProgramTitle {
  tool: ProgramDetails["tool"];
  description: string;
  source?: string;
}

/** What is known of a run beside its outcome. */
export interface RunExtras {
  /** The outcome's warnings and what came up after it. */
  warnings: readonly string[];
  /** What its children cost, in US dollars. */
  childCost: number;
}

/** Details of a run that ended. */
export function finalDetails(
  title: ProgramTitle,
  outcome: PtcRunOutcome,
  { warnings, childCost }: RunExtras,
): ProgramDetails {
  const { error, fullOutputPath, value, lineCounts } = outcome;
  const logs = linesOf(outcome.logs);
  return {
    tool: title.tool,
    description: fitText(title.description, FINAL.description),
    running: false,
    ...(outcome.valuePreview === "" ? {} : { result: fitText(outcome.valuePreview, FINAL.result) }),
    ...(value === undefined || !outcome.ok ? {} : { value: viewValue(value, FINAL.value) }),
    ...codeOf(title),
    totals: {
      result: lineCounts?.value ?? 0,
      logs: lineCounts?.logs ?? logs.length,
      narrations: lineCounts?.narrations ?? outcome.narrations.length,
      phases: outcome.phases.length,
      warnings: warnings.length,
    },
    logs: fitTail(logs, FINAL.logs),
    narrations: fitTail(outcome.narrations, FINAL.narrations),
    phases: fitTail(outcome.phases, FINAL.phases),
    warnings: fitTail(warnings, FINAL.warnings),
    subCalls: fitCalls(outcome.subCalls, FINAL.subCalls),
    calls: { total: outcome.calls.total, failed: outcome.calls.failed },
    ...(childCost > 0 ? { childCost } : {}),
    imageCount: outcome.imageCount,
    durationMs: outcome.durationMs,
    queuedMs: outcome.queuedMs,
    ...(outcome.truncated ? { truncated: true as const } : {}),
    // A path that had to be cut would name another file.
    ...(fullOutputPath !== undefined && jsonBytes(fullOutputPath) <= FINAL.path ? { fullOutputPath } : {}),
    ...(error ? { error: boundError(error) } : {}),
  };
}

function boundError({ kind, message, excerpt }: RunError): ProgramDetails["error"] {
  const bounded = { kind, message: fitText(message, FINAL.error) };
  return excerpt === "" ? bounded : { ...bounded, excerpt: fitText(excerpt, FINAL.excerpt) };
}

/** The first lines of the program. */
function codeOf({ source = "" }: ProgramTitle): Pick<ProgramDetails, "code"> {
  const lines = source.trim().split("\n");
  if (lines.length === 1 && lines[0] === "") return {};
  const head = lines.slice(0, CODE_LINES);
  return {
    code: {
      lines: head.map((line) => fitText(cutLine(line.trimEnd(), CODE_CHARS), FINAL.codeLine)),
      total: lines.length,
    },
  };
}

/** Details while a program runs. `childCost` in US dollars. */
export function partialDetails(title: ProgramTitle, progress: RunProgress, childCost = 0): ProgramDetails {
  const phase = progress.phases.at(-1);
  return {
    tool: title.tool,
    description: fitText(title.description, FINAL.description),
    running: true,
    ...codeOf(title),
    logs: fitTail(progress.logs, PARTIAL.logs),
    narrations: fitTail(progress.narrations, PARTIAL.narrations),
    phases: fitTail(progress.phases, PARTIAL.phases),
    ...(phase === undefined ? {} : { phase: fitText(phase, PARTIAL.phases.maxItemBytes) }),
    warnings: [],
    subCalls: fitCalls(progress.subCalls, PARTIAL.subCalls),
    calls: { total: progress.calls.total, failed: progress.calls.failed },
    ...(childCost > 0 ? { childCost } : {}),
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

/** The newest records that fit, chosen as a row chooses (spec 5.1): of many at once nearly all are queued. */
function fitCalls(
  records: readonly SubCallRecord[],
  bound: Pick<ListBound, "maxItems" | "maxBytes">,
): SubCallRecord[] {
  const chosen = records.toReversed().toSorted((one, other) => callRank(one.status) - callRank(other.status));
  const kept: SubCallRecord[] = [];
  let left = bound.maxBytes;
  for (const record of chosen) {
    if (kept.length === bound.maxItems) break;
    const fitted = fitCall(record);
    left -= Buffer.byteLength(JSON.stringify(fitted)) + 1;
    if (left < 0) break;
    kept.push(fitted);
  }
  return kept.toSorted((one, other) => one.id - other.id);
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
