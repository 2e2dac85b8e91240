/**
 * The frames that cross between pi and the worker of one run, and the guards that let only
 * well-formed ones through. Nothing here imports anything: both sides read this file.
 *
 * A frame is plain JSON. The process vessel sends it with its length ahead over two pipes, the thread
 * vessel as a text over its port. Whatever a worker sends is untrusted: a program of the node
 * engine is full Node and can write to the pipe itself.
 */

/** Version of these frames. A worker that announces another one was built from another release. */
export const PROTOCOL_VERSION = 1;

/** Levels of console lines. `log` and `info` lines carry no prefix in the text. */
export type LogLevelKind = "log" | "info" | "warn" | "error" | "debug";

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One block of a tool result, as pi defines it. Unknown block types pass through untouched. */
export interface ContentBlock {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
}

/** What the program gets from a call that succeeded. */
export interface CallValue {
  content: ContentBlock[];
  details: Json;
  structuredContent?: Json;
}

/** What a failed call rejects with. */
export interface CallFailure {
  message: string;
  content: ContentBlock[];
  details: Json;
  structuredContent?: Json;
}

/** A failure that no tool produced. */
export const plainFailure = (message: string): CallFailure => ({
  message,
  content: [{ type: "text", text: message }],
  details: null,
});

/**
 * Answer to one call. A dispatch answers with `raw`, which the program gets as it is; `failed` then says for
 * the record why it came to nothing, and `warning` is one of the run.
 */
export type CallReply =
  | { ok: true; value: CallValue }
  | { ok: true; raw: Json; failed?: string; warning?: string }
  | { ok: false; failure: CallFailure };

/** What the program is told about itself, once, before it starts. */
export interface RunFrame {
  kind: "run";
  /** JavaScript body of the async function; types are already erased, lines are those of the source. */
  code: string;
  /** The text as written, for excerpts of failing lines. */
  source: string;
  /** Folder that relative and bare imports resolve from. */
  cwd: string;
  /** Which globals the program gets: `workflow` adds `args log phase parallel pipeline`. */
  tool: "run" | "workflow";
  /** The program is one function expression: evaluate it, then call it. */
  loneFunction: boolean;
  args: Json;
  /** Declared phases of a workflow, in order; empty = no plan. */
  phases: string[];
  /** Names of every binding of this run. */
  bindings: string[];
  /** Values kept by earlier programs of this branch, as JSON texts by key. */
  store: Record<string, string>;
  limits: WorkerLimits;
}

/** The limits a worker applies by itself. Sizes in bytes. */
export interface WorkerLimits {
  maxPendingCalls: number;
  maxItemsPerCall: number;
  maxOutputBytes: number;
  maxMessageBytes: number;
  /** Largest JSON text of the returned value that is sent along as a value. */
  maxValueBytes: number;
}

/** Frames from pi to the worker. */
export type HostFrame =
  | RunFrame
  | { kind: "reply"; id: number; reply: CallReply }
  | { kind: "abort"; reason: string };

/** How a program ended, as its own worker saw it. */
export type WorkerErrorKind = "exception" | "output-limit" | "out-of-memory";

/** What a failed program tells of its failure. */
export interface WorkerError {
  kind: WorkerErrorKind;
  message: string;
  /** Stack of the program's own frames and an excerpt of the failing line; may be empty. */
  excerpt: string;
}

/** Last frame of a worker. The value's text went ahead of it in `value` frames. */
export interface DoneFrame {
  kind: "done";
  error?: WorkerError;
  /** JSON text of the JSON-safe part of the value; absent when undefined or too large. */
  json?: string;
  /** The value's JSON text was over `maxValueBytes`. */
  jsonOmitted: boolean;
  warnings: string[];
  /** Changed store keys as JSON texts; null = removed. */
  store: Record<string, string | null>;
}

/** One console entry or narration line, or a part of a long one: `more` says that the next frame goes on with it. */
export type TextFrame =
  | { kind: "log"; level: LogLevelKind; text: string; more?: boolean }
  | { kind: "narration"; text: string; more?: boolean };

/** Frames from the worker to pi. */
export type WorkerFrame =
  | { kind: "ready"; version: number }
  | { kind: "call"; id: number; name: string; args: Json }
  | { kind: "find"; id: number; what: "search" | "describe"; query: string }
  | TextFrame
  | { kind: "phase"; title: string }
  | { kind: "value"; text: string }
  | DoneFrame;

const LEVELS: readonly string[] = ["log", "info", "warn", "error", "debug"];
const ERROR_KINDS: readonly string[] = [
  "exception",
  "output-limit",
  "out-of-memory",
] satisfies WorkerErrorKind[];
const isText = (value: unknown): value is string => typeof value === "string";
const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isDone(frame: Record<string, unknown>): boolean {
  const { error, json, warnings, store } = frame;
  if (error !== undefined) {
    if (!isPlain(error) || !isText(error["message"]) || !isText(error["excerpt"])) return false;
    if (!ERROR_KINDS.includes(error["kind"] as string)) return false;
  }
  if (json !== undefined && !isText(json)) return false;
  if (typeof frame["jsonOmitted"] !== "boolean") return false;
  if (!Array.isArray(warnings) || !warnings.every(isText)) return false;
  return isPlain(store) && Object.values(store).every((text) => text === null || isText(text));
}

const CHECKS: Record<WorkerFrame["kind"], (frame: Record<string, unknown>) => boolean> = {
  ready: (frame) => typeof frame["version"] === "number",
  call: (frame) => isId(frame["id"]) && isText(frame["name"]) && "args" in frame,
  find: (frame) =>
    isId(frame["id"]) &&
    isText(frame["query"]) &&
    (frame["what"] === "search" || frame["what"] === "describe"),
  log: (frame) => isText(frame["text"]) && LEVELS.includes(frame["level"] as string),
  narration: (frame) => isText(frame["text"]),
  phase: (frame) => isText(frame["title"]),
  value: (frame) => isText(frame["text"]),
  done: isDone,
};

/** The frame when it is one of ours in shape, else undefined. Sizes and ids are the reader's to check. */
export function asWorkerFrame(value: unknown): WorkerFrame | undefined {
  if (!isPlain(value) || !isText(value["kind"])) return undefined;
  if (!Object.hasOwn(CHECKS, value["kind"])) return undefined;
  return CHECKS[value["kind"] as WorkerFrame["kind"]](value) ? (value as unknown as WorkerFrame) : undefined;
}
