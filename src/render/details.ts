/** `details` of our tools: what rows draw and sessions store. Always under 128 KiB (spec 1.10). */

import type { ChildProgress, DispatchHandle, DispatchResult } from "../children/dispatch.ts";
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
  | { tool: "ptc_subagent"; running: false; result: DispatchResult }
  | { tool: "ptc_subagent"; running: false; handle: DispatchHandle };

/** A task as rows draw it. Times in milliseconds since 1970. */
export interface TaskRow {
  id: string;
  status: "running" | "stopping" | "succeeded" | "failed" | "canceled" | "lost";
  label: string;
  agentName: string;
  depth: number;
  createdAt: number;
  durationMs?: number;
  outputBytes: number;
  errorMessage?: string;
}

/** Details of `ptc_task_list`. */
export interface TaskListDetails {
  tool: "ptc_task_list";
  /** Newest first; at most 100. */
  tasks: TaskRow[];
  /** How many the list holds. */
  total: number;
  warnings: string[];
}

/** Details of `ptc_task_output`. */
export interface TaskOutputDetails {
  tool: "ptc_task_output";
  task: TaskRow;
  /** End of what was read. */
  output: string;
  nextOffset?: number;
  truncated: boolean;
}

/** Details of `ptc_task_stop`. */
export interface TaskStopDetails {
  tool: "ptc_task_stop";
  task: TaskRow;
  fromStatus: TaskRow["status"];
  stopReason?: string;
}
