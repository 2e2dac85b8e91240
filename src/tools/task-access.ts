/** What the three task tools share. */

import type { ToolAnnotations } from "@earendil-works/pi-coding-agent";
import { cleanText, cutLine } from "../base/plain-text.ts";
import { asData } from "../children/render-dispatch.ts";
import type { TaskRow } from "../render/details.ts";
import { isTerminal, knownDuration, type TaskRecord } from "../tasks/record.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";
import { asToolResult } from "./tool-parts.ts";

/** pi's bounds of one text for the model. */
export interface TextBounds {
  maxBytes: number;
  maxLines: number;
}

/** What the tools need of the session they are registered in. */
export interface TaskAccess {
  /** The session's tasks. Throws once the session has ended. */
  tasks(): SessionTasks;
  bounds: TextBounds;
  /** The model was shown the output of an ended task. */
  wasShown(taskId: string): void;
}

/** They look at files of this session only. */
export const READING_ANNOTATIONS: Readonly<ToolAnnotations> = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

/** A refusal: an error without data, so that a script gets a rejection. */
export function refuse(problem: string): ReturnType<typeof asToolResult> {
  return asToolResult({ content: [{ type: "text", text: problem }], details: {}, isError: true });
}

/** A task as rows draw it. */
export function rowOf(record: TaskRecord): TaskRow {
  const { id, status, agentName, depth, createdAt, outputBytes, errorMessage } = record;
  const durationMs = knownDuration(record);
  return {
    id,
    status,
    label: oneLine(record.label),
    agentName,
    depth,
    createdAt,
    outputBytes,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(errorMessage === undefined ? {} : { errorMessage: oneLine(errorMessage, 500) }),
  };
}

/** Text of a child or a model in one line. */
export function oneLine(text: string, max = 200): string {
  return cutLine(cleanText(text).replaceAll(/\s+/g, " ").trim(), max);
}

/** `oneLine` for the model: nothing in it can pass for a tag of ours or pi's. */
export function dataLine(text: string, max?: number): string {
  return asData(oneLine(text, max));
}

/** Time since a task started, or how long it took; nothing where that is not known. */
export function elapsedText(record: TaskRecord, nowMs: number): string[] {
  const ms = isTerminal(record.status) ? knownDuration(record) : nowMs - record.startedAt;
  if (ms === undefined) return [];
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 60) return [`${seconds.toFixed(1)}s`];
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return [`${minutes}m${Math.floor(seconds % 60)}s`];
  return [`${Math.floor(minutes / 60)}h${minutes % 60}m`];
}
