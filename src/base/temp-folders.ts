/** Folders in the system's temp folder that go with their process. */

import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lifeOf, ownProcessKey, PROCESS_KEY } from "./process-key.ts";

const NAME = new RegExp(`^pi-ptc-tasks-(${PROCESS_KEY})-`);

/** How the name of a folder for tasks of this process begins. */
export function tempFolderPrefix(): string {
  return `pi-ptc-tasks-${ownProcessKey()}-`;
}

/** Deletes what killed processes of this user left. Never rejects. */
export async function sweepTempFolders(root: string = tmpdir()): Promise<void> {
  // What stays is private, and the system clears its temp folder.
  for (const name of await readdir(root).catch(() => [])) {
    const owner = NAME.exec(name)?.[1];
    if (owner === undefined || lifeOf(owner) !== "gone") continue;
    const path = join(root, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory() || (process.getuid && stats.uid !== process.getuid())) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
