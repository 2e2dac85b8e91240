/** Deletes what is old: ended tasks with their output and their child's session, in all sessions of one folder. */

import { readdirSync } from "node:fs";
import { lstat, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isOwnerDead } from "./owner.ts";
import { isTerminal, type TaskOwner, type TaskRecord } from "./record.ts";
import type { TaskStore } from "./task-store.ts";

const DAY_MS = 86_400_000;
/** A write takes no longer than this; an older temp file is what a crash left. */
const TEMP_MS = 3_600_000;

/** How long and how many. */
export interface Retention {
  /** Days after its end that a task is kept. */
  taskDays: number;
  /** Ended tasks that a session keeps; older ones go first. */
  maxTasks: number;
}

/** Prunes one session's tasks; counts what was deleted. A task that a living pi owns, or that was not told yet, is kept while it is young. */
export async function pruneTasks(
  store: TaskStore,
  retention: Retention,
  { owner, untold }: { owner: TaskOwner; untold: ReadonlySet<string> },
): Promise<number> {
  const oldest = Date.now() - retention.taskDays * DAY_MS;
  const ids = store.ids();
  let pruned = 0;
  for (const [index, id] of ids.entries()) {
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    const found = store.find(id);
    if (found.kind !== "found") continue;
    const isSurplus = ids.length - pruned > retention.maxTasks && !untold.has(id);
    const { record } = found;
    if (!isSurplus && endOf(record) > oldest) continue;
    const isOurs = record.owner.id === owner.id;
    if (!isOurs && !isOwnerDead(record.owner, store.paths.folder)) continue;
    if (isOurs && !isTerminal(record.status)) continue;
    await store.remove(id);
    pruned += 1;
  }
  await sweepTemps(store.paths.folder);
  return pruned;
}

const endOf = ({ finishedAt, transitionAt }: TaskRecord): number => finishedAt ?? transitionAt;

/** Temp files of writes that a crash cut short, and folders left without a task. */
async function sweepTemps(folder: string): Promise<void> {
  for (const name of namesIn(folder)) {
    if (!name.startsWith(".") || !name.endsWith(".tmp")) continue;
    const path = join(folder, name);
    // Another pi may delete it first.
    const stats = await lstat(path).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > TEMP_MS) await unlink(path).catch(() => undefined);
  }
  for (const path of [join(folder, "outbox"), folder]) {
    // Fails, as it should, where something is left.
    await rmdir(path).catch(() => undefined);
  }
}

/** Names of the session folders below `tasks`. */
export function sessionFolders(root: string): string[] {
  return namesIn(root).map((name) => join(root, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing there, or not ours to read.
    return [];
  }
}
