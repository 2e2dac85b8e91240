/**
 * The calls of one run on the host's side: who runs, who waits for a slot, what each came to.
 * `cancelAll` is its end; nothing is answered after it.
 */

import { errorText } from "../base/error-text.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";
import { Slots } from "../base/slots.ts";
import type { CallReply, Json } from "../worker/protocol.ts";
import { ImageShelf } from "./images.ts";
import type { Binding, SubCallRecord } from "./outcome.ts";
import { failedReply } from "./tool-reply.ts";

const KEPT_RECORDS = 200;
/** Running and failed calls among them that newer ones do not push out. */
const KEPT_FAILED = 100;
const PREVIEW_CHARS = 120;
/** The argument that says most about a call. */
const SUBJECTS = ["path", "command", "pattern"];
const MAX_WAIT_MS = 2 ** 31 - 1;

/** What the board needs of its run. */
export interface CallBoardOptions {
  bindings: readonly Binding[];
  maxParallel: number;
  /** Calls a worker may have open at once; more breaks the protocol. */
  maxOpen: number;
  elapsedMs: () => number;
  reply: (id: number, reply: CallReply) => void;
  onChange: () => void;
  /** A call cut its own result, so the program saw a part. */
  onWarning: (warning: string) => void;
}

interface OpenCall {
  record: SubCallRecord;
  controller: AbortController;
  countsTime: boolean;
}

/** The calls of one run; every one ends in exactly one record. */
export class CallBoard {
  readonly images = new ImageShelf();
  readonly #options: CallBoardOptions;
  readonly #bindings: Map<string, Binding>;
  readonly #slots: Slots;
  readonly #open = new Map<number, OpenCall>();
  readonly #cutBy = new Map<string, number>();
  #closed: SubCallRecord[] = [];
  #lastId = 0;
  #total = 0;
  #failed = 0;
  #ended = false;

  constructor(options: CallBoardOptions) {
    this.#options = options;
    this.#bindings = new Map(options.bindings.map((binding) => [binding.name, binding]));
    this.#slots = new Slots(options.maxParallel);
  }

