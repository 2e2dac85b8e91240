/** `details` of our tools: what rows draw and sessions store. Always under 128 KiB (spec 1.10). */

import type { ChildProgress, DispatchResult } from "../children/dispatch.ts";
import type { RunErrorKind, SubCallRecord } from "../program/outcome.ts";

/** Details of `ptc_run_code` and `ptc_workflow`; a partial result carries the same shape with `running: true`. */
export interface ProgramDetails {
  tool: "ptc_run_code" | "ptc_workflow";
  description: string;
  running: boolean;
  /** Head of the value's text; absent when nothing was returned. */
  result?: string;
  /** Newest lines first to last. */
  logs: string[];
  narrations: string[];
  phases: string[];
  /** Phase that is going on; only while running. */
  phase?: string;
  warnings: string[];
  subCalls: SubCallRecord[];
  calls: { total: number; failed: number };
  imageCount: number;
  durationMs: number;
  queuedMs: number;
  fullOutputPath?: string;
  error?: { kind: RunErrorKind; message: string };
}

/** Details of `ptc_subagent`. */
export type SubagentDetails =
  | { tool: "ptc_subagent"; running: true; progress: ChildProgress }
  | { tool: "ptc_subagent"; running: false; result: DispatchResult };
