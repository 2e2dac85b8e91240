/**
 * The output of one running task on disk, appended as it comes and bounded. What the disk refuses is kept and
 * tried again after a while, with the next text and at the end; what does not fit meanwhile is counted and told.
 */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText } from "../base/error-text.ts";
import { makePrivateFolder } from "../base/private-file.ts";
import { openBytes } from "./utf8-units.ts";

/** Most bytes of one output. */
const MAX_OUTPUT_BYTES = 67_108_864;
/** Most bytes kept in memory while the disk refuses. */
const MAX_HELD_BYTES = 1_048_576;
const RETRY_MS = [1_000, 5_000, 30_000];
/** Most bytes of the preview. */
export const PREVIEW_BYTES = 2_048;

/** Opening a pipe for writing without `O_NONBLOCK` waits for a reader. */
const APPEND =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

export interface OutputFileOptions {
  /** Called when more is on disk. */
  onAppended?: () => void;
  /** Called with a sentence for the first refusal in a row. */
  onProblem?: (problem: string) => void;
  /** Default: 64 MiB. */
  maxBytes?: number;
}

/** Callbacks must not throw. */
export class OutputFile {
  readonly #path: string;
  readonly #options: OutputFileOptions;
  readonly #maxBytes: number;
  #file: FileHandle | undefined;
  #held: Buffer[] = [];
  #tail = Buffer.alloc(0);
  #writing: Promise<void> = Promise.resolve();
  #lostBytes = 0;
  #taken = 0;
  /** The bound was met: what is shorter than the text that met it must not follow. */
  #full = false;
  #writeProblem: string | undefined;
  /** In a row. */
  #refusals = 0;
  #retry: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** Bytes on disk. */
  bytes = 0;

  constructor(path: string, options: OutputFileOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_OUTPUT_BYTES;
  }

  /** The whole output when it has at most `PREVIEW_BYTES`, else its end, from a whole character on. */
  get preview(): string {
    return this.#tail.toString("utf8", firstWhole(this.#tail));
  }

  /** Sentences about what is missing on disk. */
  get warnings(): string[] {
    return [
      ...(this.#writeProblem === undefined ? [] : [this.#writeProblem]),
      ...(this.#lostBytes > 0 ? [`${this.#lostBytes} bytes of output were left out`] : []),
    ];
  }

  /** Nothing was taken yet. */
  get isEmpty(): boolean {
    return this.#taken === 0;
  }

  async #open(): Promise<void> {
    await makePrivateFolder(dirname(this.#path));
    const file = await open(this.#path, APPEND, 0o600);
    if ((await file.stat()).isFile()) this.#file = file;
    else {
      await file.close();
      throw new Error(`${this.#path} is no regular file`);
    }
  }

  /** Takes text. Never throws; writing goes on behind it. */
  append(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    const room = this.#full ? 0 : this.#maxBytes - this.#taken;
    const kept = bytes.length <= room ? bytes : withoutHalf(bytes.subarray(0, room));
    this.#full ||= kept.length < bytes.length;
    this.#lostBytes += bytes.length - kept.length;
    if (kept.length === 0) return;
    this.#taken += kept.length;
    this.#tail = Buffer.concat([this.#tail, kept.subarray(-PREVIEW_BYTES)]).subarray(-PREVIEW_BYTES);
    this.#held.push(kept);
    this.#flushNext();
  }

  #flushNext(): void {
    this.#writing = this.#writing.then(() => this.#flush());
  }

  /** Resolves when everything is on disk, or was tried once more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#retry);
    await this.#writing;
    await this.#flush();
    for (const { length } of this.#held) this.#lostBytes += length;
    this.#held = [];
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  async #flush(): Promise<void> {
    if (this.#held.length === 0) return;
    const batch = Buffer.concat(this.#held);
    this.#held = [];
    const before = this.bytes;
    try {
      if (!this.#file) await this.#open();
      await this.#write(batch);
      this.#writeProblem = undefined;
      this.#refusals = 0;
    } catch (error) {
      this.#hold(batch.subarray(this.bytes - before));
      this.#refused(`output could not be written: ${errorText(error)}`);
    }
    if (this.bytes > before) this.#options.onAppended?.();
  }

  /** A child that says no more would leave what it said in memory. The timer keeps nothing alive. */
  #refused(problem: string): void {
    this.#writeProblem = problem;
    if (this.#refusals === 0) this.#options.onProblem?.(problem);
    const ms = RETRY_MS[Math.min(this.#refusals, RETRY_MS.length - 1)];
    this.#refusals += 1;
    clearTimeout(this.#retry);
    if (!this.#isClosing) this.#retry = setTimeout(() => this.#flushNext(), ms).unref();
  }

  /** Keeps what the disk refused, in front of what came meanwhile. */
  #hold(left: Buffer): void {
    const kept = left.length <= MAX_HELD_BYTES ? left : withoutHalf(left.subarray(0, MAX_HELD_BYTES));
    this.#lostBytes += left.length - kept.length;
    this.#held.unshift(kept);
  }

  /** A full disk may take a part, which then is on disk and counts. */
  async #write(batch: Buffer): Promise<void> {
    for (let written = 0; written < batch.length;) {
      const step = await this.#file?.write(batch, written, batch.length - written);
      if (!step || step.bytesWritten === 0) throw new Error("the disk took nothing");
      written += step.bytesWritten;
      this.bytes += step.bytesWritten;
    }
  }
}

/** Where the first whole character begins. */
function firstWhole(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

const withoutHalf = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - openBytes(bytes));
