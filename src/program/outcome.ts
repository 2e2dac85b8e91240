/** What one run hands back. Knows neither pi nor the worker. */

import type { CallFailure, CallReply, ContentBlock, Json } from "../worker/protocol.ts";

/** Every way a run can fail (spec 1.7). */
export type RunErrorKind =
  | "compile"
  | "exception"
  | "timeout"
  | "abort"
  | "out-of-memory"
  | "output-limit"
  | "worker-exit"
  | "protocol"
  | "refused";

/** Why a run failed. */
export interface RunError {
  kind: RunErrorKind;
  /** One sentence, or the program's own error message. */
  message: string;
  /** Stack lines of the program and the failing line; may be empty. */
  excerpt: string;
}

/** State of one call a program made. */
export type SubCallStatus = "queued" | "running" | "ok" | "error" | "canceled";

/** One call of a program. Times in milliseconds since the run began. */
export interface SubCallRecord {
  id: number;
  name: string;
  /** Short, plain preview of the arguments. */
  args: string;
  status: SubCallStatus;
  startedMs: number;
  durationMs?: number;
  /** Plain, short text of the failure. */
  error?: string;
  /** Newest line of the tool's own partial output, while it runs. */
  partial?: string;
}

/** What pi was told about a call in flight. */
export interface CallContext {
  signal: AbortSignal;
  /** Hand over a partial result of the tool, as plain text. */
  onUpdate: (text: string) => void;
}

/** One tool a program may call. `call` never rejects; if it does, the program's call fails with the message. */
export interface Binding {
  name: string;
  /** False for a binding that takes no parallel slot and whose time is not the program's (a child). */
  countsTime?: boolean;
  /** What records show of the arguments; without it a path, command or pattern, else all of them, shortened. */
  preview?(args: Json): string;
  call(args: Json, context: CallContext): Promise<CallReply>;
}

/** Outcome of one run. A failed program is an outcome, not a throw. */
export interface PtcRunOutcome {
  ok: boolean;
  error?: RunError;
  /** Text for the model (spec 1.8). */
  text: string;
  /** The text shows a part of what there is; the rest is in the file, where one could be written. */
  truncated?: true;
  fullOutputPath?: string;
  /** JSON-safe part of the returned value; absent when undefined, left out or failed. */
  value?: Json;
  /** The value's JSON was over 1 MiB. */
  valueOmitted: boolean;
  /** Head of the value's text, for rows. */
  valuePreview: string;
  /** Last 64 KiB of the console lines. */
  logs: string;
  logsTruncated: boolean;
  /** Lines of the complete texts; absent when the program never ran. */
  lineCounts?: { logs: number; narrations: number; value: number };
  narrations: string[];
  phases: string[];
  warnings: string[];
  /** 200 at most: failed ones before the newest of the others. */
  subCalls: SubCallRecord[];
  calls: { total: number; failed: number };
  /** Images of successful calls, in call order; empty when the run failed. */
  images: ContentBlock[];
  /** Images the calls produced, attached or not. */
  imageCount: number;
  /** Changed store keys as JSON texts; null = removed. Empty when the run failed. */
  store: Record<string, string | null>;
  durationMs: number;
  /** Time spent waiting for a worker. */
  queuedMs: number;
}

/** A snapshot while a run goes on. */
export interface RunProgress {
  subCalls: readonly SubCallRecord[];
  calls: { total: number; failed: number };
  phases: readonly string[];
  /** Newest lines first to last. */
  narrations: readonly string[];
  logs: readonly string[];
  elapsedMs: number;
}

export type { CallFailure, CallReply, ContentBlock, Json };
