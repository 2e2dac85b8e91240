/** Files that only this user may read, in folders that only this user may enter. No link is followed at the end of a path. */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { link, lstat, mkdir, open, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Absent on Windows, where it means nothing. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** Opening a pipe without it waits for a writer. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
/** How file systems without hard links refuse one. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Makes a folder and those above it; rejects when `path` is a link or no folder. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new Error(`${path} is no folder`);
}

/** Is there a folder at `path`, and no link to one? */
export function isPlainFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    // Nothing there, or nothing that could be used.
    return false;
  }
}

/**
 * Replaces a file whole: a reader sees the old text or the new one, also after a crash. `onWritten` is called when
 * the new text lies beside the old. Rejects, with nothing left behind, when the disk refuses.
 */
export async function replaceFile(path: string, text: string, onWritten?: () => void): Promise<void> {
  await withTemp(path, text, async (temp) => {
    onWritten?.();
    await rename(temp, path);
  });
}

/** Makes a file whole where there is none; false where there is one. Of several that try at once one succeeds. */
export async function createFile(path: string, text: string): Promise<boolean> {
  let created = false;
  await withTemp(path, text, async (temp) => {
    created = await unlessExists(
      link(temp, path).catch((error: NodeJS.ErrnoException) => {
        if (!NO_LINKS.has(error.code ?? "")) throw error;
        return writeFile(path, text, { flag: "wx", mode: FILE_MODE });
      }),
    );
    await unlink(temp);
  });
  return created;
}

async function unlessExists(creation: Promise<void>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Writes `text` to a file beside `path`, which `use` must take away; it is removed when anything fails. */
async function withTemp(path: string, text: string, use: (temp: string) => Promise<void>): Promise<void> {
  const temp = join(dirname(path), `.${process.pid}-${process.hrtime.bigint().toString(36)}.tmp`);
  const file = await open(temp, "wx", FILE_MODE);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await use(temp);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
}

/** What stands in a small file, and a stamp that changes when the file does. */
export type SmallFile =
  | { kind: "text"; text: string; stamp: string }
  | { kind: "absent" }
  | { kind: "unusable"; problem: string; stamp: string };

/** Reads a regular file of at most `maxBytes`. Never throws. Synchronous: one hop to a thread costs more than the read. */
export function readSmallFile(path: string, maxBytes: number): SmallFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { kind: "absent" };
    return { kind: "unusable", problem: openProblem(code), stamp: code ?? "" };
  }
  try {
    const stats = fstatSync(descriptor);
    const stamp = `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
    if (!stats.isFile()) return { kind: "unusable", problem: "is no regular file", stamp };
    if (stats.size > maxBytes)
      return { kind: "unusable", problem: `has ${stats.size} bytes, more than ${maxBytes}`, stamp };
    const bytes = Buffer.allocUnsafe(stats.size);
    const length = stats.size === 0 ? 0 : readSync(descriptor, bytes, 0, stats.size, 0);
    return { kind: "text", text: bytes.toString("utf8", 0, length), stamp };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: "unusable", problem: `cannot be read (${code ?? message})`, stamp: code ?? "" };
  } finally {
    closeSync(descriptor);
  }
}

/** The beginning of a file in the bytes of `buffer`, as Latin-1; undefined when there is none to read. Never throws. */
export function readHead(path: string, buffer: Buffer): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0));
  } catch {
    // Whoever reads the whole file is told why.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function openProblem(code: string | undefined): string {
  if (code === "ELOOP") return "is a symbolic link";
  if (code === "EISDIR") return "is a directory";
  return `cannot be read (${code ?? "unknown"})`;
}
