/** `bench children`: what a dispatch costs over starting the same child by hand. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { childEnvironment } from "../../src/children/child-environment.ts";
import { type ChildPlan, startChild } from "../../src/children/start-child.ts";
import { startModelServer } from "../../tests/fixtures/model-server.ts";
import { PiHome } from "../../tests/pi/real-pi.ts";
import { PI_CLI } from "../sandbox-home.ts";
import { benchReader } from "./children-reader.ts";
import { figure, median, note } from "./figures.ts";

const PAIRS = 15;
const PARALLEL_PAIRS = 5;
const AT_ONCE = 8;

/** One child of pi, its task the same in both ways. */
interface SameChild {
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

export async function benchChildren(): Promise<void> {
  const server = await startModelServer(() => "done");
  const home = await PiHome.open();
  server.configure(home.home.agentDir);
  const place = { depth: 1, treeSlots: 0, marker: "bench", parent: "", readOnly: false };
  const child: SameChild = {
    args: [PI_CLI, "--model", "loop/m1", "--no-session", "--mode", "json", "-p"],
    cwd: home.home.cwd,
    env: childEnvironment(home.home.env, place),
  };
  try {
    await dispatch(child);
    await oneByOne(child);
    await inParallel(child);
  } finally {
    await server.close();
    home.close();
  }
  await benchReader();
}

async function oneByOne(child: SameChild): Promise<void> {
  const ours: number[] = [];
  const byHand: number[] = [];
  const cpu: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const ways = pair % 2 === 0 ? [dispatch, startByHand] : [startByHand, dispatch];
    for (const way of ways) {
      const before = process.cpuUsage();
      const ms = await timed(() => way(child));
      const { user, system } = process.cpuUsage(before);
      (way === dispatch ? ours : byHand).push(ms);
      if (way === dispatch) cpu.push((user + system) / 1000);
    }
  }
  note("children/start-by-hand", median(byHand), "ms");
  figure("children/dispatch-over-by-hand", median(ours) / median(byHand), 1.1, "x");
  figure("children/own-cpu", median(cpu), 25, "ms");
}

async function inParallel(child: SameChild): Promise<void> {
  const ours: number[] = [];
  const byHand: number[] = [];
  const all = (way: typeof dispatch) =>
    timed(() => Promise.all(Array.from({ length: AT_ONCE }, () => way(child))));
  for (let pair = 0; pair < PARALLEL_PAIRS; pair += 1) {
    ours.push(await all(dispatch));
    byHand.push(await all(startByHand));
  }
  figure("children/eight-over-by-hand", median(ours) / median(byHand), 1.1, "x");
}

async function dispatch({ args, cwd, env }: SameChild): Promise<void> {
  const plan: ChildPlan = {
    command: process.execPath,
    args,
    cwd,
    env,
    task: "say done",
    agentName: "default",
    marker: "bench",
    reportExpected: false,
    readOnly: false,
    timeoutMs: DEFAULT_CONFIG.dispatchTimeoutMs,
    maxTurns: 0,
    maxCostUsd: 0,
    warnings: [],
    dispose: () => undefined,
  };
  const result = await startChild(plan).result;
  if (result.text !== "done") throw new Error(`the child failed: ${result.errorMessage} ${result.stderr}`);
}

/** The least that gets the same answer: spawn, write the task, split lines, parse the ends of messages. */
async function startByHand({ args, cwd, env }: SameChild): Promise<void> {
  const child = spawn(process.execPath, [...args], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end("Task: say done");
  await once(child, "close");
  const lines = Buffer.concat(chunks).toString("utf8").split("\n").filter(Boolean);
  const ends = lines
    .filter((line) => line.startsWith('{"type":"message_end"'))
    .map((line) => JSON.parse(line) as { message: { role: string } });
  if (ends.at(-1)?.message.role !== "assistant") throw new Error("the child gave no answer");
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
