/**
 * Holds `src` to the table of rooms below: arrows go one way, what knows no pi imports
 * none of it, and only the entries load what pi supplies.
 */

import { readdir, readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";
import { readSource } from "./read-source.ts";

/** What one room may import of ours: a room's name, or one file of a room. */
export interface RoomRule {
  mayImport: readonly string[];
  /** More of ours that only types may come from. */
  typesFrom?: readonly string[];
  /** False for what must run without pi: not even its types. Default true. */
  knowsPi?: boolean;
}

/** The files directly under `src` count as rooms of their own. */
export const ROOMS: Readonly<Record<string, RoomRule>> = {
  "extension.ts": { mayImport: [], typesFrom: ["extension"] },
  "index.ts": { mayImport: ["embed", "program", "children", "tasks", "base"], typesFrom: ["worker"] },
  embed: { mayImport: ["program", "children", "tasks", "base"] },
  extension: { mayImport: ["base", "worker", "program", "children", "tasks", "surface", "tools", "render"] },
  base: { mayImport: [] },
  worker: { mayImport: ["base"], knowsPi: false },
  program: { mayImport: ["base", "worker/protocol.ts"], knowsPi: false },
  children: { mayImport: ["base"] },
  tasks: { mayImport: ["base", "children"] },
  surface: { mayImport: ["base"] },
  tools: { mayImport: ["base", "program", "children", "tasks", "surface", "render"] },
  render: { mayImport: [], typesFrom: ["program", "children"] },
};

/** Every room may take the types of `details` from here. */
const DETAILS_OWNER = "render";
/** Rooms that may load what pi supplies: the entry pi loads, and what runs without a pi session. The rest gets it handed in. */
export const HOST_LOADERS: ReadonlySet<string> = new Set(["extension.ts", "index.ts", "embed"]);
const PI_PACKAGE = /^(?:@earendil-works\/pi-(?!codemode(?:\/|$))|typebox(?:\/|$))/;

/** Sentences about imports in the file `path` (relative to `src`, with `/`) that the table forbids. */
export function layerProblems(path: string, source: string): string[] {
  const room = roomOf(path);
  const rule = ROOMS[room];
  if (!rule) return [`src/${path}: ${room} is no room of the table in scripts/check-layers.ts`];
  return readSource(path, source).imports.flatMap(({ specifier, typeOnly, line }) => {
    const at = `src/${path}:${line}`;
    if (!specifier.startsWith("."))
      return packageProblem(rule, path, { specifier, typeOnly }).map((text) => `${at}: ${text}`);
    const target = posix.join(posix.dirname(path), specifier);
    if (allows(room, rule, { target, typeOnly })) return [];
    return [`${at}: ${room} may not import ${typeOnly ? "types from " : ""}${target}`];
  });
}

/** Problems of every source file below `src`. */
export async function checkLayers(src: string): Promise<string[]> {
  const entries = await readdir(src, { recursive: true });
  const paths = entries.map((path) => path.replaceAll("\\", "/")).filter((path) => path.endsWith(".ts"));
  const problems = await Promise.all(
    paths.toSorted().map(async (path) => layerProblems(path, await readFile(join(src, path), "utf8"))),
  );
  return problems.flat();
}

function allows(room: string, rule: RoomRule, site: { target: string; typeOnly: boolean }): boolean {
  const { target, typeOnly } = site;
  const owner = roomOf(target);
  if (owner === room || rule.mayImport.includes(owner) || rule.mayImport.includes(target)) return true;
  return typeOnly && (owner === DETAILS_OWNER || (rule.typesFrom ?? []).includes(owner));
}

function packageProblem(
  rule: RoomRule,
  path: string,
  site: { specifier: string; typeOnly: boolean },
): string[] {
  if (isBuiltin(site.specifier))
    return site.specifier.startsWith("node:") ? [] : [`write node:${site.specifier}`];
  if (!PI_PACKAGE.test(site.specifier)) return [];
  if (rule.knowsPi === false) return [`${roomOf(path)} knows no pi, so not ${site.specifier} either`];
  if (site.typeOnly || HOST_LOADERS.has(roomOf(path))) return [];
  return [`${site.specifier} would be loaded a second time; take it from the host value or import its types`];
}

/** First folder of a path below `src`, or the file itself directly under it. */
function roomOf(path: string): string {
  return path.split("/", 1)[0] as string;
}

if (process.argv[1] === import.meta.filename) {
  const problems = await checkLayers(join(dirname(import.meta.dirname), "src"));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
