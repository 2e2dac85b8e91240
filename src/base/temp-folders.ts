/** Folders in the system's temp folder that go with their process. */

import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifyProcess } from "./process-identity.ts";

const NAME = /^pi-ptc-(?:prompt|tasks)-([1-9][0-9]*)-/;

/** How the name of such a folder of this process begins. */
export function tempFolderPrefix(kind: "prompt" | "tasks"): string {
  return `pi-ptc-${kind}-${process.pid}-`;
}

/** Deletes what killed processes of this user left. Never rejects. */
export async function sweepTempFolders(root: string = tmpdir()): Promise<void> {
  // What stays is private, and the system clears its temp folder.
  for (const name of await readdir(root).catch(() => [])) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || identifyProcess(Number(pid)) !== undefined) continue;
    const path = join(root, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory() || (process.getuid && stats.uid !== process.getuid())) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
