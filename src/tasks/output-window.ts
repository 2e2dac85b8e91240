/** Reading a part of an output file, and no more than that part. Offsets are bytes. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

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
  maxBytes: number;
}

/** Longest character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;
const OPEN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

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
    if (!stats.isFile()) return { ok: false, problem: `the output ${path} is no regular file` };
    return wish.since === undefined
      ? readEnd(descriptor, stats.size, wish.maxBytes)
      : readFrom(descriptor, stats.size, { since: wish.since, maxBytes: wish.maxBytes });
  } catch (error) {
    return { ok: false, problem: `the output ${path} cannot be read (${String((error as Error).message)})` };
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

function readFrom(descriptor: number, size: number, wish: { since: number; maxBytes: number }): OutputPart {
  const { since, maxBytes } = wish;
  if (since > size) return beyond(since, size);
  // One character more before and behind shows whether an edge lies inside one.
  const from = Math.max(0, since - (MAX_CHARACTER_BYTES - 1));
  const bytes = read(descriptor, from, Math.min(size, since + maxBytes + MAX_CHARACTER_BYTES) - from);
  const start = since - from;
  if (isInside(bytes, start)) {
    const boundary = from + boundaryBefore(bytes, start);
    const after = from + boundaryAfter(bytes, start);
    const near = since - boundary <= after - since ? boundary : after;
    return {
      ok: false,
      problem: `sinceBytes ${since} lies inside a character; the nearest boundary is ${near}`,
    };
  }
  const wanted = Math.min(start + maxBytes, bytes.length, size - from);
  let end = boundaryBefore(bytes, wanted);
  // A window smaller than its first character still moves on.
  if (end <= start && wanted > start) end = boundaryAfter(bytes, start + 1);
  return {
    ok: true,
    text: bytes.toString("utf8", start, end),
    start: since,
    end: from + end,
    size,
  };
}

function readEnd(descriptor: number, size: number, maxBytes: number): OutputPart {
  const from = Math.max(0, size - maxBytes);
  const bytes = read(descriptor, from, size - from);
  const start = from === 0 ? 0 : boundaryAfter(bytes, 0);
  return {
    ok: true,
    text: bytes.toString("utf8", start),
    start: from + start,
    end: from + bytes.length,
    size,
  };
}

function read(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Does `at` lie behind the first byte of a character and before its last? Bytes that are no UTF-8 have no inside. */
function isInside(bytes: Buffer, at: number): boolean {
  return boundaryBefore(bytes, at) !== at;
}

/** The nearest start of a character at or before `at`. */
function boundaryBefore(bytes: Buffer, at: number): number {
  if (!isContinuation(bytes[at])) {
    // At the end of what was read a character may be unfinished.
    return at < bytes.length ? at : at - unfinishedAt(bytes, at);
  }
  let start = at;
  while (start > 0 && at - start < MAX_CHARACTER_BYTES && isContinuation(bytes[start])) start -= 1;
  return start + lengthOf(bytes[start]) > at ? start : at;
}

/** The nearest start of a character at or after `at`. */
function boundaryAfter(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && end - at < MAX_CHARACTER_BYTES && isContinuation(bytes[end])) end += 1;
  return end;
}

/** How many bytes before `end` belong to a character that goes on behind it. */
function unfinishedAt(bytes: Buffer, end: number): number {
  for (let back = 1; back < MAX_CHARACTER_BYTES && back <= end; back += 1) {
    const byte = bytes[end - back];
    if (isContinuation(byte)) continue;
    return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

/** Bytes of the character that begins with `byte`. */
function lengthOf(byte: number | undefined): number {
  if (byte === undefined || byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
