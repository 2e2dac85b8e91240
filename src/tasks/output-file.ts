/**
 * The output of one running task on disk, appended as it comes and bounded. What the disk refuses is kept and
 * tried again with the next text and at the end; what does not fit meanwhile is counted and told.
 */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText } from "../base/error-text.ts";
import { makePrivateFolder } from "../base/private-file.ts";

/** Most bytes of one output. */
const MAX_OUTPUT_BYTES = 67_108_864;
/** Most bytes kept in memory while the disk refuses. */
const MAX_HELD_BYTES = 1_048_576;
/** Most bytes of the preview. */
export const PREVIEW_BYTES = 2_048;
/** A character cut at the front takes up to three bytes of it along. */
const KEPT_TAIL_BYTES = PREVIEW_BYTES + 3;

const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

export class OutputFile {
  readonly #path: string;
  readonly #onAppended: () => void;
  readonly #maxBytes: number;
  #file: FileHandle | undefined;
  #held: Buffer[] = [];
  #tail = Buffer.alloc(0);
  #writing: Promise<void> = Promise.resolve();
  #lostBytes = 0;
  #taken = 0;
  #writeProblem: string | undefined;
  /** Bytes on disk. */
  bytes = 0;

  constructor(path: string, onAppended: () => void = () => undefined, maxBytes = MAX_OUTPUT_BYTES) {
    this.#path = path;
    this.#onAppended = onAppended;
    this.#maxBytes = maxBytes;
  }

  /** The whole output when it has at most `PREVIEW_BYTES`, else its end, from a whole character on. */
  get preview(): string {
    return wholeCharacters(this.#tail.subarray(-PREVIEW_BYTES)).toString("utf8");
  }

  /** Sentences about what is missing on disk. */
  get warnings(): string[] {
    return [
      ...(this.#writeProblem === undefined ? [] : [`output could not be written: ${this.#writeProblem}`]),
      ...(this.#lostBytes > 0 ? [`${this.#lostBytes} bytes of output were left out`] : []),
    ];
  }

  /** Nothing was taken yet. */
  get isEmpty(): boolean {
    return this.#taken === 0;
  }

  /** Makes the file. Rejects when the disk refuses. */
  async open(): Promise<void> {
    await makePrivateFolder(dirname(this.#path));
    this.#file = await open(this.#path, APPEND, 0o600);
  }

  /** Takes text. Never throws; writing goes on behind it. */
  append(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    const room = this.#maxBytes - this.#taken;
    const kept = bytes.length <= room ? bytes : withoutHalfCharacter(bytes.subarray(0, Math.max(0, room)));
    this.#lostBytes += bytes.length - kept.length;
    if (kept.length === 0) return;
    this.#taken += kept.length;
    this.#tail = Buffer.concat([this.#tail, kept.subarray(-KEPT_TAIL_BYTES)]).subarray(-KEPT_TAIL_BYTES);
    this.#held.push(kept);
    this.#writing = this.#writing.then(() => this.#flush());
  }

  /** Resolves when everything is on disk, or was tried once more. */
  async close(): Promise<void> {
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
      if (!this.#file) await this.open();
      await this.#write(batch);
      this.#writeProblem = undefined;
      this.#onAppended();
    } catch (error) {
      this.#writeProblem = errorText(error);
      const left = batch.subarray(this.bytes - before);
      const kept =
        left.length <= MAX_HELD_BYTES ? left : withoutHalfCharacter(left.subarray(0, MAX_HELD_BYTES));
      this.#lostBytes += left.length - kept.length;
      this.#held.unshift(kept);
    }
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

/** Bytes from the first whole character on. */
function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && start < 4 && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

/** Bytes without the beginning of a character whose rest is missing. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  let start = bytes.length;
  while (start > 0 && ((bytes[start - 1] as number) & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start - 1];
  if (start === 0 || lead === undefined || lead < 0x80) return bytes;
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return bytes.length - (start - 1) < wanted ? bytes.subarray(0, start - 1) : bytes;
}
