/** From the outcome of a run to what pi takes as the result of a tool. A failed program is an error result, not a throw. */

import type { ContentBlock, Json, PtcRunOutcome, RunErrorKind } from "../program/outcome.ts";
import type { ProgramDetails } from "../render/details.ts";
import { fitText } from "./bounded-json.ts";
import { finalDetails, type ProgramTitle } from "./program-details.ts";

/** `structuredContent` of the program tools, for scripts of pi's codemode. Optional keys are left out, not null. */
export interface ProgramData {
  ok: boolean;
  value?: Json;
  /** The value's JSON is over 1 MiB; `full_output_path` has its text. */
  value_omitted?: true;
  full_output_path?: string;
  error?: { kind: RunErrorKind; message: string };
  logs: string;
  logs_truncated?: true;
  duration_ms: number;
  calls: { total: number; failed: number };
}

/** An `AgentToolResult` of the program tools. */
export interface ProgramToolResult {
  content: ContentBlock[];
  details: ProgramDetails;
  structuredContent?: Json;
  isError?: true;
}

const MAX_ERROR_BYTES = 65_536;

/**
 * The tool result of a run. `lateWarnings` came up after the outcome's text was made and are put under it;
 * `childCost` is what its children cost, in US dollars.
 * A refused run has no data, so that a codemode script gets a rejection with the text.
 */
export function programResult(
  title: ProgramTitle,
  outcome: PtcRunOutcome,
  lateWarnings: readonly string[] = [],
  childCost = 0,
): ProgramToolResult {
  const late = lateWarnings.map((warning) => `\nWarning: ${warning}`).join("");
  const text = outcome.text.trim() === "" ? "(the run left no text)" : outcome.text;
  return {
    content: [{ type: "text", text: text + late }, ...outcome.images],
    details: finalDetails(title, outcome, { warnings: [...outcome.warnings, ...lateWarnings], childCost }),
    ...(outcome.error?.kind === "refused" ? {} : { structuredContent: dataOf(outcome) as unknown as Json }),
    ...(outcome.ok ? {} : { isError: true as const }),
  };
}

function dataOf(outcome: PtcRunOutcome): ProgramData {
  const { error, value, fullOutputPath } = outcome;
  return {
    ok: outcome.ok,
    ...(value === undefined || !outcome.ok ? {} : { value }),
    ...(outcome.valueOmitted ? { value_omitted: true as const } : {}),
    ...(outcome.valueOmitted && fullOutputPath !== undefined ? { full_output_path: fullOutputPath } : {}),
    ...(error ? { error: { kind: error.kind, message: fitText(error.message, MAX_ERROR_BYTES) } } : {}),
    logs: outcome.logs,
    ...(outcome.logsTruncated ? { logs_truncated: true as const } : {}),
    duration_ms: outcome.durationMs,
    calls: { total: outcome.calls.total, failed: outcome.calls.failed },
  };
}
