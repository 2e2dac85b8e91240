/** Replaces a text file in one step: whoever reads it meanwhile sees the old text or the new one. */

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

/** Writes `text` to `path`. A link stays one and its target is replaced; the mode stays. Throws what the system says. */
export function rewriteFile(path: string, text: string): void {
  const target = targetOf(path);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode;
  mkdirSync(dirname(target), { recursive: true });
  const fresh = `${target}.${process.pid}.${randomUUID()}.tmp`;
  try {
    writeFileSync(fresh, text, { flag: "wx", flush: true });
    if (mode !== undefined) chmodSync(fresh, mode & 0o7777);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return danglingTarget(path);
  }
}

/** A link whose target is gone still says where the file belongs. */
function danglingTarget(path: string): string {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    // Nothing lies there.
    return path;
  }
}
