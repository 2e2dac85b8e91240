/** What this package does in a pi that is itself a child: it ends with its parent, and keeps a read-only one to reading. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { CHILD_REPORT, RUN_CODE, WORKFLOW } from "../base/tool-names.ts";
import { DEPTH_VARIABLE, PARENT_VARIABLE, READ_ONLY_VARIABLE } from "../children/child-environment.ts";
import { READING } from "../children/child-tools.ts";
import { watchParent } from "../children/parent-watch.ts";
import { endSelf, RUN_MARKER, sweepAtFailure } from "../children/stop-tree.ts";

/** A program may be run: the engine it gets there has nothing but the calls that are held to this list, too. */
const ALLOWED = [...READING, CHILD_REPORT, RUN_CODE, WORKFLOW];

/** Was this pi started by a dispatch? */
export function isChild(env: NodeJS.ProcessEnv = process.env): boolean {
  return /^[1-9][0-9]*$/.test(env[DEPTH_VARIABLE] ?? "");
}

/** Was it to be a read-only one? */
export const isReadOnly = (env: NodeJS.ProcessEnv = process.env): boolean => env[READ_ONLY_VARIABLE] === "1";

/** Subscribes what a child needs; does nothing in a session of a person. */
export function actAsChild(pi: ExtensionAPI, readOnlyTools: () => readonly string[]): void {
  if (!isChild()) return;
  pi.on("session_start", startWatch);
  if (!isReadOnly()) return;
  pi.on("tool_call", ({ toolName }) => {
    if (ALLOWED.includes(toolName) || readOnlyTools().includes(toolName)) return undefined;
    return { block: true, reason: `this child is read-only: ${toolName} is not among ${ALLOWED.join(", ")}` };
  });
}

/**
 * The watch belongs to the process, so it outlasts its sessions. A pi that somebody starts in a command of this child is not
 * the dispatched one: it must not find the variable, nor does a later session here.
 */
function startWatch(): void {
  const { [PARENT_VARIABLE]: key, [RUN_MARKER]: marker } = process.env;
  if (key === undefined) return;
  delete process.env[PARENT_VARIABLE];
  sweepAtFailure(marker);
  watchParent(key, () => endSelf(marker));
}
