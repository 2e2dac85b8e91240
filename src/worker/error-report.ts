/** From a thrown value to what the model reads: message, the program's own stack lines, the failing line. */

import { errorText } from "../base/error-text.ts";
import { excerptOf } from "../base/excerpt.ts";
import { cleanText } from "../base/plain-text.ts";
import type { StackPlaces } from "./engine.ts";
import type { WorkerError } from "./protocol.ts";

/** Name of the program in stack lines. */
export const PROGRAM_NAME = "program";
const MAX_FRAMES = 8;
const PLACE = /:(\d+):(\d+)(\)?)$/;

/** Describes what a program threw. */
export function reportThrown(thrown: unknown, source: string, places: StackPlaces): WorkerError {
  const message = errorText(thrown);
  return { kind: "exception", message, excerpt: whereThrown(thrown, message, { source, places }) };
}

function whereThrown(
  thrown: unknown,
  message: string,
  program: { source: string; places: StackPlaces },
): string {
  try {
    const { source, places } = program;
    const frames = programFrames(thrown, places);
    const place = frames[0]?.match(PLACE);
    const parts = frames.map((frame) => `    at ${frame}`);
    if (place) {
      const line = Number(place[1]);
      const text = source.split("\n", line)[line - 1] ?? "";
      const column = places.column?.(message, text, Number(place[2])) ?? Number(place[2]);
      parts[0] = parts[0]?.replace(PLACE, `:${line}:${column}$3`) ?? "";
      parts.push(excerptOf(source, line, column));
    }
    const inModule = moduleFrame(thrown, places);
    if (inModule !== undefined) parts.unshift(`    at ${inModule}`);
    return parts.filter((part) => part !== "").join("\n");
  } catch {
    // The program patched what this takes; the message, which takes nothing of it, stands alone.
    return "";
  }
}

function stackOf(thrown: unknown): string {
  try {
    const stack = (thrown as { stack?: unknown } | null)?.stack;
    return typeof stack === "string" ? stack.slice(0, 65_536) : "";
  } catch {
    // Reading `stack` may run the program's own getter; without a stack the message stands alone.
    return "";
  }
}

/** Where in a module that the program imported it was thrown. */
function moduleFrame(thrown: unknown, { fileName }: StackPlaces): string | undefined {
  const first = /\n\s+at (.*)/.exec(stackOf(thrown))?.[1] ?? "";
  return first.includes("file://") && !first.includes(fileName) ? cleanText(first) : undefined;
}

/** The program's own stack lines of an error, places as in the source. May throw where built-ins are patched. */
export function programFrames(thrown: unknown, { fileName, columnShift }: StackPlaces): string[] {
  return stackOf(thrown)
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && line.includes(fileName))
    .slice(0, MAX_FRAMES)
    .map((line) => cleanText(line.replace(/^\s+at (async )?/, "").replaceAll(fileName, PROGRAM_NAME)))
    .map((line) =>
      line.replace(PLACE, (place, row: string, column: string, end: string) =>
        row === "1" ? `:1:${Math.max(1, Number(column) - columnShift)}${end}` : place,
      ),
    );
}
