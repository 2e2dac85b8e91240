/** Counts what of a child's output could not be read, and says so once a kind. */

import { cutLine } from "../base/plain-text.ts";
import { boundedText } from "./child-text.ts";

/** Why a line, or its usage, was left out. */
export type SkipKind = "noise" | "no-object" | "incomplete" | "unknown" | "no-usage" | "too-long";

const MAX_TYPE_CHARS = 60;

/** The counts of one child, made into sentences at its end. */
export class SkippedLines {
  readonly #counts = new Map<SkipKind, number>();
  #bytes = 0;
  #firstUnknown = "";

  /** `bytes` is told of lines that are too long. */
  add(kind: SkipKind, bytes = 0): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    this.#bytes += bytes;
  }

  /** Counts an event of a type that pi's documentation does not have. */
  addUnknown(type: string): void {
    this.#firstUnknown ||= boundedText(type, MAX_TYPE_CHARS);
    this.add("unknown");
  }

  /** One sentence a kind. */
  sentences(): string[] {
    return [...this.#counts].map(([kind, count]) => {
      const lines = count === 1 ? "1 line" : `${count} lines`;
      return `${lines} of the child's output ${this.#wordsFor(kind)}`;
    });
  }

  #wordsFor(kind: SkipKind): string {
    switch (kind) {
      case "noise":
        return "skipped: no JSON";
      case "no-object":
        return "skipped: no JSON object";
      case "incomplete":
        return "read only in part: a field is missing or of a wrong type";
      case "unknown":
        return `skipped: unknown type, first ${JSON.stringify(cutLine(this.#firstUnknown))}`;
      case "no-usage":
        return "counted without usage: it is missing or no object";
      case "too-long":
        return `skipped: too long, ${this.#bytes} bytes together`;
    }
  }
}
