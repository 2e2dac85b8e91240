/**
 * Cuts the bytes of a child's standard output into lines. Only LF ends a line: pi leaves U+2028 and the like inside
 * JSON strings. Each byte is copied at most twice, whatever the borders of the chunks. A line that is
 * too long is let go of as soon as that shows, so memory stays within its limit.
 */

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.of(0xef, 0xbb, 0xbf);
const DEFAULT_MAX_LINE_BYTES = 32 * 1_048_576;
/** The first block is kept for the next line; blocks double up to the largest. */
const FIRST_BLOCK_BYTES = 65_536;
const LARGEST_BLOCK_BYTES = 1_048_576;

/** Where lines go. */
export interface LineReaderOptions {
  /** Longest line that is handed over, in bytes before its LF. Default 32 MiB. */
  maxLineBytes?: number;
  /** A line without its LF or CR LF; what is no UTF-8 in it is replaced by U+FFFD. */
  onLine(line: string): void;
  /** A line was left out. `bytes` is its whole length. */
  onSkipped(reason: "too-long", bytes: number): void;
}

/** Fed chunks by `push`; `end` hands over what is left. */
export class LineReader {
  readonly #maxLineBytes: number;
  readonly #options: LineReaderOptions;
  #blocks: Buffer[] = [];
  /** Bytes in the last block; those before it are full. */
  #lastBytes = 0;
  /** Length so far of the line that earlier chunks began, whether it is held or too long. */
  #openBytes = 0;
  #isFirst = true;
  #ended = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  }

  /** Takes the next bytes; the chunk may be reused afterwards. */
  push(chunk: Buffer): void {
    if (this.#ended) return;
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      if (this.#openBytes === 0) this.#finish(chunk.subarray(start, end), true);
      else this.#finishOpen(chunk.subarray(start, end), true);
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** Hands over a last line without LF. Later chunks are ignored. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#openBytes > 0) this.#finishOpen(Buffer.alloc(0), false);
    this.#blocks = [];
  }

  #finishOpen(rest: Buffer, terminated: boolean): void {
    this.#hold(rest);
    const bytes = this.#openBytes;
    const line = bytes > this.#maxLineBytes ? undefined : this.#held();
    this.#blocks.length = Math.min(this.#blocks.length, 1);
    this.#lastBytes = 0;
    this.#openBytes = 0;
    if (line) this.#finish(line, terminated);
    else this.#skip(bytes);
  }

  #finish(line: Buffer, terminated: boolean): void {
    if (line.length > this.#maxLineBytes) {
      this.#skip(line.length);
      return;
    }
    const start = this.#isFirst && line.subarray(0, 3).equals(BOM) ? 3 : 0;
    this.#isFirst = false;
    const hasCr = terminated && line.length > start && line[line.length - 1] === CR;
    this.#options.onLine(line.toString("utf8", start, hasCr ? line.length - 1 : line.length));
  }

  #skip(bytes: number): void {
    this.#isFirst = false;
    this.#options.onSkipped("too-long", bytes);
  }

  #hold(bytes: Buffer): void {
    this.#openBytes += bytes.length;
    if (this.#openBytes > this.#maxLineBytes) {
      for (const block of this.#blocks) release(block);
      this.#blocks = [];
      return;
    }
    for (let from = 0; from < bytes.length;) {
      let block = this.#blocks.at(-1);
      if (!block || this.#lastBytes === block.length) {
        const size = block ? Math.min(block.length * 2, LARGEST_BLOCK_BYTES) : FIRST_BLOCK_BYTES;
        block = Buffer.allocUnsafeSlow(size);
        this.#blocks.push(block);
        this.#lastBytes = 0;
      }
      const copied = bytes.copy(block, this.#lastBytes, from);
      this.#lastBytes += copied;
      from += copied;
    }
  }

  #held(): Buffer {
    const [first] = this.#blocks;
    if (!first) return Buffer.alloc(0);
    if (this.#blocks.length === 1) return first.subarray(0, this.#lastBytes);
    return Buffer.concat(this.#blocks, this.#openBytes);
  }
}

/** Frees bytes at once that own their memory and are read no more: the collector lags behind a child that prints much. */
export function release(bytes: Buffer): void {
  if (bytes.length === bytes.buffer.byteLength) (bytes.buffer as ArrayBuffer).transfer(0);
}
