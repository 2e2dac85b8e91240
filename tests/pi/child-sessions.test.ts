/** Children over the life of a real session: aborts, a new session, a reload, the person's Esc (spec 2.4, 2.6). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { expectEnd, isRunning } from "../faults/processes.ts";
import { CALLS_CHILDREN, dataOf, Family, subagent } from "./family.ts";
import { isPiBefore } from "./pi-version.ts";
import type { PiEvent } from "./real-pi.ts";
import { RpcPi } from "./rpc-pi.ts";
import { TerminalPi } from "./terminal-pi.ts";

const KIT = join(import.meta.dirname, "../fixtures/kit-extension.ts");

let family: Family;
let pi: RpcPi;

beforeAll(async () => {
  family = await Family.open();
  // One lost slot would be seen at once.
  family.home.settings({ limits: { dispatchConcurrency: 1 } });
  family.answers.set("works on", ({ task }) => {
    const file = /shells-\w+/.exec(task)?.[0];
    const command = `echo $$ > ${file}; setsid sleep 600 & echo $! >> ${file}; sleep 600 & echo $! >> ${file}; wait`;
    return { calls: [["bash", { command }]] };
  });
  family.answers.set("works again", () => "worked again");
  for (const way of ["abort", "reload", "esc"])
    family.plays(`P-${way}`, [subagent({ task: `works on shells-${way}` })]);
  const code = `await tools["pi.dispatch"]({ task: "works on shells-new" })`;
  const script = `await tools.ptc_run_code({ description: "d", code: ${JSON.stringify(code)} })`;
  family.plays("P-new", [{ name: "codemode", args: { code: script } }]);
  family.plays("P-again", [subagent({ task: "works again" })]);
  pi = new RpcPi(family.starter, { steps: [], args: [...CALLS_CHILDREN, "-e", KIT] });
});

afterEach(() => family.expectNothingLeft());

afterAll(async () => {
  family.endLeftOver();
  await pi.close();
  await family.close();
});

/** The shells that a child has started, once all run. */
async function shellsOf(way: string): Promise<number[]> {
  const path = join(family.home.home.cwd, `shells-${way}`);
  return vi.waitFor(
    () => {
      const pids = readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number);
      if (pids.length < 3) throw new Error("not all run yet");
      return pids;
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** Prompts, and gives the shells of the child that now runs. */
async function startChild(way: string): Promise<number[]> {
  pi.write({ type: "prompt", message: `P-${way}` });
  return shellsOf(way);
}

async function expectGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) await expectEnd(pid);
  await vi.waitFor(() => family.expectNothingLeft(), { timeout: 10_000, interval: 50 });
}

async function expectNextChild(): Promise<void> {
  const [end] = await pi.prompt("P-again");
  expect(dataOf(end)).toMatchObject({ status: "fulfilled", text: "worked again" });
}

const event = (type: string): Promise<PiEvent> => pi.next((candidate) => candidate.type === type);

test("a child's usage is in the session's total, once", async () => {
  await expectNextChild();
  const { data } = await pi.send({ type: "get_session_stats" });
  // Two answers of the parent's model and one of the child's.
  expect(data).toMatchObject({ tokens: { input: 300, output: 21 } });
}, 60_000);

test("an abort ends the child that runs with its shells, says so, and the next one runs", async () => {
  const pids = await startChild("abort");
  const [ended, settled] = [event("tool_execution_end"), event("agent_settled")];
  await pi.send({ type: "abort" });
  expect(await ended).toMatchObject({
    isError: true,
    result: { structuredContent: { status: "rejected", usage: { input: 100, turns: 1 } } },
  });
  await expectGone(pids);
  await settled;
  await expectNextChild();
}, 60_000);

test("a new session ends the child of a program with its shells, and the next one runs", async () => {
  const pids = await startChild("new");
  await pi.send({ type: "new_session" });
  await expectGone(pids);
  await expectNextChild();
}, 60_000);

test.skipIf(isPiBefore("1.5.1"))(
  "a reload is refused by pi while a child runs, which goes on; after the reload the next one runs",
  async () => {
    const pids = await startChild("reload");
    const refused = event("extension_error");
    await pi.send({ type: "prompt", message: "/kit-reload" });
    expect(await refused).toMatchObject({ error: expect.stringContaining("before reloading") });
    expect(pids.every(isRunning)).toBe(true);
    const settled = event("agent_settled");
    await pi.send({ type: "abort" });
    await expectGone(pids);
    await settled;
    await pi.send({ type: "prompt", message: "/kit-reload" });
    await expectNextChild();
  },
  60_000,
);

test.runIf(isPiBefore("1.5.1"))(
  "a reload that an older pi does not refuse ends the child that runs, and the next one runs",
  async () => {
    const pids = await startChild("reload");
    const settled = event("agent_settled");
    await pi.send({ type: "prompt", message: "/kit-reload" });
    await expectGone(pids);
    await settled;
    await expectNextChild();
  },
  60_000,
);

test("Esc ends the child that runs with its shells, and the next one runs", async () => {
  await using screen = await TerminalPi.open(family.home.home, family.command(CALLS_CHILDREN));
  await screen.submit("P-esc");
  const pids = await shellsOf("esc");
  await screen.press("escape");
  await screen.waitFor(/abort/i);
  await expectGone(pids);
  await screen.submit("P-again");
  await screen.waitFor(/worked again/);
  await screen.submit("/quit");
  expect(await screen.ended).toBe(0);
}, 60_000);
