/**
 * Who owns a task, and whether that pi is still there (spec 3.3). Id and start time of its process decide. Only where
 * a platform cannot tell start times does a heartbeat file: its owner touches it, and a silent one is dead.
 */

import { randomUUID } from "node:crypto";
import { statSync, utimesSync, writeFileSync } from "node:fs";
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
  if (presence !== "unknown") return presence === "gone";
  try {
    return nowMs - statSync(beatFile(folder, owner.id)).mtimeMs > STALE_MS;
  } catch {
    // It never beat.
    return true;
  }
}

/** Beats until the returned function is called, where that is needed. */
export function startBeat(folder: string, owner: TaskOwner): () => void {
  if (owner.startedAt !== "") return () => undefined;
  const path = beatFile(folder, owner.id);
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

const beatFile = (folder: string, ownerId: string): string =>
  join(folder, `.beat-${ownerId.replaceAll(/[^\w-]/g, "")}`);

function tryWrite(path: string): void {
  try {
    writeFileSync(path, "", { mode: 0o600 });
  } catch {
    // Others may take over from a pi that cannot write.
  }
}
