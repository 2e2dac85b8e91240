/** `details` of our tools and messages: what rows draw and sessions store. Always under 128 KiB (spec 1.10). */

import type { ChildProgress, DispatchHandle, DispatchResult } from "../children/dispatch.ts";
import type { RunErrorKind, SubCallRecord } from "../program/outcome.ts";

/** Details of `ptc_run_code` and `ptc_workflow`; a partial result carries the same shape with `running: true`. */
export interface ProgramDetails {
  tool: "ptc_run_code" | "ptc_workflow";
  description: string;
  running: boolean;
  /** Head of the value's text; absent when nothing was returned. */
  result?: string;
  /** The value as far as a row can show it; absent when there is none as JSON. */
  value?: ValueView;
  /** First lines of the program, and how many it has. */
  code?: { lines: string[]; total: number };
  /** Newest lines first to last. */
  logs: string[];
  narrations: string[];
  phases: string[];
  /** Lines there were of what `result`, `warnings` and the lists above keep a part of. */
  totals?: { result: number; logs: number; narrations: number; phases: number; warnings: number };
  /** Phase that is going on; only while running. */
  phase?: string;
  warnings: string[];
  subCalls: SubCallRecord[];
  calls: { total: number; failed: number };
  /** What its children cost, in US dollars; absent when nothing. */
  childCost?: number;
  imageCount: number;
  durationMs: number;
  queuedMs: number;
  /** The model was shown a part. */
  truncated?: true;
  /** Where all of it is; absent when that could not be written. */
  fullOutputPath?: string;
  error?: { kind: RunErrorKind; message: string; excerpt?: string };
}

/** A JSON value of which long strings are cut and large or deep containers keep their first entries. */
export type ValueView = null | boolean | number | string | ContainerView;

/** What is kept of an array or object. */
export interface ContainerView {
  /** Entries there are; `items` may hold fewer. */
  size: number;
  /** Names of the kept entries; absent for an array. */
  keys?: string[];
  items: ValueView[];
}

/** Details of `ptc_subagent`. */
export type SubagentDetails =
  | { tool: "ptc_subagent"; running: true; progress: ChildProgress }
  | { tool: "ptc_subagent"; running: false; result: DispatchResult }
  | { tool: "ptc_subagent"; running: false; handle: DispatchHandle };

/** States of a task (spec 3.1). */
export type TaskStatus = "running" | "stopping" | "succeeded" | "failed" | "canceled" | "lost";

/** A task as rows draw it. Times in milliseconds since 1970. */
export interface TaskRow {
  id: string;
  status: TaskStatus;
  label: string;
  agentName: string;
  depth: number;
  createdAt: number;
  /** How long it took; absent while it runs, and where nobody knows. */
  durationMs?: number;
  outputBytes: number;
  errorMessage?: string;
  /** Another session of the project that has it; absent for tasks of this one. */
  session?: string;
}

/** Details of `ptc_task_list`. */
export interface TaskListDetails {
  tool: "ptc_task_list";
  /** Newest first; at most 100. */
  tasks: TaskRow[];
  /** How many the list holds. */
  total: number;
  warnings: string[];
  /** When the list was made; what ran then is drawn with its time until then. */
  at?: number;
}

/** Details of `ptc_task_output`. */
export interface TaskOutputDetails {
  tool: "ptc_task_output";
  task: TaskRow;
  /** End of what was read. */
  output: string;
  nextOffset?: number;
  truncated: boolean;
  at?: number;
}

/** Details of `ptc_task_stop`. */
export interface TaskStopDetails {
  tool: "ptc_task_stop";
  task: TaskRow;
  fromStatus: TaskStatus;
  stopReason?: string;
  at?: number;
}

/** Details of the message that tells of ended tasks. */
export interface NoticeDetails {
  batchId: string;
  /** All that the message tells of. */
  taskIds: string[];
  /** The first of them as rows draw them. */
  tasks: (TaskRow & { outputPreview?: string })[];
}
