/** Where tasks lie in a session that pi keeps nothing of: a private folder that goes with the process. */

import { randomUUID } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifyProcess } from "../base/process-identity.ts";
import { TEMPORARY_FOLDER } from "./task-paths.ts";

const DAY_MS = 86_400_000;

/** A path that nobody can guess and so nobody can have taken. */
export function temporaryTasksFolder(root: string = tmpdir()): string {
  return join(root, `pi-ptc-tasks-${process.pid}-${randomUUID()}`);
}

/**
 * Removes what killed processes left behind `maxAgeDays` ago; counts the folders. A process that cannot be seen may
 * live in another container, so age counts. Never rejects.
 */
export async function sweepTemporaryTasks(maxAgeDays: number, root: string = tmpdir()): Promise<number> {
  const oldest = Date.now() - maxAgeDays * DAY_MS;
  let removed = 0;
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(TEMPORARY_FOLDER.exec(name)?.[1]);
    if (!(pid > 0) || identifyProcess(pid)) continue;
    const path = join(root, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory() || stats.mtimeMs > oldest || stats.uid !== process.getuid?.()) continue;
    const isGone = await rm(path, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (isGone) removed += 1;
  }
  return removed;
}
