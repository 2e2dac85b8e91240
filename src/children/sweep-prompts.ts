import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lifeOf, PROCESS_KEY } from "../base/process-key.ts";
import { PROMPT_FOLDER, PROMPT_NAME } from "./prompt-file.ts";

const NAME = new RegExp(`^${PROMPT_FOLDER}(${PROCESS_KEY})-[A-Za-z0-9]{6}$`);

/**
 * Removes this user's prompt folders whose process was killed, and counts them. Those of other machines and containers
 * stay. Rejects when `folder` cannot be listed.
 */
export async function sweepPrompts(signal: AbortSignal, folder = tmpdir()): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    if (signal.aborted) break;
    const owner = NAME.exec(name)?.[1];
    if (owner === undefined || lifeOf(owner) !== "gone") continue;
    if (await removeOwn(join(folder, name))) removed += 1;
  }
  return removed;
}

/** A folder with more in it than the prompt is not as we made it, and stays. */
async function removeOwn(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (!stats.isDirectory() || (process.getuid && stats.uid !== process.getuid())) return false;
    await unlink(join(path, PROMPT_NAME)).catch(() => undefined);
    await rmdir(path);
    return true;
  } catch {
    // Another pi was first.
    return false;
  }
}
