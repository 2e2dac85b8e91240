/** Proportional set size of one idle spare, read from a real pi that holds some. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PiHome } from "../../tests/pi/real-pi.ts";
import { playBench, program } from "./bench-pi.ts";
import { median } from "./figures.ts";
import type { TreeMemory } from "./tree-pss.ts";

/** Threads are weighed by what pi itself gains, which varies from start to start, so several are. */
const THREADS = 4;

/** Settings that decide where programs run. */
interface PlaceSettings {
  engine?: "quickjs";
  isolation?: "process" | "thread";
}

/** MiB of one spare: of its own process, or what each of four threads adds to pi. */
export async function measureSpareMemory(home: PiHome, place: PlaceSettings): Promise<number> {
  if (place.isolation === "process")
    return median((await weigh(home, place, 1)).flatMap(({ workers }) => workers));
  const without = median((await weigh(home, place, 0)).map(({ pi }) => pi));
  const withThreads = median((await weigh(home, place, THREADS)).map(({ pi }) => pi));
  return (withThreads - without) / THREADS;
}

async function weigh(home: PiHome, place: PlaceSettings, spares: number): Promise<TreeMemory[]> {
  const path = join(home.home.root, "memory.jsonl");
  writeFileSync(path, "");
  const measure = [{ name: "tree_pss", args: { path } }];
  await playBench(home, {
    settings: { ...place, limits: { spares } },
    // Long enough for the spares after the program to come up.
    paceMs: 1_500,
    extensions: ["../../scripts/bench/tree-pss.ts"],
    steps: [program("return 1"), measure, measure, measure],
  });
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as TreeMemory);
}
