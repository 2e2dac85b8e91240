/**
 * The process in which `bench children` dispatches: the built extension in a stand-in for pi, so that the whole
 * path of the tool is measured, beside the least that starts the same child and reads its events.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
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
  const cpu: Record<keyof Ways, number[]> = { dispatch: [], byHand: [] };
  const ms = await measurePairs(async (way) => {
    const before = process.cpuUsage();
    await ways[way]();
    const { user, system } = process.cpuUsage(before);
    cpu[way].push((user + system) / 1_000);
  });
  note("children/start-by-hand", median(ms.byHand), "ms");
  note("children/own-cpu-by-hand", median(cpu.byHand), "ms");
  compare("children/dispatch-over-by-hand", ms);
  figure("children/own-cpu", median(cpu.dispatch), 25, "ms");
}

async function inParallel(): Promise<void> {
  const ms = await measurePairs((way) => Promise.all(Array.from({ length: AT_ONCE }, () => ways[way]())));
  note("children/eight-by-hand", median(ms.byHand), "ms");
  compare("children/eight-over-by-hand", ms);
}

/** Which of a pair goes first changes, so that a drift of the machine falls on both. */
async function measurePairs(
  run: (way: keyof Ways) => Promise<unknown>,
): Promise<Record<keyof Ways, number[]>> {
  const ms: Record<keyof Ways, number[]> = { dispatch: [], byHand: [] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const order = pair % 2 === 0 ? (["dispatch", "byHand"] as const) : (["byHand", "dispatch"] as const);
    for (const way of order) {
      const startedAt = performance.now();
      await run(way);
      ms[way].push(performance.now() - startedAt);
    }
  }
  return ms;
}

/**
 * Median of the ratios and not ratio of the medians: what slows the machine slows both of a pair. Beside it the fastest of
 * each, since what else the machine does only ever adds.
 */
function compare(name: string, { dispatch, byHand }: Record<keyof Ways, number[]>): void {
  const ratios = dispatch.map((ms, pair) => ms / (byHand[pair] as number));
  figure(name, median(ratios), 1.1, "x");
  note(`${name}, the fastest of each`, Math.min(...dispatch) / Math.min(...byHand), "x");
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