  get counts(): { total: number; failed: number } {
    return { total: this.#total, failed: this.#failed };
  }

  /** True while something is open and all of it keeps its own time. */
  get waitsForChildrenOnly(): boolean {
    return this.#open.size > 0 && [...this.#open.values()].every((call) => !call.countsTime);
  }

  /** Copies of records, oldest first: running and failed ones before the newest of the others. */
  records(): SubCallRecord[] {
    const open = [...this.#open.values()].map((call) => call.record);
    return newest([...this.#closed, ...open], KEPT_RECORDS)
      .toSorted((a, b) => a.id - b.id)
      .map((record) => ({ ...record }));
  }

  /** Takes a call of the worker. Returns what is wrong with it as a frame, or undefined. */
  accept(id: number, name: string, args: Json): string | undefined {
    const ofId = this.takeId(id);
    if (ofId) return ofId;
    if (this.#open.size >= this.#options.maxOpen)
      return `more than ${this.#options.maxOpen} calls were open (maxPendingCalls)`;
    this.#total += 1;
    const binding = this.#bindings.get(name);
    const record: SubCallRecord = {
      id,
      name: cutLine(cleanText(name), PREVIEW_CHARS),
      args: previewOf(binding, args),
      status: "queued",
      startedMs: this.#options.elapsedMs(),
    };
    const call: OpenCall = {
      record,
      controller: new AbortController(),
      countsTime: binding?.countsTime !== false,
    };
    this.#open.set(id, call);
    this.#options.onChange();
    if (binding) void this.#execute(call, binding, args);
    else this.#settle(call, failedReply(`no binding named "${record.name}" in this run`));
    return undefined;
  }

  /** Notes the id of a frame that wants an answer. Returns what is wrong with it, or undefined. */
  takeId(id: number): string | undefined {
    if (id <= this.#lastId) return `call id ${id} came twice or out of order`;
    this.#lastId = id;
    return undefined;
  }

  /** Cancels every open call; each is answered with `reason` when `answer` is set. */
  cancelAll(reason: string, answer: boolean): void {
    for (const call of [...this.#open.values()]) {
      call.record.status = "canceled";
      call.controller.abort(new Error(reason));
      if (answer) this.#settle(call, failedReply(reason));
      else this.#close(call);
    }
    if (!answer) this.#ended = true;
    this.#options.onChange();
  }

  async #execute(call: OpenCall, binding: Binding, args: Json): Promise<void> {
    const { record, controller } = call;
    let release: () => void = () => undefined;
    try {
      if (call.countsTime)
        release = this.#slots.tryAcquire() ?? (await this.#slots.acquire(MAX_WAIT_MS, controller.signal));
      record.status = "running";
      this.#options.onChange();
      const reply = await binding.call(args, {
        signal: controller.signal,
        onUpdate: (text) => this.#note(call, text),
      });
      this.#settle(call, reply);
    } catch (error) {
      this.#settle(call, failedReply(errorText(error)));
    } finally {
      release();
    }
  }

  #note({ record }: OpenCall, text: string): void {
    const line = text.trimEnd().split("\n").at(-1) ?? "";
    if (line) record.partial = cutLine(cleanText(line), PREVIEW_CHARS);
    this.#options.onChange();
  }

  #settle(call: OpenCall, reply: CallReply): void {
    const { record } = call;
    if (this.#ended || !this.#open.has(record.id)) return;
    const problem = reply.ok ? ("raw" in reply ? reply.failed : undefined) : reply.failure.message;
    if (record.status !== "canceled") record.status = problem === undefined ? "ok" : "error";
    if (problem !== undefined)
      record.error = cutLine(cleanText(problem).replaceAll("\n", " "), PREVIEW_CHARS * 2);
    if (reply.ok && "raw" in reply && reply.warning) this.#options.onWarning(reply.warning);
    if (reply.ok && "value" in reply) {
      this.images.add(record.id, reply.value.content);
      this.#noteCut(record.name, reply.value.details);
    }
    this.#close(call);
    this.#options.reply(record.id, reply);
    this.#options.onChange();
  }

  #close({ record }: OpenCall): void {
    this.#open.delete(record.id);
    delete record.partial;
    record.durationMs = this.#options.elapsedMs() - record.startedMs;
    if (record.status !== "ok") this.#failed += 1;
    this.#closed.push(record);
    if (this.#closed.length > 2 * KEPT_RECORDS) this.#closed = newest(this.#closed, KEPT_RECORDS);
  }

  /** One warning a tool, with a count at the end of the run. */
  #noteCut(name: string, details: Json): void {
    const truncation =
      typeof details === "object" && details !== null && !Array.isArray(details)
        ? details["truncation"]
        : undefined;
    const isCut =
      typeof truncation === "object" &&
      truncation !== null &&
      !Array.isArray(truncation) &&
      truncation["truncated"] !== false;
    if (!isCut) return;
    const before = this.#cutBy.get(name) ?? 0;
    this.#cutBy.set(name, before + 1);
    if (before === 0)
      this.#options.onWarning(
        `${name} cut its own result, so the program saw only a part of it (details.truncation tells which)`,
      );
  }
}

/** The newest `count` records in order: those that run, then up to 100 that failed, then any. */
function newest(records: readonly SubCallRecord[], count: number): SubCallRecord[] {
  if (records.length <= count) return [...records];
  const running = records.filter(({ status }) => status === "running");
  const failed = records.filter(({ status }) => status === "error" || status === "canceled");
  const kept = new Set([...failed.slice(-KEPT_FAILED), ...running].slice(-count));
  for (let index = records.length - 1; index >= 0 && kept.size < count; index -= 1)
    kept.add(records[index] as SubCallRecord);
  return records.filter((record) => kept.has(record));
}

function previewOf(binding: Binding | undefined, args: Json): string {
  try {
    const shown = binding?.preview?.(args) ?? subjectOf(args) ?? previewArgs(args);
    return cutLine(cleanText(shown.slice(0, PREVIEW_CHARS * 2)).replaceAll("\n", " "), PREVIEW_CHARS);
  } catch {
    // A binding of somebody else's; the call itself goes on.
    return "";
  }
}

function subjectOf(args: Json): string | undefined {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  for (const key of SUBJECTS) {
    const value = args[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** Short one-line text of the arguments; whole strings are not walked. */
function previewArgs(args: Json): string {
  if (typeof args !== "object" || args === null) return String(args);
  const parts: string[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(args)) {
    const shown =
      typeof value === "string"
        ? value.slice(0, PREVIEW_CHARS)
        : typeof value === "object" && value !== null
          ? Array.isArray(value)
            ? `Array(${value.length})`
            : "{…}"
          : String(value);
    parts.push(`${key}: ${shown}`);
    size += key.length + shown.length;
    if (size > PREVIEW_CHARS) break;
  }
  return parts.join(", ");
}
