/**
 * What a pi does about tasks of a pi that is gone: they become `lost`, their children are ended, and their notices are
 * taken over. Tasks of a living pi are never touched. Two pis that recover at once settle it with a claim file.
 */

import { readFileSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { presenceOf } from "../base/process-identity.ts";
import { makePrivateFolder } from "../base/private-file.ts";
import { endTask } from "../children/stop-tree.ts";
import type { Outbox } from "./outbox.ts";
import { isOwnerDead } from "./owner.ts";
import { PREVIEW_BYTES } from "./output-file.ts";
import { readOutput } from "./output-window.ts";
import { isTerminal, LOST_ON_RESTART, moveTask, type TaskOwner, type TaskRecord } from "./record.ts";
import type { TaskStore } from "./task-store.ts";

/** What a recovery works on. */
export interface RecoveryParts {
  store: TaskStore;
  outbox: Outbox;
  /** Takes over what the dead left. */
  owner: TaskOwner;
}

/** What a recovery found. */
export interface Recovery {
  /** Tasks that became lost. */
  lost: TaskRecord[];
  /** Sentences about files that are no records, and about what could not be done. */
  warnings: string[];
  /** Resolves when the children of dead owners are gone. */
  orphansEnded: Promise<void>;
}

/** Goes through the session's tasks once. Never rejects. */
export async function recoverTasks(parts: RecoveryParts): Promise<Recovery> {
  const { store, outbox, owner } = parts;
  const { records, warnings } = await store.unfinished();
  const lost: TaskRecord[] = [];
  const orphans: Promise<void>[] = [];
  for (const record of records) {
    if (record.owner.id === owner.id || !isOwnerDead(record.owner, store.paths.folder)) continue;
    try {
      if (!(await claim(parts, record))) continue;
      orphans.push(endTask(record));
      lost.push(await lose(parts, record));
    } catch (error) {
      warnings.push(`task ${record.id} could not be recovered: ${String((error as Error).message)}`);
    }
  }
  for (const id of outbox.ids()) {
    const found = store.find(id);
    if (found.kind !== "found" || !isTerminal(found.record.status)) continue;
    const { record } = found;
    if (record.owner.id === owner.id || !isOwnerDead(record.owner, store.paths.folder)) continue;
    if (await claim(parts, record).catch(() => false)) store.keep({ ...record, owner });
  }
  return { lost, warnings, orphansEnded: Promise.all(orphans).then(() => undefined) };
}

async function lose({ store, outbox, owner }: RecoveryParts, record: TaskRecord): Promise<TaskRecord> {
  const change = {
    owner,
    stopReason: LOST_ON_RESTART,
    errorMessage: LOST_ON_RESTART,
    ...outputOf(store, record),
  };
  const moved = moveTask(record, "lost", Date.now(), change);
  if (!moved.ok) throw new Error(moved.problem);
  store.keep(moved.record);
  // Before the record, as at every end: a crash between the two must not lose the notice.
  await outbox.add(record.id);
  await store.save(moved.record);
  return moved.record;
}

/** The record says nothing of output that came after it was written. */
function outputOf(store: TaskStore, { id }: TaskRecord): Pick<TaskRecord, "outputBytes" | "outputPreview"> {
  const part = readOutput(store.paths.output(id), { maxBytes: PREVIEW_BYTES });
  if (!part.ok) return { outputBytes: 0 };
  return { outputBytes: part.size, ...(part.text === "" ? {} : { outputPreview: part.text }) };
}

/** Is the task ours to recover? Another living pi may have been first. */
async function claim({ store, owner }: RecoveryParts, { id }: TaskRecord): Promise<boolean> {
  const folder = store.paths.taskFolder(id);
  const path = join(folder, "claim.json");
  await makePrivateFolder(folder);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(JSON.stringify(owner)).finally(() => file.close());
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const claimant = claimantOf(path);
    if (claimant?.id === owner.id) return true;
    if (claimant && presenceOf(claimant) !== "gone") return false;
    await rm(path, { force: true });
  }
  return false;
}

/** Undefined for a claim that a crash left half-written. */
function claimantOf(path: string): TaskOwner | undefined {
  try {
    const { id, pid, startedAt } = JSON.parse(readFileSync(path, "utf8")) as Partial<TaskOwner>;
    if (typeof id !== "string" || !Number.isInteger(pid) || typeof startedAt !== "string") return undefined;
    return { id, pid: pid as number, startedAt };
  } catch {
    return undefined;
  }
}
