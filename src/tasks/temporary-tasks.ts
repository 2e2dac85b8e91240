/** Where tasks lie in a session that pi keeps nothing of: a private folder that goes with the process. */

import { randomUUID } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lifeOf, ownProcessKey } from "../base/process-key.ts";
import { TEMPORARY_FOLDER } from "./task-paths.ts";

/** A path that nobody can guess and so nobody can have taken. */
export function temporaryTasksFolder(root: string = tmpdir()): string {
  return join(root, `pi-ptc-tasks-${ownProcessKey()}-${randomUUID()}`);
}

/** Removes what killed processes of this user left, and counts the folders. Never rejects. */
export async function sweepTemporaryTasks(root: string = tmpdir()): Promise<number> {
  let removed = 0;
  for (const name of await readdir(root).catch(() => [])) {
    const owner = TEMPORARY_FOLDER.exec(name)?.[1];
    if (owner === undefined || lifeOf(owner) !== "gone") continue;
    const path = join(root, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue;
    const isGone = await rm(path, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (isGone) removed += 1;
  }
  return removed;
}
