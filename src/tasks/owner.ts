/**
 * Who owns a task, and whether that pi is still there: id and start time of its process decide where they mean
 * something, and else a heartbeat file: in another container or on another machine that shares the folder, and where
 * start times cannot be told. An owner whose session ends while its process goes on leaves a file.
 */

import { randomUUID } from "node:crypto";
import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { identifyProcess, presenceOf } from "../base/process-identity.ts";
import { placeOfIds } from "../base/process-key.ts";
import { makePrivateFolder } from "../base/private-file.ts";
import type { TaskOwner } from "./record.ts";

const BEAT_MS = 20_000;
const STALE_MS = 60_000;

/** A new owner: this process. */
export function createOwner(): TaskOwner {
  const startedAt = identifyProcess(process.pid)?.startedAt ?? "";
  return { id: randomUUID(), pid: process.pid, startedAt, place: placeOfIds() };
}

/** Is the owner gone for good? A suspended machine or a busy pi is not. */
export function isOwnerDead(owner: TaskOwner, folder: string, nowMs: number = Date.now()): boolean {
  if (existsSync(ownerFile(folder, "ended", owner.id))) return true;
  if (owner.place === undefined || owner.place === placeOfIds()) {
    const presence = presenceOf(owner);
    if (presence === "gone") return true;
    // A start that cannot be read now is no reason to look for beats.
    if (presence === "alive" || owner.startedAt !== "") return false;
  }
  try {
    return nowMs - statSync(ownerFile(folder, "beat", owner.id)).mtimeMs > STALE_MS;
  } catch {
    // It never beat.
    return true;
  }
}

/**
 * `isOwnerDead` for many records: it asks about each owner once in `keepMs` (default: ever), on macOS with a run of
 * `ps`. Death is final.
 */
export function ownerJudge(folder: string, keepMs = Infinity): (owner: TaskOwner) => boolean {
  const judged = new Map<string, { isDead: boolean; at: number }>();
  return (owner) => {
    const { id, pid, startedAt, place } = owner;
    const key = JSON.stringify([id, pid, startedAt, place]);
    const known = judged.get(key);
    if (known && (known.isDead || performance.now() - known.at < keepMs)) return known.isDead;
    const isDead = isOwnerDead(owner, folder);
    judged.set(key, { isDead, at: performance.now() });
    return isDead;
  };
}

/** Leaves what the owner has in `folder` to others. Rejects when the disk refuses. */
export async function leaveOwnership(folder: string, owner: TaskOwner): Promise<void> {
  await makePrivateFolder(folder);
  await writeFile(ownerFile(folder, "ended", owner.id), "", { mode: 0o600 });
}

/** Touched by a living owner. */
export const beatPath = (folder: string, ownerId: string): string => ownerFile(folder, "beat", ownerId);

/** Files of owners. */
export const OWNER_FILE = /^\.(?:beat|ended)-/;

/** A file that is touched again and again shows others that the owner lives. */
export class Heartbeat {
  readonly #folder: string;
  readonly #path: string;
  #first: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(folder: string, owner: TaskOwner) {
    this.#folder = folder;
    this.#path = ownerFile(folder, "beat", owner.id);
  }

  /** Resolves when the file was written, or the disk refused; never rejects. */
  begin(): Promise<void> {
    this.#first ??= makePrivateFolder(this.#folder).then(
      () => this.#beat(),
      () => undefined,
    );
    this.#timer ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    return this.#first;
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    if (!this.#first) return;
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // It grows stale.
    }
  }

  #beat(): void {
    if (this.#isOver) return;
    try {
      const now = new Date();
      utimesSync(this.#path, now, now);
    } catch {
      tryWrite(this.#path);
    }
  }
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
