/** One child from start to result (spec 2.4, 2.6; faults 16 to 19 and 34), with a child that plays what it is told. */

import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DispatchResult } from "../../src/children/dispatch.ts";
import { type ChildPlan, startChild } from "../../src/children/start-child.ts";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import type { ChildRecord, ChildStep } from "../fixtures/scripted-child.ts";

const SCRIPTED = join(import.meta.dirname, "../fixtures/scripted-child.ts");
const folder = mkdtempSync(join(tmpdir(), "ptc-child-"));
let number = 0;

const message = (text: string, more: object = {}): string =>
  `${JSON.stringify({
    type: "message_end",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      stopReason: "stop",
      usage: { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, totalTokens: 18, cost: { total: 0.25 } },
      ...more,
    },
  })}\n`;
const SETTLED = `${JSON.stringify({ type: "agent_settled", aborted: false })}\n`;
const answer = (text: string): ChildStep => ({ out: message(text) + SETTLED });

interface Played {
  result: DispatchResult;
  record: ChildRecord | undefined;
  disposed: number;
}

function prepare(
  steps: ChildStep[],
  more: Partial<ChildPlan> = {},
): { plan: ChildPlan; disposed: () => number; record: () => ChildRecord | undefined } {
  number += 1;
  const script = join(folder, `script-${number}.json`);
  const recordPath = join(folder, `record-${number}.jsonl`);
  const marker = `test-${process.pid}-${number}`;
  writeFileSync(script, JSON.stringify(steps));
  let disposed = 0;
  const plan: ChildPlan = {
    command: process.execPath,
    args: [SCRIPTED, "--mode", "json"],
    cwd: folder,
    env: {
      ...(process.env as Record<string, string>),
      PTC_CHILD_SCRIPT: script,
      PTC_CHILD_RECORD: recordPath,
      [RUN_MARKER]: marker,
    },
    task: "do it",
    agentName: "scout",
    marker,
    reportExpected: false,
    readOnly: false,
    timeoutMs: 20_000,
    maxTurns: 0,
    maxCostUsd: 0,
    warnings: [],
    dispose: () => (disposed += 1),
    ...more,
  };
  const record = (): ChildRecord | undefined => {
    try {
      return JSON.parse(readFileSync(recordPath, "utf8")) as ChildRecord;
    } catch {
      return undefined;
    }
  };
  return { plan, disposed: () => disposed, record };
}

async function play(steps: ChildStep[], more: Partial<ChildPlan> = {}): Promise<Played> {
  const { plan, disposed, record } = prepare(steps, more);
  const result = await startChild(plan).result;
  expect(leftOvers(plan.marker)).toEqual([]);
  return { result, record: record(), disposed: disposed() };
}

