/** From the end of an execution to the outcome its caller gets. */

import { cleanText } from "../base/plain-text.ts";
import type { Json } from "../worker/protocol.ts";
import type { Execution, ExecutionEnd } from "./execution.ts";
import type { PtcRunOutcome, RunError } from "./outcome.ts";
import type { RunRequest } from "./request.ts";
import { type ReturnKind, RunText, type TextRules } from "./run-text.ts";

const MAX_LOG_BYTES = 65_536;
const MAX_PREVIEW_CHARS = 4_096;
const KEPT_NARRATIONS = 50;
/** Twice what a worker of ours sends as a value. */
const MAX_VALUE_CHARS = 2_097_152;
const MAX_VALUE_DEPTH = 1_100;

/** What an outcome is made from. */
export interface OutcomeParts {
  execution: Execution;
  end: ExecutionEnd;
  request: RunRequest;
  rules: TextRules;
  startedAt: number;
  queuedMs: number;
}

/** Outcome of a program that ran. */
export async function outcomeOf(parts: OutcomeParts): Promise<PtcRunOutcome> {
  const { execution, end, request, rules, startedAt, queuedMs } = parts;
  const { text, calls } = execution;
  const { done, error } = end;
  const warnings = [...new Set([...execution.warnings, ...(done?.warnings ?? [])])];
  const imageCount = calls.images.count;
  const attach = !error && !request.blockImages;
  if (imageCount > 0 && !attach) warnings.push(withheld(imageCount, error !== undefined));
  const composed = error
    ? await text.composeFailure(error, warnings, rules)
    : await text.compose(warnings, returnOf(end, request.source), rules);
  if (composed.warning) warnings.push(composed.warning);
  const logs = text.logs.tail(MAX_LOG_BYTES);
  return {
    ok: !error,
    error,
    text: composed.text,
    truncated: composed.truncated,
    fullOutputPath: composed.fullOutputPath,
    ...valueOf(end, text),
    logs: logs.text,
    logsTruncated: logs.truncated,
    lineCounts: {
      logs: text.logs.lineCount,
      narrations: text.narration.lineCount,
      value: text.value.lineCount,
    },
    narrations: text.narration.newest(KEPT_NARRATIONS),
    phases: [...text.phases],
    warnings,
    subCalls: calls.records(),
    calls: calls.counts,
    images: attach ? calls.images.blocks() : [],
    imageCount,
    store: error ? {} : (done?.store ?? {}),
    durationMs: Math.round(performance.now() - startedAt),
    queuedMs,
  };
}

/** Outcome of a program that never started, its text within the bounds of every other. */
export async function refusedOutcome(
  error: RunError,
  startedAt: number,
  rules: TextRules,
): Promise<PtcRunOutcome> {
  const { text, truncated, fullOutputPath } = await new RunText().composeFailure(error, [], rules);
  return { ...failedOutcome(error, startedAt), text, truncated, fullOutputPath };
}

/** The same for a short message of ours. */
export function failedOutcome(error: RunError, startedAt: number): PtcRunOutcome {
  const durationMs = Math.round(performance.now() - startedAt);
  return {
    ok: false,
    error,
    text: cleanText(
      `code run failed (${error.kind}): ${error.message}${error.excerpt ? `\n${error.excerpt}` : ""}`,
    ),
    valueOmitted: false,
    valuePreview: "",
    logs: "",
    logsTruncated: false,
    narrations: [],
    phases: [],
    warnings: [],
    subCalls: [],
    calls: { total: 0, failed: 0 },
    images: [],
    imageCount: 0,
    store: {},
    durationMs,
    queuedMs: 0,
  };
}

function withheld(count: number, failed: boolean): string {
  const images = count === 1 ? "1 image was" : `${count} images were`;
  return failed
    ? `${images} not attached, since the program failed`
    : `${images} not attached, since images are blocked in pi's settings`;
}

/** What an outcome says of the value; a failed run has none. */
function valueOf(
  { done, error }: ExecutionEnd,
  text: RunText,
): Pick<PtcRunOutcome, "value" | "valueOmitted" | "valuePreview"> {
  if (error || !done) return { valueOmitted: false, valuePreview: "" };
  return {
    value: parseValue(done.json),
    valueOmitted: done.jsonOmitted,
    valuePreview: text.value.head(MAX_PREVIEW_CHARS),
  };
}

function returnOf({ done }: ExecutionEnd, source: string): ReturnKind {
  if (done?.json !== undefined || done?.jsonOmitted === true) return "value";
  return /\breturn\b/.test(source) ? "undefined" : "missing";
}

/** pi walks results recursively; a worker of ours sends nothing deeper than its own limit of 1000. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index];
    if (inString && char === "\\") index += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === "[" || char === "{") && (depth += 1) > MAX_VALUE_DEPTH) return true;
    else if (!inString && (char === "]" || char === "}")) depth -= 1;
  }
  return false;
}

/** A worker's JSON text; it is untrusted, so what cannot be parsed is no value. */
function parseValue(json: string | undefined): Json | undefined {
  if (json === undefined || json.length > MAX_VALUE_CHARS || isTooDeep(json)) return undefined;
  try {
    return JSON.parse(json) as Json;
  } catch {
    // Only a program that forged its last frame gets here; its text stands on its own.
    return undefined;
  }
}
