/** A tool for benches: appends the proportional set sizes of pi and its workers, in MiB, to a file. */

import { appendFileSync, readFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { descendantsOf } from "../../src/base/process-tree.ts";

/** One weighing. */
export interface TreeMemory {
  pi: number;
  workers: number[];
}

export default function addTreePss(pi: ExtensionAPI): void {
  pi.registerTool({
    name: "tree_pss",
    label: "tree pss",
    description: "Measures memory.",
    parameters: Type.Object({ path: Type.String() }),
    async execute(_id, { path }) {
      const workers = descendantsOf(process.pid).filter((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("worker.cjs"),
      );
      const memory: TreeMemory = { pi: pssMiB(process.pid), workers: workers.map(pssMiB) };
      appendFileSync(path, `${JSON.stringify(memory)}\n`);
      return { content: [{ type: "text", text: "measured" }], details: undefined };
    },
  });
}

function pssMiB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
}
