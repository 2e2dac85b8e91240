/** What a program prints, within one byte budget, and the frames that carry it. */

import { StringDecoder } from "node:string_decoder";
import { cleanText } from "../base/plain-text.ts";
import type { Channel } from "./channel.ts";
import type { LogLevelKind } from "./protocol.ts";

const MAX_PIECE = 65_536;

/** Thrown through the program when it printed more than it may. */
export class OutputLimitError extends Error {
  constructor(maxBytes: number) {
    super(`the program's logs, narration and value are over ${maxBytes} bytes (maxOutputBytes)`);
    this.name = "OutputLimitError";
  }
}

export class Output {
  readonly #channel: Channel;
  readonly #maxBytes: number;
  readonly #onLimit: (error: OutputLimitError) => void;
  readonly warnings: string[] = [];
  #bytes = 0;
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
    if (this.#spend(clean)) this.#channel.post({ kind: "phase", title: clean });
  }

  /** The value's text, piece by piece. Throws `OutputLimitError` when it is too long. */
  value(texts: Iterable<string>): void {
    for (const text of texts) {
      if (!this.#spend(text)) throw new OutputLimitError(this.#maxBytes);
      this.#channel.post({ kind: "value", text });
    }
  }

  #spend(text: string): boolean {
    if (this.#over) return false;
    this.#bytes += text.length <= 1024 ? text.length : Buffer.byteLength(text);
    if (this.#bytes <= this.#maxBytes) return true;
    this.#over = true;
    this.#onLimit(new OutputLimitError(this.#maxBytes));
    return false;
  }
}

function* pieces(text: string): Generator<[piece: string, more: boolean]> {
  let start = 0;
  do {
    let end = Math.min(start + MAX_PIECE, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    yield [text.slice(start, end), end < text.length];
    start = end;
  } while (start < text.length);
}

/** Turns what is written to a stream into console lines; `flush` sends a last line without newline. */
export function lineSink(emit: (line: string) => void): {
  write(chunk: unknown, encoding?: unknown): void;
  flush(): void;
} {
  const decoder = new StringDecoder("utf8");
  let held: string[] = [];
  const flush = (): void => {
    const line = held.join("");
    held = [];
    if (line) emit(cleanText(line));
  };
  return {
    write: (chunk, encoding) => {
      const isUtf8 = encoding === undefined || encoding === "utf8" || encoding === "utf-8";
      const text =
        typeof chunk === "string" && isUtf8
          ? chunk
          : decoder.write(Buffer.from(chunk as string, encoding as BufferEncoding));
      const end = text.lastIndexOf("\n");
      if (end < 0) return void held.push(text);
      emit(cleanText(held.join("") + text.slice(0, end)));
      held = end + 1 < text.length ? [text.slice(end + 1)] : [];
    },
    flush,
  };
}
