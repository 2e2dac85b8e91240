/** What a dispatch is asked for and what it hands back (spec 2.1, 2.5, 2.7). */

/** Where agents are looked up. */
export type AgentScopeKind = "user" | "project" | "both";

/** One dispatch as a program, the model or a script asks for it. Unchecked: everything may be of any type. */
export interface DispatchInput {
  /** Name of an agent; without it the child runs with pi's own prompt. */
  agent?: string;
  task: string;
  /** Default: the session's folder; a relative path starts there. */
  cwd?: string;
  agentScope?: AgentScopeKind;
  model?: string;
  thinkingLevel?: string;
  /** True starts a task that goes on by itself, and gives its handle at once. */
  background?: boolean;
  /** First 64 characters of the task by default. */
  label?: string;
  /** Milliseconds until the child is stopped. */
  timeoutMs?: number;
  maxTurns?: number;
  maxCostUsd?: number;
  /** True makes the child read-only; false lifts nothing. */
  readOnly?: boolean;
}

/** How a report came, or why there is none. */
export type ReportChannelKind = "tool" | "prompt-json" | "none" | "opted-out";

/** Tokens and US dollars, as the host counted them. */
export interface ChildUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
  /** Assistant messages. */
  turns: number;
}

/** What a child says it did. Written by a child, so untrusted text. */
export interface ChildReport {
  summary: string;
  findings: { what: string; evidence: string }[];
  files_touched: string[];
  /** Added by the host; a usage in the payload is dropped. */
  usage?: Pick<ChildUsage, "input" | "output" | "cost" | "turns">;
}

/** `rejected` covers all that went wrong, refusals before the start included. */
export type DispatchStatus = "fulfilled" | "rejected";

/** What became of one dispatch. Never thrown; optional keys are absent, not undefined. */
export interface DispatchResult {
  status: DispatchStatus;
  /** The child's final answer, or what there was of it. */
  text: string;
  /** False: nothing was spawned. */
  started: boolean;
  /** The agent that was asked for, there or not; `default` without one. */
  agentName: string;
  durationMs: number;
  exitCode?: number;
  signal?: string;
  reportChannel: ReportChannelKind;
  report?: ChildReport;
  usage?: ChildUsage;
  /** End of standard error, at most 64 KiB. */
  stderr?: string;
  errorMessage?: string;
  warnings?: string[];
  readOnlyTier?: "enforced";
}

/** What a dispatch with `background: true` hands back at once. */
export interface DispatchHandle {
  taskId: string;
  label: string;
  status: "running";
}

/** How a child's process ended. */
export interface ChildExit {
  code: number | null;
  signal: string | null;
}

/** A snapshot of a running child, for progress. */
export interface ChildProgress {
  agentName: string;
  turns: number;
  usage: ChildUsage;
  /** Name of the tool that ran last, and whether it still does. */
  tool?: { name: string; running: boolean };
  /** Newest line of the child's answer. */
  lastText: string;
  elapsedMs: number;
}
