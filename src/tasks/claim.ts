/**
 * Who takes over from a dead owner: whoever makes the claim file that is named after it. A successor that died is
 * succeeded in the same way, so no claim is ever taken back.
 */

import { join } from "node:path";
import { createFile, makePrivateFolder, readSmallFile } from "../base/private-file.ts";
import { fileName, isOwnerDead } from "./owner.ts";
import type { TaskOwner, TaskRecord } from "./record.ts";
import type { TaskPaths } from "./task-paths.ts";

/** Pis that died one after the other while they took over the same task. */
const MAX_SUCCESSORS = 100;
const MAX_CLAIM_BYTES = 4_096;

/** May `owner` take over the record from its dead owner? False when a living pi was first. Rejects when the disk refuses. */
export async function claimTask(
  paths: TaskPaths,
  { id, owner: dead }: Pick<TaskRecord, "id" | "owner">,
  owner: TaskOwner,
): Promise<boolean> {
  const folder = paths.taskFolder(id);
  await makePrivateFolder(folder);
  let before = fileName(dead.id);
  for (let count = 0; count < MAX_SUCCESSORS; count += 1) {
    const path = join(folder, `claim-${before}.json`);
    if (await createFile(path, JSON.stringify(owner))) return true;
    const successor = readClaim(path);
    if (successor?.id === owner.id) return true;
    if (successor && !isOwnerDead(successor, paths.folder)) return false;
    // Where there are no hard links a crash may leave a claim without its text.
    before = successor ? fileName(successor.id) : `${before}-`;
  }
  return false;
}

/** Has another pi taken the record over from `record.owner`? A disk that cannot be read does not say so. */
export function isClaimed(paths: TaskPaths, { id, owner }: Pick<TaskRecord, "id" | "owner">): boolean {
  return (
    readSmallFile(join(paths.taskFolder(id), `claim-${fileName(owner.id)}.json`), MAX_CLAIM_BYTES).kind ===
    "text"
  );
}

function readClaim(path: string): TaskOwner | undefined {
  const file = readSmallFile(path, MAX_CLAIM_BYTES);
  if (file.kind !== "text") return undefined;
  try {
    const { id, pid, startedAt, place } = JSON.parse(file.text) as Partial<TaskOwner>;
    if (typeof id !== "string" || typeof startedAt !== "string") return undefined;
    if (!Number.isInteger(pid) || (pid as number) <= 0) return undefined;
    return { id, pid: pid as number, startedAt, ...(typeof place === "string" ? { place } : {}) };
  } catch {
    // No claim of ours.
    return undefined;
  }
}
