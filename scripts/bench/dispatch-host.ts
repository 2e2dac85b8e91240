/**
 * The process in which `bench children` dispatches: the built extension in a stand-in for pi, so that the whole
 * path of the tool is measured, beside the least that starts the same child and reads its events.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { fakeSession } from "./fake-session.ts";
import { figure, median, note } from "./figures.ts";
import { recordLaunch, type Launch } from "./record-launch.ts";

const PAIRS = 15;
const AT_ONCE = 8;
const TASK = "say done";

/** Two ways to the same answer. */
interface Ways {
  dispatch(): Promise<void>;
  byHand(): Promise<void>;
}

const session = await fakeSession();
const launch = await recordLaunch(() => callTool(session.subagent));
const ways: Ways = {
  dispatch: async () => {
    const text = await callTool(session.subagent);
    if (!text.endsWith("done")) throw new Error(`the child failed: ${text}`);
  },
  byHand: () => startByHand(launch),
};
try {
  // The first of each warms caches up.
  await ways.dispatch();
  await ways.byHand();
  await oneByOne();
  await inParallel();
} finally {
  launch.dispose();
  await session.close();
}

async function oneByOne(): Promise<void> {
  const pairs = await measurePairs((way) => ways[way]());
  note("children/start-by-hand", median(pairs.map(({ byHand }) => byHand.ms)), "ms");
  note("children/own-cpu-by-hand", median(pairs.map(({ byHand }) => byHand.ownCpuMs)), "ms");
  compare("children/dispatch-over-by-hand", pairs);
  figure("children/own-cpu", median(pairs.map(({ dispatch }) => dispatch.ownCpuMs)), 25, "ms");
}

async function inParallel(): Promise<void> {
  const pairs = await measurePairs((way) => Promise.all(Array.from({ length: AT_ONCE }, () => ways[way]())));
  note("children/eight-by-hand", median(pairs.map(({ byHand }) => byHand.ms)), "ms");
  compare("children/eight-over-by-hand", pairs);
}

/** What one way took once. */
interface Cost {
  ms: number;
  ownCpuMs: number;
  /** With the children. */
  cpuMs: number;
}

/** Which of a pair goes first changes, so that a drift of the machine falls on both. */
async function measurePairs(run: (way: keyof Ways) => Promise<unknown>): Promise<Record<keyof Ways, Cost>[]> {
  const pairs: Record<keyof Ways, Cost>[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const first = pair % 2 === 0 ? "dispatch" : "byHand";
    const second = first === "dispatch" ? "byHand" : "dispatch";
    const costs = [await costOf(() => run(first)), await costOf(() => run(second))] as const;
    pairs.push({ [first]: costs[0], [second]: costs[1] } as Record<keyof Ways, Cost>);
  }
  return pairs;
}

async function costOf(run: () => Promise<unknown>): Promise<Cost> {
  const [startedAt, ownBefore, childrenBefore] = [performance.now(), process.cpuUsage(), childrenCpuMs()];
  await run();
  const { user, system } = process.cpuUsage(ownBefore);
  const ownCpuMs = (user + system) / 1_000;
  return {
    ms: performance.now() - startedAt,
    ownCpuMs,
    cpuMs: ownCpuMs + childrenCpuMs() - childrenBefore,
  };
}

/** Processor time of the children that have ended, in steps of 10 ms (proc(5): `cutime` and `cstime`, in ticks). */
function childrenCpuMs(): number {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/**
 * Median of the ratios and not ratio of the medians: what slows the machine slows both of a pair. Processor time stands beside
 * it, because on a loaded machine elapsed time tells of the others.
 */
function compare(name: string, pairs: readonly Record<keyof Ways, Cost>[]): void {
  const ratio = (cost: "ms" | "cpuMs"): number =>
    median(pairs.map(({ dispatch, byHand }) => dispatch[cost] / byHand[cost]));
  figure(name, ratio("ms"), 1.1, "x");
  note(`${name}, processor time`, ratio("cpuMs"), "x");
}

async function callTool({ tool, ctx }: { tool: ToolDefinition; ctx: unknown }): Promise<string> {
  const result = await tool.execute(
    "call_1",
    { task: TASK } as never,
    undefined,
    () => undefined,
    ctx as never,
  );
  const [block] = result.content;
  return block?.type === "text" ? block.text : "";
}

interface Event {
  type: string;
  message?: { role: string };
}

/** Spawn, write the task, parse each line, keep the last. In a session of its own, as ours: Linux shares its processors among sessions. */
async function startByHand({ command, args, cwd, env }: Launch): Promise<void> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "ignore"] });
  let rest = "";
  let last: Event | undefined;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = JSON.parse(line) as Event;
      if (event.type === "message_end") last = event;
    }
  });
  child.stdin.end(`Task: ${TASK}`);
  await once(child, "close");
  if (last?.message?.role !== "assistant") throw new Error("the child by hand gave no answer");
}
