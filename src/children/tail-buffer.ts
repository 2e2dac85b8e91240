/** The end of a byte stream of any length. */

/** Keeps `maxBytes` and at most one chunk more. */
export class TailBuffer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    let first = this.#chunks[0];
    while (first && this.#held - first.length >= this.#maxBytes) {
      this.#held -= first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
  }

  /** The last bytes as text; a character cut at the front is left out. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    let start = 0;
    if (this.#held > this.#maxBytes) {
      while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
    }
    return bytes.toString("utf8", start);
  }
}
