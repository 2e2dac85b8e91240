/** What this package does in a pi that is itself a child: it ends with its parent, and keeps a read-only one to reading. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { DEPTH_VARIABLE, READ_ONLY_VARIABLE } from "../children/child-environment.ts";
import { watchParent } from "../children/parent-watch.ts";
import { endDescendants, KILL_DELAY_MS } from "../children/stop-tree.ts";
import { CHILD_REPORT } from "../tools/child-report.ts";

const READING = ["read", "grep", "find", "ls", CHILD_REPORT];

/** Was this pi started by a dispatch? */
export function isChild(env: NodeJS.ProcessEnv = process.env): boolean {
  return /^[1-9][0-9]*$/.test(env[DEPTH_VARIABLE] ?? "");
}

/** Subscribes what a child needs; does nothing in a session of a person. */
export function actAsChild(pi: ExtensionAPI, readOnlyTools: () => readonly string[]): void {
  if (!isChild()) return;
  pi.on("session_start", () => {
    const stop = watchParent(endSelf);
    const parent = process.ppid;
    // One that writes once its parent is gone ends on the broken pipe, and pi leaves its commands running then.
    process.once("exit", () => {
      if (process.ppid !== parent) endDescendants();
    });
    pi.on("session_shutdown", stop);
  });
  if (process.env[READ_ONLY_VARIABLE] !== "1") return;
  pi.on("tool_call", ({ toolName }) => {
    if (READING.includes(toolName) || readOnlyTools().includes(toolName)) return undefined;
    return { block: true, reason: `this child is read-only: ${toolName} is not among ${READING.join(", ")}` };
  });
}

/** pi stops its own commands on SIGTERM; one that hangs is not waited for. */
function endSelf(): void {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), KILL_DELAY_MS).unref();
}
