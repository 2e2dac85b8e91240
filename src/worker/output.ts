/** What a program prints, within one byte budget, and the frames that carry it. */

import { cleanText } from "../base/plain-text.ts";
import { pairBoundary } from "../base/primordials.ts";
import { utf8Length } from "../base/utf8-size.ts";
import type { Channel } from "./channel.ts";
import type { LogLevelKind } from "./protocol.ts";

const MAX_PIECE = 65_536;
const MAX_WARNINGS = 50;
const MAX_PHASES = 1_000;

/** Thrown through the program when it printed more than it may. */
export class OutputLimitError extends Error {
  readonly #mark = true;

  /** Asks for the private field: `instanceof` would run the trap of a proxy. */
  static is(thrown: unknown): thrown is OutputLimitError {
    return typeof thrown === "object" && thrown !== null && #mark in thrown && thrown.#mark;
  }

  constructor(maxBytes: number) {
    super(`the program's logs, narration and value are over ${maxBytes} bytes (maxOutputBytes)`);
    this.name = "OutputLimitError";
  }
}

/** The output of one run; `onLimit` hears when it is over `maxBytes`, and nothing is sent from then on. */
export class Output {
  readonly #channel: Channel;
  readonly #maxBytes: number;
  readonly #onLimit: (error: OutputLimitError) => void;
  readonly #warnings: string[] = [];
  #moreWarnings = 0;
  #bytes = 0;
  #phases = 0;
  #over = false;

  constructor(channel: Channel, maxBytes: number, onLimit: (error: OutputLimitError) => void) {
    this.#channel = channel;
    this.#maxBytes = maxBytes;
    this.#onLimit = onLimit;
  }

  /** One console entry, cleaned already; may hold several lines. */
  log(level: LogLevelKind, text: string): void {
    if (!this.#spend(text)) return;
    if (text.length <= MAX_PIECE) this.#channel.post({ kind: "log", level, text });
    else
      for (const [piece, more] of pieces(text)) this.#channel.post({ kind: "log", level, text: piece, more });
  }

  narrate(text: string): void {
    const clean = cleanText(text);
    if (!this.#spend(clean)) return;
    for (const [piece, more] of pieces(clean)) this.#channel.post({ kind: "narration", text: piece, more });
  }

  phase(title: string): void {
    const clean = cleanText(title).replaceAll("\n", " ");
    this.#phases += 1;
    if (this.#phases === MAX_PHASES + 1) this.warn(`only the first ${MAX_PHASES} phases are kept`);
    if (this.#phases <= MAX_PHASES && this.#spend(clean)) this.#channel.post({ kind: "phase", title: clean });
  }

  /** The value's text, piece by piece. Throws `OutputLimitError` when it is too long. */
  value(texts: Iterable<string>): void {
    for (const text of texts) {
      if (!this.#spend(text)) throw new OutputLimitError(this.#maxBytes);
      this.#channel.post({ kind: "value", text });
    }
  }

  /** The same where somebody else sends the text: `send` is told how many bytes it may take and returns how many it does. */
  sentValue(send: (maxBytes: number) => number): void {
    this.#bytes += send(this.#maxBytes - this.#bytes);
    if (this.#bytes > this.#maxBytes) throw new OutputLimitError(this.#maxBytes);
  }

  /** Keeps a warning for the end of the run; past the first fifty they are only counted. */
  warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings[this.#warnings.length] = text;
    else this.#moreWarnings += 1;
  }

  get warnings(): string[] {
    const more = this.#moreWarnings;
    return more > 0 ? [...this.#warnings, `${more} more warnings were left out`] : [...this.#warnings];
  }

  /** Each entry costs a byte beside its text: an endless loop over empty ones must end, too. */
  #spend(text: string): boolean {
    if (this.#over) return false;
    this.#bytes += utf8Length(text) + 1;
    if (this.#bytes <= this.#maxBytes) return true;
    this.#over = true;
    this.#onLimit(new OutputLimitError(this.#maxBytes));
    return false;
  }
}

function* pieces(text: string): Generator<[piece: string, more: boolean]> {
  let start = 0;
  do {
    const end = pairBoundary(text, Math.min(start + MAX_PIECE, text.length));
    yield [text.slice(start, end), end < text.length];
    start = end;
  } while (start < text.length);
}
