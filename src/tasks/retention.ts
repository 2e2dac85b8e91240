/** Deletes what is old: ended tasks with their output and their child's session, in all sessions of one folder. */

import { readdirSync } from "node:fs";
import { lstat, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { decodeTime } from "ulid";
import { isPlainFolder } from "../base/private-file.ts";
import { OWNER_FILE, ownerJudge } from "./owner.ts";
import { isTerminal, type TaskOwner, type TaskRecord } from "./record.ts";
import type { TaskPaths } from "./task-paths.ts";
import type { TaskStore } from "./task-store.ts";

const DAY_MS = 86_400_000;
/** A write takes no longer than this, and a heartbeat comes much sooner; what is older is what a crash left. */
const TEMP_MS = 3_600_000;
const TEMP_FILE = /^\.(?:.*\.tmp$|beat-)/;
/** Tasks looked at in one go before other work gets its turn. */
const READS_A_GO = 100;

/** How long and how many. */
export interface Retention {
  /** Days after its end that a task is kept. */
  taskDays: number;
  /** Ended tasks that a session keeps; older ones go first. */
  maxTasks: number;
}

/**
 * Prunes one session's tasks; counts what was deleted. What a living pi owns is kept, and while they are young also
 * tasks that have not ended or were not told yet.
 */
export async function pruneTasks(
  store: TaskStore,
  retention: Retention,
  { owner, untold }: { owner: TaskOwner; untold: ReadonlySet<string> },
): Promise<number> {
  const oldest = Date.now() - boundOf(retention.taskDays) * DAY_MS;
  const most = boundOf(retention.maxTasks);
  const isDead = ownerJudge(store.paths.folder);
  const ids = store.ids();
  let pruned = 0;
  for (const [index, id] of ids.entries()) {
    if (index % READS_A_GO === READS_A_GO - 1) await new Promise((resolve) => setImmediate(resolve));
    const isSurplus = ids.length - pruned > most && !untold.has(id);
    // A task cannot have ended before it began, so most need not be read.
    if (!isSurplus && startOf(id) > oldest) continue;
    const found = store.find(id);
    if (found.kind !== "found") continue;
    const { record } = found;
    const isOver = isTerminal(record.status);
    if (!(isSurplus && isOver) && endOf(record) > oldest) continue;
    const isOurs = record.owner.id === owner.id;
    if (isOurs ? !isOver : !isDead(record.owner)) continue;
    if (await store.remove(id)) pruned += 1;
  }
  await sweep(store.paths, oldest);
  return pruned;
}

/** What is no number above nothing bounds nothing: better to keep too much. */
const boundOf = (value: number): number => (value > 0 ? value : Infinity);

/** The time that stands in a task's id. */
function startOf(id: string): number {
  try {
    return decodeTime(id);
  } catch {
    // Beyond what the package reads.
    return 0;
  }
}

const endOf = ({ finishedAt, transitionAt }: TaskRecord): number => finishedAt ?? transitionAt;

/** Temp files of writes that a crash cut short, files of owners long gone, and folders left empty. */
async function sweep({ folder, outbox }: TaskPaths, oldest: number): Promise<void> {
  for (const path of [outbox, folder]) {
    if (!isPlainFolder(path)) continue;
    for (const name of namesIn(path)) {
      const since = TEMP_FILE.test(name) ? Date.now() - TEMP_MS : OWNER_FILE.test(name) ? oldest : undefined;
      if (since !== undefined) await removeBefore(join(path, name), since);
    }
    // Fails, as it should, where something is left.
    await rmdir(path).catch(() => undefined);
  }
}

/** Another pi may delete it first. */
async function removeBefore(path: string, time: number): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats && stats.mtimeMs < time) await unlink(path).catch(() => undefined);
}

/** The session folders below `tasks`. */
export function sessionFolders(root: string): string[] {
  return namesIn(root)
    .map((name) => join(root, name))
    .filter(isPlainFolder);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing there, or not ours to read.
    return [];
  }
}
