/** Proportional set size of one idle spare, read from a real pi that holds some. */

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PiHome } from "../../tests/pi/real-pi.ts";
import type { VesselKind } from "../../src/program/request.ts";
import { playBench, program } from "./bench-pi.ts";

const SPARES = 4;

/** MiB of one spare: what a pi with four of them, and their processes, has over a pi with none, divided by four. */
export async function measureSpareMemory(home: PiHome, vessel: VesselKind): Promise<number> {
  const without = await treeMiB(home, vessel, 0);
  const withSpares = await treeMiB(home, vessel, SPARES);
  return (withSpares - without) / SPARES;
}

async function treeMiB(home: PiHome, vessel: VesselKind, spares: number): Promise<number> {
  const path = join(home.home.root, "pss.txt");
  appendFileSync(path, "");
  const settings = { isolation: vessel, limits: { spares } };
  // The pause lets the spares that the second program left come up before the tree is measured.
  const measure = [{ name: "tree_pss", args: { path } }];
  await playBench(home, {
    settings,
    paceMs: 1_500,
    extensions: ["../../scripts/bench/tree-pss.ts"],
    steps: [program("return 1"), measure, measure, measure],
  });
  const values = readFileSync(path, "utf8").trim().split("\n").map(Number);
  return Math.min(...values.slice(-3));
}
