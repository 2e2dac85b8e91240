/**
 * Who owns a task, and whether that pi is still there: id and start time of its process decide, and only where start
 * times cannot be told a heartbeat file. An owner whose session ends while its process goes on leaves a file.
 */

import { randomUUID } from "node:crypto";
import { existsSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { identifyProcess, presenceOf } from "../base/process-identity.ts";
import { makePrivateFolder } from "../base/private-file.ts";
import type { TaskOwner } from "./record.ts";

const BEAT_MS = 20_000;
const STALE_MS = 60_000;

/** A new owner: this process. */
export function createOwner(): TaskOwner {
  return { id: randomUUID(), pid: process.pid, startedAt: identifyProcess(process.pid)?.startedAt ?? "" };
}

/** Is the owner gone for good? A suspended machine or a busy pi is not. */
export function isOwnerDead(owner: TaskOwner, folder: string, nowMs: number = Date.now()): boolean {
  const presence = presenceOf(owner);
  if (presence === "gone" || existsSync(ownerFile(folder, "ended", owner.id))) return true;
  // One that knows its start does not beat.
  if (presence === "alive" || owner.startedAt !== "") return false;
  try {
    return nowMs - statSync(ownerFile(folder, "beat", owner.id)).mtimeMs > STALE_MS;
  } catch {
    // It never beat.
    return true;
  }
}

/** `isOwnerDead` for one pass over many records: it asks about each owner once, which on macOS takes a run of `ps`. */
export function ownerJudge(folder: string): (owner: TaskOwner) => boolean {
  const judged = new Map<string, boolean>();
  return (owner) => {
    const { id, pid, startedAt } = owner;
    const key = JSON.stringify([id, pid, startedAt]);
    const known = judged.get(key);
    if (known !== undefined) return known;
    const isDead = isOwnerDead(owner, folder);
    judged.set(key, isDead);
    return isDead;
  };
}

/** Leaves what the owner has in `folder` to others. Rejects when the disk refuses. */
export async function leaveOwnership(folder: string, owner: TaskOwner): Promise<void> {
  await makePrivateFolder(folder);
  await writeFile(ownerFile(folder, "ended", owner.id), "", { mode: 0o600 });
}

/** Files of owners. */
export const OWNER_FILE = /^\.(?:beat|ended)-/;

/** Beats until the returned function is called, where that is needed. */
export function startBeat(folder: string, owner: TaskOwner): () => void {
  if (owner.startedAt !== "") return () => undefined;
  const path = ownerFile(folder, "beat", owner.id);
  const beat = (): void => {
    try {
      const now = new Date();
      utimesSync(path, now, now);
    } catch {
      tryWrite(path);
    }
  };
  void makePrivateFolder(folder).then(beat, () => undefined);
  const timer = setInterval(beat, BEAT_MS).unref();
  return () => clearInterval(timer);
}

const ownerFile = (folder: string, kind: "beat" | "ended", ownerId: string): string =>
  join(folder, `.${kind}-${fileName(ownerId)}`);

/** An id as a part of a file name: records are untrusted. */
export function fileName(ownerId: string): string {
  return ownerId.replaceAll(/[^\w-]/g, "").slice(0, 64);
}

function tryWrite(path: string): void {
  try {
    writeFileSync(path, "", { mode: 0o600 });
  } catch {
    // Others may take over from a pi that cannot write.
  }
}
