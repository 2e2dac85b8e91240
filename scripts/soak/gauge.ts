/**
 * An extension that measures the pi it is loaded into: `/soak-gauge` appends one line of JSON to the file `SOAK_GAUGE`.
 * What pi itself holds is in every line, so only differences between two lines mean anything.
 */

import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** One look at the process. */
export interface Gauge {
  /** Processes whose parent is this one. */
  children: number;
  threads: number;
  descriptors: number;
  timers: number;
  /** Timers and handles that keep the process alive, by kind. */
  resources: Record<string, number>;
  /** Of our own in the folder for temporary files. */
  tempFiles: number;
  heapMiB: number;
  residentMiB: number;
}

const MIB = 1_048_576;
/** Long enough for spares that nobody needs any more to be let go. */
const SETTLE_MS = 1_500;

export default function gauge(pi: ExtensionAPI): void {
  pi.registerCommand("soak-gauge", {
    description: "Measures this pi",
    handler: async () => {
      await sleep(SETTLE_MS);
      appendFileSync(process.env["SOAK_GAUGE"] as string, `${JSON.stringify(look())}\n`);
    },
  });
}

function look(): Gauge {
  collectGarbage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const { heapUsed, rss } = process.memoryUsage();
  return {
    children: readdirSync("/proc/self/task").reduce((sum, thread) => sum + childrenOf(thread), 0),
    threads: readdirSync("/proc/self/task").length,
    descriptors: readdirSync("/proc/self/fd").length,
    timers: resources["Timeout"] ?? 0,
    resources,
    tempFiles: readdirSync(tmpdir(), { recursive: true }).filter((name) => String(name).includes("ptc"))
      .length,
    heapMiB: heapUsed / MIB,
    residentMiB: rss / MIB,
  };
}

const childrenOf = (thread: string): number =>
  readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean).length;

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
}
