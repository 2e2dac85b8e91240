/** What the extension adds to pi's start: paired starts of the real pi with and without it. */

import { join } from "node:path";
import { createSandboxHome, type SandboxHome } from "../sandbox-home.ts";
import { runPi } from "../../tests/package/pi-process.ts";
import { figure, median, note } from "./figures.ts";

const STARTS = 20;
const CHECKOUT = join(import.meta.dirname, "../..");
const MODEL = join(CHECKOUT, "tests/fixtures/faux-model.ts");

export async function measureStart(): Promise<void> {
  const warm = await pairedStarts("shared");
  note("programs/start-alone", median(warm.alone), "ms");
  figure("programs/start-added-warm", median(warm.added), 30, "ms");
  const first = await pairedStarts("fresh");
  figure("programs/start-added-first", median(first.added), 400, "ms");
}

async function pairedStarts(caches: "shared" | "fresh"): Promise<{ alone: number[]; added: number[] }> {
  const alone: number[] = [];
  const added: number[] = [];
  let homes = await openHomes(caches);
  if (caches === "shared") for (const home of homes) await timeStart(home);
  for (let pair = 0; pair < STARTS; pair += 1) {
    // Which of the two goes first changes, so that a drift of the machine falls on both.
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    const ms: number[] = [];
    for (const index of order) ms[index] = await timeStart(homes[index] as SandboxHome);
    alone.push(ms[0] as number);
    added.push((ms[1] as number) - (ms[0] as number));
    if (caches === "shared") continue;
    for (const home of homes) home.remove();
    homes = await openHomes(caches);
  }
  for (const home of homes) home.remove();
  return { alone, added };
}

async function openHomes(caches: "shared" | "fresh"): Promise<[SandboxHome, SandboxHome]> {
  const homes: [SandboxHome, SandboxHome] = [createSandboxHome({ caches }), createSandboxHome({ caches })];
  const end = await runPi(homes[1], ["install", CHECKOUT]);
  if (end.code !== 0) throw new Error(`pi install failed: ${end.stdout}${end.stderr}`);
  return homes;
}

async function timeStart(home: SandboxHome): Promise<number> {
  const startedAt = performance.now();
  const end = await runPi(home, ["-e", MODEL, "--model", "faux/faux-1", "--no-session", "-p", "hello"]);
  if (end.code !== 0) throw new Error(`pi failed: ${end.stdout}${end.stderr}`);
  return performance.now() - startedAt;
}
