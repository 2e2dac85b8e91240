/**
 * What a pi does about tasks of a pi that is gone: they become `lost`, their children are ended, and their notices are
 * taken over. Tasks of a living pi are never touched. Pis that recover at once settle it with claims.
 */

import { errorText } from "../base/error-text.ts";
import { endTask } from "../children/stop-tree.ts";
import { claimTask } from "./claim.ts";
import type { Outbox } from "./outbox.ts";
import { ownerJudge } from "./owner.ts";
import { lostRecord } from "./lost-record.ts";
import { isTerminal, type TaskOwner, type TaskRecord } from "./record.ts";
import type { TaskStore } from "./task-store.ts";
import type { TaskWriter } from "./task-writer.ts";

/** What a recovery works on. */
export interface RecoveryParts {
  store: TaskStore;
  outbox: Outbox;
  writer: TaskWriter;
  /** Takes over what the dead left. */
  owner: TaskOwner;
  /** Lets others see that `owner` lives, which a claim says nothing of. */
  showLife: () => Promise<void>;
}

/** What a recovery found. */
export interface Recovery {
  /** Tasks that became lost. */
  lost: TaskRecord[];
  /** Ids of tasks whose ends are this pi's to tell now, the lost ones among them. */
  taken: string[];
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
  const isDead = ownerJudge(store.paths.folder);
  const isLeft = (record: TaskRecord): boolean => record.owner.id !== owner.id && isDead(record.owner);
  const left = records.filter(isLeft);
  if (left.length + outbox.ids().length > 0) await parts.showLife();
  for (const record of left) {
    // Whoever takes the task over, its child has nobody to work for.
    orphans.push(endTask(record));
    try {
      if (await claimTask(store.paths, record, owner)) lost.push(...(await lose(parts, record.id)));
    } catch (error) {
      // Known here, and left to the next recovery: a claim that cannot be written is nobody's.
      const moved = lostRecord(store, record, owner);
      if (moved) store.keep(moved);
      warnings.push(`task ${record.id} is lost, which could not be written to disk: ${errorText(error)}`);
    }
  }
  const taken = lost.map(({ id }) => id);
  for (const id of outbox.ids()) {
    try {
      if (await takeNotice(parts, id, isLeft)) taken.push(id);
    } catch (error) {
      warnings.push(`the notice of task ${id} could not be taken over: ${errorText(error)}`);
    }
  }
  return { lost, taken, warnings, orphansEnded: Promise.all(orphans).then(() => undefined) };
}

/** Another pi may have recovered the task between our reading and our claim, and be gone again. */
async function lose(parts: RecoveryParts, id: string): Promise<TaskRecord[]> {
  const found = parts.store.find(id);
  const moved = found.kind === "found" ? lostRecord(parts.store, found.record, parts.owner) : undefined;
  if (!moved) return [];
  await parts.writer.record(moved);
  return [moved];
}

/** A notice that its owner did not live to deliver: is it ours now? One of a task that is no more says nothing. */
async function takeNotice(
  { store, outbox, owner }: RecoveryParts,
  id: string,
  isLeft: (record: TaskRecord) => boolean,
): Promise<boolean> {
  const found = store.find(id);
  if (found.kind === "absent") await outbox.remove(id);
  if (found.kind !== "found" || !isTerminal(found.record.status) || !isLeft(found.record)) return false;
  // The file stays as its owner wrote it; the claim says whose it is now.
  if (!(await claimTask(store.paths, found.record, owner))) return false;
  store.keep({ ...found.record, owner });
  return true;
}
