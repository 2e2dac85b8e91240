/** Turns what is written to a stream, in pieces of any size, into clean lines. */

import { StringDecoder } from "node:string_decoder";
import { cleanText } from "./plain-text.ts";

/** A line longer than this is handed over in parts. */
const MAX_HELD_CHARS = 1_048_576;

/** Where a stream is written to. */
export interface LineSink {
  write(chunk: unknown, encoding?: unknown): void;
  /** Hands over a last line without newline. */
  flush(): void;
}

/** Calls `emit` with one or more whole lines, without the last newline. */
export function lineSink(emit: (lines: string) => void): LineSink {
  const decoder = new StringDecoder("utf8");
  let held = "";
  const flush = (): void => {
    const line = held;
    held = "";
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
      if (end >= 0) {
        emit(cleanText(held + text.slice(0, end)));
        held = "";
      }
      held += end < 0 ? text : text.slice(end + 1);
      if (held.length > MAX_HELD_CHARS) flush();
    },
    flush,
  };
}
