/** What a session file says of its tasks: which notices are in it, and which the model answered. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  type: string;
  customType?: string;
  details?: { taskIds?: string[] };
  message?: { role: string; stopReason?: string };
}

/** Counts per task. */
export interface Telling {
  /** Notices in the file that hold the task. */
  noticed: Map<string, number>;
  /** Tasks after whose notice an answer came without an error. */
  told: Set<string>;
}

/** Reads the one session file in `folder`. */
export function readTelling(folder: string): Telling {
  const file = readdirSync(folder).find((name) => name.endsWith(".jsonl"));
  if (!file) throw new Error(`no session in ${folder}`);
  const lines = readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
  const noticed = new Map<string, number>();
  const told = new Set<string>();
  const waiting = new Set<string>();
  for (const entry of lines.map((line) => JSON.parse(line) as Entry)) {
    if (entry.type === "custom_message" && entry.customType === "ptc-task-notice") {
      for (const id of entry.details?.taskIds ?? []) {
        noticed.set(id, (noticed.get(id) ?? 0) + 1);
        waiting.add(id);
      }
    }
    const { role, stopReason } = entry.message ?? {};
    if (role !== "assistant" || stopReason === "error" || stopReason === "aborted") continue;
    for (const id of waiting) told.add(id);
    waiting.clear();
  }
  return { noticed, told };
}
