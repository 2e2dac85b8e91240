/** Twenty tasks that end in the same second are each told once, whatever the session is doing (spec 3.5). */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ModelAnswer, ModelTurn } from "../fixtures/model-server.ts";
import { CALLS_CHILDREN, Family } from "./family.ts";
import { QuickChildren } from "./quick-children.ts";
import { RpcPi } from "./rpc-pi.ts";
import { leavesNothing } from "./task-home.ts";
import { readTelling } from "./task-session.ts";

const COUNT = 20;
const TRIES = { timeout: 15_000, interval: 50 };
const dispatch = (index: number): [string, object] => [
  "ptc_subagent",
  { task: `job-${index}`, background: true },
];
const ALL = Array.from({ length: COUNT }, (_, index) => dispatch(index));

let family: Family;
let children: QuickChildren;
let sessions = "";
let number = 0;
let pi: RpcPi | undefined;

beforeAll(async () => {
  family = await Family.open();
  children = new QuickChildren(family.home.home.root);
  // A short session is worth a compaction too.
  const settings = join(family.home.home.agentDir, "settings.json");
  const given = JSON.parse(readFileSync(settings, "utf8")) as object;
  writeFileSync(settings, JSON.stringify({ ...given, compaction: { keepRecentTokens: 1 } }));
}, 60_000);
beforeEach(() => {
  number += 1;
  sessions = join(family.home.home.root, `sessions-${number}`);
  mkdirSync(sessions);
  children.hold();
  configure({});
  family.answers.clear();
  family.answers.set("<bg-task-notifications", () => "noted");
});
afterEach(async () => {
  children.finish();
  await pi?.close();
  pi = undefined;
  await leavesNothing(family);
});
afterAll(() => family.close());

const configure = (settings: object): void =>
  family.home.settings({ command: children.command, limits: { dispatchConcurrency: COUNT }, ...settings });

const open = (args: string[] = []): RpcPi =>
  new RpcPi(family.home, {
    steps: [],
    loopback: true,
    session: true,
    args: ["--session-dir", sessions, ...CALLS_CHILDREN, ...args],
  });

/** The prompt of a compaction quotes the conversation, so it would fit the answers to parts of it. */
function answerAll(answer: (turn: ModelTurn) => ModelAnswer | Promise<ModelAnswer>): void {
  family.answers.clear();
  family.answers.set("", answer as (turn: ModelTurn) => ModelAnswer);
}

/** Starts all tasks with one prompt; then the model says `started`. */
async function startAll(rpc: RpcPi): Promise<string[]> {
  family.answers.set("start all", ({ results }) => (results.length === 0 ? { calls: ALL } : "started"));
  const ends = await rpc.prompt("start all");
  const ids = ends.map((end) => String(end.result.structuredContent?.["task_id"]));
  expect(new Set(ids).size).toBe(COUNT);
  return ids;
}

const outbox = (): string[] => {
  const [folder] = readdirSync(join(sessions, "tasks"));
  return readdirSync(join(sessions, "tasks", folder as string, "outbox"));
};

async function eachToldOnce(ids: readonly string[]): Promise<void> {
  await vi.waitFor(() => {
    const { noticed, told } = readTelling(sessions);
    expect([...told].toSorted()).toEqual(ids.toSorted());
    expect([...noticed.values()]).toEqual(ids.map(() => 1));
    expect(outbox()).toEqual([]);
  }, TRIES);
}

test("when the session is idle, by one message that wakes it", async () => {
  pi = open();
  const ids = await startAll(pi);
  const turns = family.server.turns.length;
  children.finish();
  await eachToldOnce(ids);
  expect(family.server.turns.length - turns).toBeLessThanOrEqual(3);
});

test("in the middle of a run, with the next request of the same run", async () => {
  pi = open();
  const ids = await startAll(pi);
  family.answers.set("work on", ({ results }) =>
    results.length < 3 ? { calls: [["bash", { command: "sleep 0.5" }]] } : "worked",
  );
  const running = pi.prompt("work on");
  children.finish();
  await running;
  await eachToldOnce(ids);
  const prompts = pi.events.filter((event) => event.type === "agent_start").length;
  expect(prompts).toBe(2);
});

test("when the run is aborted while they wait, with the next prompt", async () => {
  pi = open();
  const rpc = pi;
  const ids = await startAll(rpc);
  family.answers.set("sleep long", () => ({ calls: [["bash", { command: "sleep 30" }]] }));
  const sleeping = rpc.next((event) => event.type === "tool_execution_start" && event.toolName === "bash");
  const settled = rpc.next((event) => event.type === "agent_settled");
  await rpc.send({ type: "prompt", message: "sleep long" });
  await sleeping;
  children.finish();
  await vi.waitFor(() => expect(outbox()).toHaveLength(COUNT), TRIES);
  await rpc.send({ type: "abort" });
  await settled;
  family.answers.set("go on", () => "going on");
  await rpc.prompt("go on");
  await eachToldOnce(ids);
});

test("when they end during a compaction, after it and never by a run on the old context", async () => {
  pi = open();
  const rpc = pi;
  const ids = await startAll(rpc);
  let finish: (summary: string) => void = () => undefined;
  const summary = new Promise<string>((resolve) => (finish = resolve));
  const turns = family.server.turns.length;
  answerAll((turn) => (turn.task.startsWith("<bg-task") ? "noted" : summary));
  const compacting = rpc.send({ type: "compact" });
  await vi.waitFor(() => expect(family.server.turns.length).toBeGreaterThan(turns), TRIES);
  children.finish();
  await vi.waitFor(() => expect(outbox()).toHaveLength(COUNT), TRIES);
  const asked = family.server.turns.slice(turns).map(({ task }) => task.startsWith("<bg-task"));
  expect(asked).not.toContain(true);
  finish("a summary");
  expect((await compacting)["success"]).toBe(true);
  await eachToldOnce(ids);
  const notice = family.server.turns.findLast((turn) => turn.task.startsWith("<bg-task"));
  expect(JSON.stringify(notice?.messages)).toContain("a summary");
});

test("a compaction repeats none that were told", async () => {
  pi = open();
  const ids = await startAll(pi);
  children.finish();
  await eachToldOnce(ids);
  answerAll(() => "a summary");
  expect((await pi.send({ type: "compact" }))["success"]).toBe(true);
  await pi.prompt("after");
  await eachToldOnce(ids);
});