/** Processes that carry a marker, zombies aside. */
function leftOvers(marker: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${RUN_MARKER}=${marker}\0`)
      );
    } catch {
      return false;
    }
  });
}

test("an answer is fulfilled, with usage, and slot and prompt file are given back once", async () => {
  const { result, disposed } = await play([answer("all good")]);
  expect(result).toMatchObject({
    status: "fulfilled",
    text: "all good",
    started: true,
    agentName: "scout",
    exitCode: 0,
    reportChannel: "opted-out",
  });
  expect(result.usage).toEqual({ input: 10, output: 5, cacheRead: 1, cacheWrite: 2, cost: 0.25, turns: 1 });
  expect(disposed).toBe(1);
});

test.each(["-x --help", "@/etc/passwd", "/quit", "!ls", "a\u2028b", "x".repeat(2_000_000)])(
  "a task of %j-like text goes over standard input word for word",
  async (task) => {
    const { record } = await play([answer("ok")], { task });
    expect(record?.stdin).toBe(`Task: ${task}`);
    expect(record?.argv).toEqual(["--mode", "json"]);
  },
);

test("an answer before a non-zero exit is rejected with the code, the end of standard error, and the text kept", async () => {
  const { result, disposed } = await play([
    { out: message("partial") },
    { err: "first\n" },
    { err: "the reason\n" },
    { exit: 3 },
  ]);
  expect(result).toMatchObject({ status: "rejected", text: "partial", exitCode: 3, started: true });
  expect(result.stderr).toContain("the reason");
  expect(result.errorMessage).toMatch(/3/);
  expect(disposed).toBe(1);
});

test("a last line without its end is read, whether the exit is heard before the end of the output or after it", async () => {
  const text = message("all of it") + SETTLED.trimEnd();
  // Which of the two comes first is chance.
  for (let run = 0; run < 100; run += 1) {
    const args = ["-c", `printf '%s' '${text}'`];
    const { result } = await play([], { command: "/bin/sh", args });
    expect(result).toMatchObject({ status: "fulfilled", text: "all of it" });
  }
});

test("at most 64 KiB of standard error are kept, its end", async () => {
  const { result } = await play([{ err: "y".repeat(10_000), times: 100 }, { err: "END" }, { exit: 1 }]);
  expect(Buffer.byteLength(result.stderr ?? "")).toBeLessThanOrEqual(65_536);
  expect(result.stderr?.endsWith("END")).toBe(true);
});

test.each(["SIGKILL", "SIGTERM", "SIGSEGV"] as const)(
  "a child that dies of %s is rejected and the signal named",
  async (signal) => {
    const { result } = await play([{ out: message("so far") }, { kill: signal }, { hang: true }]);
    expect(result).toMatchObject({ status: "rejected", signal, text: "so far" });
    expect(result.errorMessage).toContain(signal);
  },
);

test("a child that settled but does not exit is forced down and fulfilled with a note", async () => {
  const { result, disposed } = await play([answer("done"), { hang: true }]);
  expect(result).toMatchObject({ status: "fulfilled", text: "done" });
  expect(result.warnings?.join()).toMatch(/exit|forced|ended/);
  expect(disposed).toBe(1);
}, 20_000);

test("a grandchild that holds the pipe does not hold the result", async () => {
  const startedAt = performance.now();
  const { plan } = prepare([answer("done"), { helper: { seconds: 60, holds: true } }, { exit: 0 }]);
  const result = await startChild(plan).result;
  expect(result).toMatchObject({ status: "fulfilled", text: "done" });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  for (const pid of leftOvers(plan.marker)) process.kill(Number(pid), "SIGKILL");
});

test("a deadline stops the child and says so, with what it had", async () => {
  const { result } = await play([{ out: message("half") }, { hang: true }], { timeoutMs: 1_500 });
  expect(result).toMatchObject({ status: "rejected", text: "half" });
  expect(result.errorMessage).toContain("1500 ms");
});

test("a child that ignores SIGTERM is killed with its detached helpers", async () => {
  const { result } = await play(
    [
      { ignore: "SIGTERM" },
      { helper: { seconds: 60, detached: true } },
      { out: message("x") },
      { hang: true },
    ],
    { timeoutMs: 1_500 },
  );
  expect(result.status).toBe("rejected");
  expect(result.signal).toBe("SIGKILL");
}, 20_000);

test("an abort stops the child; one before the start spawns nothing", async () => {
  const { plan, disposed } = prepare([{ out: message("half") }, { hang: true }]);
  const controller = new AbortController();
  const child = startChild(plan, { signal: controller.signal, onChange: () => controller.abort() });
  expect(await child.result).toMatchObject({
    status: "rejected",
    started: true,
    text: "half",
    errorMessage: expect.stringContaining("aborted"),
  });
  const unborn = prepare([answer("x")]);
  const result = await startChild(unborn.plan, { signal: AbortSignal.abort() }).result;
  expect(result).toMatchObject({ status: "rejected", started: false });
  expect([disposed(), unborn.disposed(), unborn.record()]).toEqual([1, 1, undefined]);
});

test("turns and cost have caps, and what the child had by then is kept", async () => {
  const turns = await play(
    [{ out: message("one") }, { out: message("two") }, { out: message("three") }, { hang: true }],
    { maxTurns: 2 },
  );
  expect(turns.result).toMatchObject({
    status: "rejected",
    text: "three",
    errorMessage: expect.stringContaining("maxTurns"),
  });
  const cost = await play([{ out: message("one") }, { out: message("two") }, { hang: true }], {
    maxCostUsd: 0.3,
  });
  expect(cost.result).toMatchObject({
    status: "rejected",
    errorMessage: expect.stringContaining("maxCostUsd"),
  });
  expect(cost.result.usage?.cost).toBeCloseTo(0.5);
});

test.each([
  ["a command that does not exist", { command: "/nowhere/pi" }],
  ["a command that may not be run", { command: join(folder, "not-executable") }],
  ["a folder that does not exist", { cwd: "/nowhere/at-all" }],
  ["a folder that is a file", { cwd: join(folder, "not-executable") }],
  ["an environment that is too long", { env: { BIG: "x".repeat(3_000_000) } }],
])("%s is a result that says why, and nothing is left behind", async (_name, more) => {
  writeFileSync(join(folder, "not-executable"), "x");
  chmodSync(join(folder, "not-executable"), 0o600);
  const { result, disposed } = await play([answer("x")], more);
  expect(result).toMatchObject({ status: "rejected", started: false, text: "" });
  expect(result.errorMessage).toMatch(/could not be started/);
  expect(disposed).toBe(1);
});

test("progress tells turns, usage, the running tool and the newest line", async () => {
  const start = `${JSON.stringify({ type: "tool_execution_start", toolCallId: "1", toolName: "bash", args: {} })}\n`;
  const { plan } = prepare([
    { out: message("first line\nlast line") },
    { out: start },
    { sleepMs: 300 },
    answer("end"),
  ]);
  const seen: string[] = [];
  const child = startChild(plan, {
    onChange: () => {
      const { turns, tool, lastText, usage } = child.progress();
      seen.push(JSON.stringify({ turns, tool, lastText, output: usage.output }));
    },
  });
  await child.result;
  expect(seen).toContain(
    JSON.stringify({ turns: 1, tool: { name: "bash", running: true }, lastText: "last line", output: 5 }),
  );
});
