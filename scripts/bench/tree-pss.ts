/** A tool for benches: appends the proportional set size of pi and its descendants, in MiB, to a file. */

import { appendFileSync, readFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { descendantsOf } from "../../src/base/process-tree.ts";

export default function addTreePss(pi: ExtensionAPI): void {
  pi.registerTool({
    name: "tree_pss",
    label: "tree pss",
    description: "Measures memory.",
    parameters: Type.Object({ path: Type.String() }),
    async execute(_id, { path }) {
      const pids = [process.pid, ...descendantsOf(process.pid)];
      appendFileSync(path, `${pids.reduce((sum, pid) => sum + pssMiB(pid), 0)}\n`);
      return { content: [{ type: "text", text: String(pids.length) }], details: undefined };
    },
  });
}

function pssMiB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
}
