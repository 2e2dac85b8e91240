/** The environment of a child: the parent's, plus where it stands in the tree, less what debuggers left. */

import { BOUNDS_VARIABLE } from "../base/handed-settings.ts";
import { RUN_MARKER } from "./stop-tree.ts";

/** Depth of its reader, in digits. */
export const DEPTH_VARIABLE = "PI_PTC_DEPTH";
/** How many children may run below it. */
export const TREE_SLOTS_VARIABLE = "PI_PTC_TREE_SLOTS";
/** Of the nearest child above that goes on in the background, its reader included. */
export const TASK_ID_VARIABLE = "PI_PTC_TASK_ID";
/** Key of the pi that dispatched it. */
export const PARENT_VARIABLE = "PI_PTC_PARENT";
/** `1` in a read-only child and in all below it. */
export const READ_ONLY_VARIABLE = "PI_PTC_READ_ONLY";

/** Where one child stands. */
export interface ChildPlace {
  depth: number;
  /** How many children may run below it. */
  treeSlots: number;
  /** Of `runMarker`. */
  marker: string;
  /** Key of this process (base/process-key.ts). */
  parent: string;
  readOnly: boolean;
  /** Of `handDown` (base/handed-settings.ts). */
  bounds: string;
  /** Of a background child. */
  taskId?: string;
}

/** With one of these a child would wait for a debugger, or take the port of its parent's. */
const DEBUGGER_VARIABLES = [
  "VSCODE_INSPECTOR_OPTIONS",
  "NODE_INSPECT_RESUME_ON_START",
  "BUN_INSPECT",
  "BUN_INSPECT_CONNECT_TO",
  "BUN_INSPECT_NOTIFY",
];
const DEBUGGER_FLAG = /^--(?:inspect|debug)(?:-[a-z-]+)?(?:=|$)/;
/** Flags that take the next word as their value. */
const FLAG_WITH_VALUE = /^--(?:inspect-port|debug-port|inspect-publish-uid)$/;

/** The child's whole environment. */
export function childEnvironment(env: NodeJS.ProcessEnv, place: ChildPlace): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !DEBUGGER_VARIABLES.includes(entry[0]),
  );
  const child = Object.fromEntries(kept);
  const options = env["NODE_OPTIONS"] === undefined ? "" : withoutDebugger(env["NODE_OPTIONS"]);
  delete child["NODE_OPTIONS"];
  return {
    ...child,
    ...(options === "" ? {} : { NODE_OPTIONS: options }),
    [DEPTH_VARIABLE]: String(place.depth),
    [TREE_SLOTS_VARIABLE]: String(place.treeSlots),
    [RUN_MARKER]: place.marker,
    [PARENT_VARIABLE]: place.parent,
    [BOUNDS_VARIABLE]: place.bounds,
    ...(place.readOnly ? { [READ_ONLY_VARIABLE]: "1" } : {}),
    ...(place.taskId === undefined ? {} : { [TASK_ID_VARIABLE]: place.taskId }),
  };
}

/**
 * A marker for one run: the parent's, if it is marked, then `id`. Everything below a child so carries the child's
 * marker as a prefix up to the end or a slash, also after those between have died.
 */
export function runMarker(env: NodeJS.ProcessEnv, id: string): string {
  const above = env[RUN_MARKER] ?? "";
  return /^[\w-]+(?:\/[\w-]+){0,31}$/.test(above) ? `${above}/${id}` : id;
}

/** `NODE_OPTIONS` without flags of the debugger. Quotes group words as Node reads them. */
function withoutDebugger(options: string): string {
  const words = options.match(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/g) ?? [];
  const plain = (word: string): string => word.replace(/"/g, "");
  const kept = words.filter((word, index) => {
    const before = words[index - 1];
    return !DEBUGGER_FLAG.test(plain(word)) && !(before !== undefined && FLAG_WITH_VALUE.test(plain(before)));
  });
  return kept.length === words.length ? options.trim() : kept.join(" ");
}
