/**
 * One part of a run's text, fed piece by piece: keeps the complete text as bytes for the file, and
 * the newest lines, cut, for the model. Work is linear in the text and spread over its arrival.
 */

import { cutLine } from "../base/plain-text.ts";
import { pairBoundary } from "../base/primordials.ts";

const CHUNK_CHARS = 65_536;
/** pi's own bound on lines (its DEFAULT_MAX_LINES); older ones could never be shown. */
export const KEPT_LINES = 2_000;
/** A line longer than this is cut anyway, so no more of it is held. */
const HELD_LINE_CHARS = 1_024;

/** Fed by `add`; a line without its end counts as one. */
export class TextSection {
  readonly #chunks: Buffer[] = [];
  #open = "";
  #lines: string[] = [];
  #partial = "";
  #hasPartial = false;
  #partialCut = false;
  #lineCount = 0;
  #anyCut = false;
  #bytes = 0;

  /** Adds text as it stands; newlines inside end lines. */
  add(text: string): void {
    if (text === "") return;
    this.#open += text;
    if (this.#open.length >= CHUNK_CHARS) this.#seal();
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#extend(text, start, end);
      this.#closeLine();
      start = end + 1;
    }
    if (start < text.length) this.#extend(text, start, text.length);
  }

  /** Ends the last line unless it is ended. */
  endLine(): void {
    if (this.#hasPartial) this.add("\n");
  }

  get isEmpty(): boolean {
    return this.#lineCount === 0 && !this.#hasPartial;
  }

  /** Lines so far, a last one without newline included. */
  get lineCount(): number {
    return this.#lineCount + (this.#hasPartial ? 1 : 0);
  }

  /** Some line was longer than the model is shown. */
  get anyCut(): boolean {
    return this.#anyCut || this.#partialCut || this.#partial.length > cutLine(this.#partial).length;
  }

  /** The newest lines, each cut, at most `count`. */
  newest(count: number): string[] {
    const lines = this.#hasPartial ? [...this.#lines, cutLine(this.#partial)] : this.#lines;
    return lines.slice(-count);
  }

  /** The complete text. */
  bytes(): Buffer[] {
    this.#seal();
    return this.#chunks;
  }

  /** The first characters of the text, at most `max`, without blanks at the end. */
  head(max: number): string {
    const first = this.#chunks[0]?.subarray(0, max * 3).toString("utf8") ?? this.#open;
    return first.slice(0, pairBoundary(first, Math.min(max, first.length))).trimEnd();
  }

  /** The last `max` bytes as text, and whether there is more before them. */
  tail(max: number): { text: string; truncated: boolean } {
    this.#seal();
    const parts: Buffer[] = [];
    let size = 0;
    for (let index = this.#chunks.length - 1; index >= 0 && size < max; index -= 1) {
      const chunk = this.#chunks[index] as Buffer;
      parts.unshift(chunk.subarray(Math.max(0, chunk.length - (max - size))));
      size += chunk.length;
    }
    // A cut inside a character leaves continuation bytes at the front.
    const bytes = Buffer.concat(parts);
    let start = 0;
    if (this.#bytes > max)
      while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
    return { text: bytes.toString("utf8", start), truncated: this.#bytes > max };
  }

  #extend(text: string, start: number, end: number): void {
    this.#hasPartial = true;
    const room = HELD_LINE_CHARS - this.#partial.length;
    if (end - start > room) this.#partialCut = true;
    if (room > 0) this.#partial += text.slice(start, Math.min(end, start + room));
  }

  #closeLine(): void {
    const line = cutLine(this.#partial);
    if (this.#partialCut || line !== this.#partial) this.#anyCut = true;
    this.#lines.push(line);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines = this.#lines.slice(-KEPT_LINES);
    this.#lineCount += 1;
    this.#partial = "";
    this.#hasPartial = false;
    this.#partialCut = false;
  }

  #seal(): void {
    if (this.#open === "") return;
    const chunk = Buffer.from(this.#open, "utf8");
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    this.#open = "";
  }
}
