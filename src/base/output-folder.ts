/**
 * Where complete texts go when a result was cut: `<tmp>/pi-ptc-<uid>/<one folder a session>/`, every folder
 * 0700. The system's temp folder is shared, so the root is used only when it is a real folder of ours; a
 * symlink or somebody else's folder is refused. Old files are swept at a later session start.
 */

import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rmdir, unlink } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const PRIVATE_MODE = 0o700;
const DAY_MS = 86_400_000;

/** Folder of all sessions of this user. */
export function outputRoot(): string {
  return join(tmpdir(), `pi-ptc-${process.getuid?.() ?? userName()}`);
}

/**
 * A function that makes the session's folder when first called and gives its path; later calls make it again
 * if it vanished. Rejects with a sentence when the folder cannot be private.
 */
export function openOutputFolder(root: string = outputRoot()): () => Promise<string> {
  const folder = join(root, randomUUID());
  return async () => {
    await ensurePrivate(root);
    await ensurePrivate(folder);
    return folder;
  };
}

/** Removes files older than `maxAgeDays` and session folders left empty; counts the files. */
export async function sweepOutput(
  maxAgeDays: number,
  root: string = outputRoot(),
  nowMs: number = Date.now(),
): Promise<number> {
  if ((await privateProblem(root)) !== undefined) return 0;
  const oldest = nowMs - maxAgeDays * DAY_MS;
  let removed = 0;
  for (const session of await readdir(root, { withFileTypes: true })) {
    if (session.isDirectory()) removed += await sweepSession(join(root, session.name), oldest);
  }
  return removed;
}

async function sweepSession(folder: string, oldest: number): Promise<number> {
  let removed = 0;
  const idleSince = (await statOf(folder))?.mtimeMs ?? Infinity;
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const stats = await statOf(path);
    if (entry.isDirectory() || !stats || stats.mtimeMs > oldest) continue;
    if (await succeeds(unlink(path))) removed += 1;
  }
  // A young empty folder belongs to a session that is about to write; rmdir keeps whatever is not empty.
  if (idleSince <= oldest) await succeeds(rmdir(folder));
  return removed;
}

async function ensurePrivate(path: string): Promise<void> {
  await mkdir(path, { mode: PRIVATE_MODE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const problem = await privateProblem(path);
  if (problem) throw new Error(`${path} ${problem}; remove it or set TMPDIR to a folder of your own`);
  const stats = await lstat(path);
  if (process.getuid && (stats.mode & 0o777) !== PRIVATE_MODE) await chmod(path, PRIVATE_MODE);
}

/** Why `path` is no folder of ours, or undefined when it is one. */
async function privateProblem(path: string): Promise<string | undefined> {
  const stats = await statOf(path);
  if (!stats) return "does not exist";
  if (stats.isSymbolicLink()) return "is a symbolic link";
  if (!stats.isDirectory()) return "is not a folder";
  if (process.getuid && stats.uid !== process.getuid()) return "belongs to another user";
  return undefined;
}

/** Stats of the entry itself, never of what a link points to; undefined when there is none. */
async function statOf(path: string): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** Did it work? Another pi may have swept the same file first. */
async function succeeds(action: Promise<void>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

function userName(): string {
  return userInfo().username.replace(/[^A-Za-z0-9_-]/g, "_");
}
