/** From a thrown value to what the model reads: message, the program's own stack lines, the failing line. */

import { errorText } from "../base/error-text.ts";
import { excerptOf } from "../base/excerpt.ts";
import { cleanText } from "../base/plain-text.ts";
import type { WorkerError } from "./protocol.ts";

/** Name of the program in stack lines. */
export const PROGRAM_NAME = "program";
const MAX_FRAMES = 8;

/** Describes what a program threw. `fileName` is the URL it was compiled under. */
export function reportThrown(thrown: unknown, source: string, fileName: string): WorkerError {
  return { kind: "exception", message: errorText(thrown), excerpt: whereThrown(thrown, source, fileName) };
}

function whereThrown(thrown: unknown, source: string, fileName: string): string {
  try {
    const frames = programFrames(stackOf(thrown), fileName);
    const line = frames[0]?.match(/:(\d+):(\d+)\)?$/);
    const parts = frames.map((frame) => `    at ${frame}`);
    if (line) parts.push(excerptOf(source, Number(line[1]), Number(line[2])));
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

function programFrames(stack: string, fileName: string): string[] {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && line.includes(fileName))
    .slice(0, MAX_FRAMES)
    .map((line) => cleanText(line.replace(/^\s+at (async )?/, "").replaceAll(fileName, PROGRAM_NAME)));
}
