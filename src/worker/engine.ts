/** What evaluates a program inside its worker, as the run sees it. */

import type { FormatValues } from "./capture-console.ts";
import type { LogLevelKind, RunFrame, WorkerErrorKind } from "./protocol.ts";

/** What an engine tells a run, beside the program's own return or throw. */
export interface EngineListener {
  /** Something was thrown where nobody could catch it. */
  fail(thrown: unknown): void;
  /** A promise was rejected and nobody awaits it yet. */
  stray(reason: unknown, promise: object): void;
  /** Somebody awaits it now. */
  caught(promise: object): void;
  /** Nothing is left that could go on. */
  stuck(): void;
  /** One entry that was written past the console, cleaned already. */
  print(level: LogLevelKind, text: string): void;
}

/** How an engine writes places in a program. */
export interface StackPlaces {
  /** Name of the program in stack lines. */
  readonly fileName: string;
  /** Characters ahead of the program on its first line. */
  readonly columnShift: number;
  /** The column to show for an error, where the engine's own is a poor one. Both from 1. */
  readonly column?: (message: string, line: string, column: number) => number;
}

/** Plain data of at most so many parts, or a container of more. */
export type PlainRendering =
  | {
      json: string;
      /** Sends the text while it takes at most so many bytes; returns what it takes. */
      send: (maxBytes: number) => number;
    }
  | "larger";

/** One engine, serving one run. */
export interface Engine extends StackPlaces {
  /** Turns console arguments into text. */
  readonly format: FormatValues;
  /** The program as a function. Throws a `SyntaxError` when the engine does not take it. */
  compile(program: Pick<RunFrame, "code" | "loneFunction">): () => Promise<unknown>;
  /** Begins to tell `listener` what happens. */
  start(listener: EngineListener): void;
  /** Runs `task` when the stray rejections of this turn were told. */
  later(task: () => void): void;
  /** Hands over what was written past the console and is held back. */
  flush(): void;
  /** A quicker way to the JSON and text of plain data, where the engine has one; undefined for other values. */
  render?(value: unknown, maxParts: number): PlainRendering | undefined;
  /** How a run ends that threw this, and its message; undefined for everything the program throws itself. */
  describe(thrown: unknown): { kind: WorkerErrorKind; message: string } | undefined;
}
