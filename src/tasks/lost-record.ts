/** The record of a task whose pi is gone. Reads only. */

import { statSync } from "node:fs";
import { beatPath } from "./owner.ts";
import { PREVIEW_BYTES } from "./output-file.ts";
import { readOutput } from "./output-window.ts";
import { LOST_ON_RESTART, moveTask, type TaskOwner, type TaskRecord } from "./record.ts";
import type { TaskStore } from "./task-store.ts";

/** The record as lost; undefined where it has ended already. `owner`: whoever takes it over. */
export function lostRecord(
  store: TaskStore,
  record: TaskRecord,
  owner: TaskOwner = record.owner,
): TaskRecord | undefined {
  const now = Date.now();
  const moved = moveTask(record, "lost", now, {
    owner,
    durationMs: Math.max(0, Math.min(lastSignOf(store, record), now) - record.startedAt),
    stopReason: LOST_ON_RESTART,
    errorMessage: LOST_ON_RESTART,
    ...outputOf(store, record),
  });
  return moved.ok ? moved.record : undefined;
}

/** The last sign of life: nobody knows how long a task went on after it, and pi may have been gone for days. */
function lastSignOf({ paths }: TaskStore, { id, transitionAt, owner }: TaskRecord): number {
  const signs = [paths.record(id), paths.output(id), beatPath(paths.folder, owner.id)];
  return Math.max(transitionAt, ...signs.map(modifiedAt));
}

/** Milliseconds since 1970; 0 where there is nothing. Never throws. */
export function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    // It was never written, or tells nothing.
    return 0;
  }
}

/** The record says nothing of output that came after it was written. */
function outputOf(store: TaskStore, { id }: TaskRecord): Pick<TaskRecord, "outputBytes" | "outputPreview"> {
  const part = readOutput(store.paths.output(id), { maxBytes: PREVIEW_BYTES, isOver: true });
  if (!part.ok) return { outputBytes: 0 };
  return { outputBytes: part.size, ...(part.text === "" ? {} : { outputPreview: part.text }) };
}
