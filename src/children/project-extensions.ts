/**
 * The extensions a trusted project brings along: what stands in its `.pi/extensions` and what its settings name by path.
 * A child in another folder would not load them, and with them would lose the project's gates.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const SCRIPT = /\.[cm]?[jt]s$/;
/** Sources that are no paths (pi's docs/packages.md). */
const NOT_LOCAL = /^(?:npm:|git:|github:|https?:|ssh:|builtin:|-)/;

/** Absolute paths, those in the folder first. */
export function projectExtensions(cwd: string): string[] {
  const folder = join(cwd, ".pi");
  const listed = [
    ...namesIn(join(folder, "extensions"))
      .map((name) => join(folder, "extensions", name))
      .filter(isExtension),
  ];
  const named = namedInSettings(join(folder, "settings.json")).map((path) => resolve(folder, path));
  return [...new Set([...listed, ...named])].filter((path) => existsSync(path));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    // A project without extensions.
    return [];
  }
}

function isExtension(path: string): boolean {
  if (SCRIPT.test(path)) return true;
  try {
    return (
      statSync(path).isDirectory() &&
      namesIn(path).some((name) => name === "package.json" || /^index\.[cm]?[jt]s$/.test(name))
    );
  } catch {
    // A dangling link.
    return false;
  }
}

function namedInSettings(path: string): string[] {
  try {
    const { extensions, packages } = JSON.parse(readFileSync(path, "utf8")) as {
      extensions?: unknown;
      packages?: unknown;
    };
    const sources = [extensions, packages]
      .flat()
      .map((entry) =>
        typeof entry === "object" && entry !== null ? (entry as { source?: unknown }).source : entry,
      );
    return sources.filter(
      (source): source is string => typeof source === "string" && !NOT_LOCAL.test(source),
    );
  } catch {
    // Absent or broken: pi loads none of it either.
    return [];
  }
}
