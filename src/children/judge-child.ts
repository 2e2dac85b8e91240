/** Decides what a child that ended comes to (spec 2.4). */

import { constants } from "node:os";
import { cleanText } from "../base/plain-text.ts";
import { boundedTail } from "./child-text.ts";
import type { ChildExit } from "./dispatch.ts";

/** End of standard error that goes into a message. */
const STDERR_IN_MESSAGE_CHARS = 2_000;
const NO_TEXT = "dispatch produced no final text";

/** What is known of a child that ended. */
export interface ChildEnd {
  stoppedBecause?: string;
  forcedDown?: boolean;
  stderr: string;
  /** pi said it had no work left. */
  settled: boolean;
  aborted: boolean;
  /** Of the last assistant message. */
  stopReason?: string;
  /** Error of the last assistant message. */
  modelError: string;
  hasText: boolean;
  hasToolReport: boolean;
}

/** Without an error message the dispatch is fulfilled. */
export interface Verdict {
  errorMessage?: string;
  note?: string;
}

/** Goes through the causes from the one that explains most to the one that explains least. */
export function judgeChild(exit: ChildExit, end: ChildEnd): Verdict {
  // It had nothing left to say, so how it was brought down says nothing about its answer.
  const wasForced = end.forcedDown === true && end.settled;
  const errorMessage = end.stoppedBecause
    ? cleanText(end.stoppedBecause)
    : (modelFailure(exit, end) ??
      (wasForced ? undefined : deathOf(exit, end)) ??
      cutOff(end) ??
      silence(end));
  return {
    ...(errorMessage !== undefined && { errorMessage }),
    ...(wasForced && { note: "the child had finished but did not exit by itself, so it was ended" }),
  };
}

function modelFailure(exit: ChildExit, end: ChildEnd): string | undefined {
  if (end.stopReason !== "error") return undefined;
  const said = end.modelError || "the model's answer ended in an error without a message";
  return exit.signal !== null && !end.settled
    ? `${said} (the child was then killed by ${exit.signal})`
    : said;
}

function deathOf({ code, signal }: ChildExit, { stderr }: ChildEnd): string | undefined {
  if (signal === null && (code === 0 || code === null)) return undefined;
  const tail = boundedTail(stderr.trim(), STDERR_IN_MESSAGE_CHARS);
  const end = signal === null ? `exited with code ${code}${signalOfCode(code)}` : `was killed by ${signal}`;
  return `the child ${end}${tail === "" ? "" : `: ${tail}`}`;
}

/** pi ends itself with 128 and the signal's number when it is asked to stop. */
function signalOfCode(code: number | null): string {
  const name = Object.entries(constants.signals).find(([, number]) => 128 + number === code)?.[0];
  return name ? ` (${name})` : "";
}

function cutOff(end: ChildEnd): string | undefined {
  const cause = cutCause(end);
  if (cause === undefined) return undefined;
  return end.hasText ? `the answer was cut off: ${cause}` : `${NO_TEXT}: it was cut off, ${cause}`;
}

function cutCause({ stopReason, aborted, settled, modelError }: ChildEnd): string | undefined {
  if (stopReason === "aborted" || aborted)
    return `the run was aborted${stopReason === "aborted" && modelError ? ` (${modelError})` : ""}`;
  if (stopReason === "length") return "the model reached its output limit";
  if (stopReason === "toolUse") return "the last message ends on a tool call";
  if (!settled) return "the child's output stops before its run was over";
  if (stopReason === undefined || stopReason === "stop") return undefined;
  return `the last message stopped as ${JSON.stringify(stopReason)}`;
}

const silence = ({ hasText, hasToolReport }: ChildEnd): string | undefined =>
  hasText || hasToolReport ? undefined : NO_TEXT;
