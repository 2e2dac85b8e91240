/** What a finished child gives its task. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cutLine } from "../base/plain-text.ts";
import type { DispatchResult } from "../children/dispatch.ts";
import type { OutputFile } from "./output-file.ts";
import { endStatus, type TaskChange, type TaskRecord, type TaskStatus } from "./record.ts";

const MAX_ERROR_CHARS = 4_096;

/** What is known of the end beside the child's result. */
export interface EndParts {
  /** What brought the child down, where it did not end by itself. */
  cut: "stop" | "loss" | undefined;
  output: Pick<OutputFile, "bytes" | "preview" | "warnings">;
  /** Said of a task that is lost. */
  lossReason: string;
  /** Where the child may have kept its own session. */
  sessionFolder: string;
}

/** How the record moves on. */
export function endOfTask(
  record: TaskRecord,
  result: DispatchResult,
  { cut, output, lossReason, sessionFolder }: EndParts,
): { status: TaskStatus; change: TaskChange } {
  const status = endStatus(result, cut);
  // What was told while the task ran may be told again by its end.
  const warnings = new Set([...(record.warnings ?? []), ...(result.warnings ?? []), ...output.warnings]);
  return {
    status,
    change: {
      ...toldBy(result, status),
      durationMs: result.durationMs,
      outputBytes: output.bytes,
      ...(output.preview === "" ? {} : { outputPreview: output.preview }),
      ...(status === "lost" ? { stopReason: lossReason, errorMessage: lossReason } : {}),
      ...sessionFileIn(sessionFolder),
      ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
    },
  };
}

function sessionFileIn(folder: string): { sessionFile?: string } {
  try {
    const name = readdirSync(folder).find((file) => file.endsWith(".jsonl"));
    return name === undefined ? {} : { sessionFile: join(folder, name) };
  } catch {
    // It kept no session.
    return {};
  }
}

/** What the child's result says about its task. Reports and errors of children that were stopped say nothing. */
function toldBy(result: DispatchResult, status: TaskStatus): TaskChange {
  const { usage, report, reportChannel, exitCode, signal, errorMessage } = result;
  const ended = status === "succeeded" || status === "failed";
  return {
    ...(usage ? { usage } : {}),
    ...(ended ? { reportChannel } : {}),
    ...(ended && report ? { report } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(status === "failed" && errorMessage ? { errorMessage: cutLine(errorMessage, MAX_ERROR_CHARS) } : {}),
  };
}
