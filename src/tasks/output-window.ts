/** Reading a part of an output file, and no more than that part. Offsets are bytes. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../base/error-text.ts";
import { isPlainFolder } from "../base/private-file.ts";
import { MAX_UNIT_BYTES, openBytes, unitAt, unitStart } from "./utf8-units.ts";

/** A part of the output, or a sentence that says what was wrong with what was asked for. */
export type OutputPart =
  | {
      ok: true;
      text: string;
      /** Where `text` begins and ends in the file. */
      start: number;
      end: number;
      /** Size of the file when it was read. */
      size: number;
    }
  | { ok: false; problem: string };

/** What part is wanted: from `since` on, or the end of the file. */
export interface OutputWish {
  since?: number;
  /** At most so many; but a first character that is longer comes whole. */
  maxBytes: number;
  /** Default: no bound. */
  maxLines?: number;
  /** Nothing more will be written: a character that is cut off at the end of the file is not waited for. */
  isOver?: boolean;
}

interface OpenFile {
  descriptor: number;
  size: number;
}

const OPEN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NEWLINE = 10;

/** Reads it. A file that does not exist is an empty one: nothing was written yet. Never throws. */
export function readOutput(path: string, wish: OutputWish): OutputPart {
  let descriptor: number;
  try {
    descriptor = openSync(path, OPEN);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return partOfNothing(wish.since ?? 0);
    return { ok: false, problem: `the output ${path} cannot be read (${code ?? "unknown"})` };
  }
  try {
    const stats = fstatSync(descriptor);
    if (!isPlainFolder(dirname(path)))
      return { ok: false, problem: `the output ${path} lies behind a link, which is not followed` };
    if (!stats.isFile()) return { ok: false, problem: `the output ${path} is no regular file` };
    const file = { descriptor, size: stats.size };
    return wish.since === undefined ? readEnd(file, wish) : readFrom(file, wish, wish.since);
  } catch (error) {
    return { ok: false, problem: `the output ${path} cannot be read (${errorText(error)})` };
  } finally {
    closeSync(descriptor);
  }
}

function partOfNothing(since: number): OutputPart {
  if (since > 0) return beyond(since, 0);
  return { ok: true, text: "", start: 0, end: 0, size: 0 };
}

const beyond = (since: number, size: number): OutputPart => ({
  ok: false,
  problem: `sinceBytes ${since} is beyond the end: the output has ${size} bytes so far`,
});

function readFrom(file: OpenFile, wish: OutputWish, since: number): OutputPart {
  const { size } = file;
  if (since > size) return beyond(since, size);
  if (since === size) return { ok: true, text: "", start: size, end: size, size };
  // One character more before and behind shows whether an edge lies inside one.
  const from = Math.max(0, since - (MAX_UNIT_BYTES - 1));
  const bytes = read(file, from, Math.min(size, since + wish.maxBytes + MAX_UNIT_BYTES) - from);
  const start = since - from;
  if (unitStart(bytes, start) < start)
    return {
      ok: false,
      problem: `sinceBytes ${since} lies inside a character; the nearest boundary is ${from + nearestTo(bytes, start)}`,
    };
  const last = from + bytes.length < size || wish.isOver ? bytes.length : bytes.length - openBytes(bytes);
  let end = unitStart(bytes, Math.min(start + wish.maxBytes, last));
  // A window smaller than its first character still moves on.
  if (end <= start && last > start) end = start + unitAt(bytes, start).length;
  end = afterLines(bytes.subarray(0, end), start, wish.maxLines);
  return { ok: true, text: bytes.toString("utf8", start, end), start: since, end: from + end, size };
}

/** A character that is still being written has no end yet. */
function nearestTo(bytes: Buffer, at: number): number {
  const before = unitStart(bytes, at);
  const { length, open } = unitAt(bytes, before);
  return open || at - before <= before + length - at ? before : before + length;
}

function readEnd(file: OpenFile, { maxBytes, maxLines, isOver }: OutputWish): OutputPart {
  const { size } = file;
  const wanted = Math.max(0, size - maxBytes);
  const from = Math.max(0, wanted - (MAX_UNIT_BYTES - 1));
  const bytes = read(file, from, size - from);
  const end = isOver ? bytes.length : bytes.length - openBytes(bytes);
  const before = unitStart(bytes, wanted - from);
  let start = before < wanted - from ? before + unitAt(bytes, before).length : wanted - from;
  start = Math.max(start, beforeLines(bytes.subarray(0, end), maxLines));
  return {
    ok: true,
    text: bytes.toString("utf8", Math.min(start, end), end),
    start: from + Math.min(start, end),
    end: from + end,
    size,
  };
}

/** The end of the `maxLines`th line from `start` on. */
function afterLines(bytes: Buffer, start: number, maxLines = Infinity): number {
  let end = start;
  for (let lines = 0; lines < maxLines && end < bytes.length; lines += 1) {
    const newline = maxLines === Infinity ? -1 : bytes.indexOf(NEWLINE, end);
    end = newline === -1 ? bytes.length : newline + 1;
  }
  return end;
}

/** Where the last `maxLines` lines begin. */
function beforeLines(bytes: Buffer, maxLines = Infinity): number {
  if (maxLines === Infinity) return 0;
  // A newline at the very end closes the last line and begins none.
  let start = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let lines = 0; lines < maxLines; lines += 1) {
    const newline = start === 0 ? -1 : bytes.lastIndexOf(NEWLINE, start - 1);
    if (newline === -1) return 0;
    start = newline;
  }
  return start + 1;
}

function read({ descriptor }: OpenFile, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
