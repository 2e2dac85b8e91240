import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, isAbsolute } from "node:path";

/** What makes a folder a project of its own to pi. */
const PROJECT_FOLDERS = [".pi", ".agents"];

/** Is `cwd` the session's folder, or inside it with no project on the way? A repository cloned into it was never trusted. */
export function isSameProject(sessionCwd: string, cwd: string): boolean {
  let top: string;
  let folder: string;
  try {
    [top, folder] = [realpathSync(sessionCwd), realpathSync(cwd)];
  } catch {
    // The start says which folder is missing.
    return false;
  }
  const way = relative(top, folder);
  if (way.startsWith("..") || isAbsolute(way)) return false;
  for (; folder !== top; folder = dirname(folder)) {
    const place = folder;
    if (PROJECT_FOLDERS.some((name) => existsSync(join(place, name)))) return false;
  }
  return true;
}
