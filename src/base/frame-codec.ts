/**
 * Frames over a byte pipe: four bytes of length, little endian, then JSON in UTF-8.
 * A length is known before its bytes arrive, so an oversized frame is refused without being held.
 */

import { hasTooManyParts, MAX_JSON_PARTS } from "./json-parts.ts";

const HEADER_BYTES = 4;

/** JSON texts of frames as bytes, each with its length ahead. Throws what `Buffer` throws for an impossible size. */
export function encodeFrames(texts: readonly string[]): Buffer {
  let size = 0;
  for (const json of texts) size += HEADER_BYTES + Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const json of texts) {
    const length = bytes.write(json, offset + HEADER_BYTES, "utf8");
    bytes.writeUInt32LE(length, offset);
    offset += HEADER_BYTES + length;
  }
  return bytes;
}

/** Cuts a byte stream into frames. Linear in the bytes, whatever the chunk borders. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #countsParts: boolean;
  readonly #onFrame: (frame: unknown) => void;
  readonly #onProblem: (problem: string) => void;
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = HEADER_BYTES;
  #inHeader = true;
  #broken = false;

  /** `onProblem` is called once; nothing is read after it. With `countsParts` frames of too many values are refused. */
  constructor(
    maxBytes: number,
    onFrame: (frame: unknown) => void,
    onProblem: (problem: string) => void,
    countsParts = false,
  ) {
    this.#maxBytes = maxBytes;
    this.#countsParts = countsParts;
    this.#onFrame = onFrame;
    this.#onProblem = onProblem;
  }

  push(chunk: Buffer): void {
    if (this.#broken) return;
    // No method of arrays: in a worker the program may have patched it.
    this.#chunks[this.#chunks.length] = chunk;
    this.#held += chunk.length;
    if (this.#held < this.#wanted) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#held);
    let offset = 0;
    while (!this.#broken && bytes.length - offset >= this.#wanted) {
      const end = offset + this.#wanted;
      if (this.#inHeader) this.#openFrame(bytes.readUInt32LE(offset));
      else this.#closeFrame(bytes.toString("utf8", offset, end));
      offset = end;
    }
    bytes = bytes.subarray(offset);
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#held = bytes.length;
  }

  #openFrame(length: number): void {
    if (length > this.#maxBytes) {
      this.#fail(`a frame of ${length} bytes is over the limit of ${this.#maxBytes} (maxMessageBytes)`);
      return;
    }
    this.#inHeader = false;
    this.#wanted = length;
  }

  #closeFrame(json: string): void {
    this.#inHeader = true;
    this.#wanted = HEADER_BYTES;
    if (this.#countsParts && hasTooManyParts(json)) {
      this.#fail(`a frame holds more than ${MAX_JSON_PARTS} values`);
      return;
    }
    let frame: unknown;
    try {
      frame = JSON.parse(json);
    } catch {
      // The parser's own message quotes the untrusted text.
      this.#fail("a frame is not JSON");
      return;
    }
    this.#onFrame(frame);
  }

  #fail(problem: string): void {
    this.#broken = true;
    this.#chunks = [];
    this.#onProblem(problem);
  }
}
