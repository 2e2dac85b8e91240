/** One child from start to result (spec 2.4, 2.6; faults 16 to 19 and 34), with a child that plays what it is told. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { identifyProcess } from "../../src/base/process-identity.ts";
import { type RunningChild, startChild } from "../../src/children/start-child.ts";
import { answer, marked, message, PlayRoom, SETTLED } from "./played-child.ts";

const room = new PlayRoom();
const { folder } = room;
afterAll(() => room.close());

test("an answer is fulfilled, with usage, and slot and prompt file are given back once", async () => {
  const { result, disposed } = await room.play([answer("all good")]);
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

test.each([
  ["begins with a dash", "-x --help"],
  ["begins with an at sign", "@/etc/passwd"],
  ["begins with a slash", "/quit"],
  ["begins with an exclamation mark", "!ls"],
  ["holds a line separator", "a\u2028b"],
  ["is 2 MB long", "x".repeat(2_000_000)],
])("a task that %s goes over standard input word for word", async (_name, task) => {
  const { record } = await room.play([answer("ok")], { task });
  expect(record?.stdin).toBe(`Task: ${task}`);
  expect(record?.argv).toEqual(["--mode", "json"]);
});

test("an answer before a non-zero exit is rejected with the code, the end of standard error, and the text kept", async () => {
  const { result, disposed } = await room.play([
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
    const { result } = await room.play([], { command: "/bin/sh", args });
    expect(result).toMatchObject({ status: "fulfilled", text: "all of it" });
  }
});

test("at most 64 KiB of standard error are kept, its end", async () => {
  const { result } = await room.play([{ err: "y".repeat(10_000), times: 100 }, { err: "END" }, { exit: 1 }]);
  expect(Buffer.byteLength(result.stderr ?? "")).toBeLessThanOrEqual(65_536);
  expect(result.stderr?.endsWith("END")).toBe(true);
});

test.each(["SIGKILL", "SIGTERM", "SIGSEGV"] as const)(
  "a child that dies of %s is rejected and the signal named",
  async (signal) => {
    const { result } = await room.play([{ out: message("so far") }, { kill: signal }, { hang: true }]);
    expect(result).toMatchObject({ status: "rejected", signal, text: "so far" });
    expect(result.errorMessage).toContain(signal);
  },
);

test("a child that settled but does not exit is forced down and fulfilled with a note", async () => {
  const { result, disposed } = await room.play([answer("done"), { hang: true }]);
  expect(result).toMatchObject({ status: "fulfilled", text: "done" });
  expect(result.warnings?.join()).toMatch(/exit|forced|ended/);
  expect(disposed).toBe(1);
}, 20_000);

test("a grandchild that holds the pipe does not hold the result", async () => {
  const startedAt = performance.now();
  const { plan } = room.prepare([answer("done"), { helper: { seconds: 60, holds: true } }, { exit: 0 }]);
  const result = await startChild(plan).result;
  expect(result).toMatchObject({ status: "fulfilled", text: "done" });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  for (const pid of marked(plan.marker)) process.kill(pid, "SIGKILL");
});

test("a deadline stops the child and says so, with what it had", async () => {
  const { result } = await room.play([{ out: message("half") }, { hang: true }], { timeoutMs: 1_500 });
  expect(result).toMatchObject({ status: "rejected", text: "half" });
  expect(result.errorMessage).toContain("1500 ms");
});

test("a child that ignores SIGTERM is killed with its detached helpers", async () => {
  const { result } = await room.play(
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

describe("with the time to SIGKILL played", () => {
  /** A shell that SIGTERM does not end, with a command that holds its pipes; resolves when both run. */
  async function stubborn(): Promise<{ child: RunningChild; pid: number; marker: string }> {
    const script = "trap '' TERM; sleep 60 & exec sleep 60";
    const { plan } = room.prepare([], { command: "/bin/sh", args: ["-c", script] });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const child = startChild(plan);
    const deadline = performance.now() + 10_000;
    while (marked(plan.marker).length < 2) {
      if (performance.now() > deadline) throw new Error("the child does not run");
      await setImmediate();
    }
    return { child, pid: child.pid as number, marker: plan.marker };
  }

  const endAll = (marker: string): void => marked(marker).forEach((pid) => process.kill(pid, "SIGKILL"));

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("an id that was reaped meanwhile is not signalled", async () => {
    const { child, pid, marker } = await stubborn();
    child.stop("enough");
    vi.advanceTimersByTime(4_500);
    process.kill(pid, "SIGKILL");
    while (identifyProcess(pid)) await setImmediate();
    // Node hears of the end in one of the next turns.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    const kill = vi.spyOn(process, "kill");
    vi.advanceTimersByTime(600);
    expect(kill.mock.calls.map(([target]) => Math.abs(target))).not.toContain(pid);
    vi.advanceTimersByTime(500);
    expect(await child.result).toMatchObject({
      status: "rejected",
      errorMessage: expect.stringContaining("enough"),
    });
    endAll(marker);
  });

  test("a child that nothing can end holds neither the result nor this process", async () => {
    const { child, marker } = await stubborn();
    expect(process.getActiveResourcesInfo()).toContain("ProcessWrap");
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    child.stop("enough");
    vi.advanceTimersByTime(10_000);
    expect(await child.result).toMatchObject({ status: "rejected", signal: "SIGKILL" });
    expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
    kill.mockRestore();
    endAll(marker);
  });
});

test("an abort stops the child; one before the start spawns nothing", async () => {
  const { plan, disposed } = room.prepare([{ out: message("half") }, { hang: true }]);
  const controller = new AbortController();
  const child = startChild(plan, { signal: controller.signal, onChange: () => controller.abort() });
  expect(await child.result).toMatchObject({
    status: "rejected",
    started: true,
    text: "half",
    errorMessage: expect.stringContaining("aborted"),
  });
  const unborn = room.prepare([answer("x")]);
  const result = await startChild(unborn.plan, { signal: AbortSignal.abort() }).result;
  expect(result).toMatchObject({ status: "rejected", started: false });
  expect([disposed(), unborn.disposed(), unborn.record()]).toEqual([1, 1, undefined]);
});

test("turns and cost have caps, and what the child had by then is kept", async () => {
  const turns = await room.play([{ out: message("one") }, { out: message("two") }, { hang: true }], {
    maxTurns: 1,
  });
  expect(turns.result).toMatchObject({
    status: "rejected",
    text: "two",
    errorMessage: expect.stringContaining("more than 1 turn (maxTurns)"),
  });
  const cost = await room.play([{ out: message("one") }, { out: message("two") }, { hang: true }], {
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
  [
    "an environment that is too long",
    { env: { BIG: "x".repeat(3_000_000) } },
    /arguments and its environment/,
  ],
])(
  "%s is a result that says why, and nothing is left behind",
  async (_name, more, why = /does not exist|EACCES/) => {
    writeFileSync(join(folder, "not-executable"), "x");
    chmodSync(join(folder, "not-executable"), 0o600);
    const { result, disposed } = await room.play([answer("x")], more);
    expect(result).toMatchObject({ status: "rejected", started: false, text: "" });
    expect(result.errorMessage).toMatch(/could not be started/);
    expect(result.errorMessage).toMatch(why);
    expect(disposed).toBe(1);
  },
);

test("progress tells turns, usage, the running tool and the newest line", async () => {
  const start = `${JSON.stringify({ type: "tool_execution_start", toolCallId: "1", toolName: "bash", args: {} })}\n`;
  const go = join(folder, "go");
  const { plan } = room.prepare([
    { out: message("first line\nlast line") },
    { out: start },
    { until: go },
    answer("end"),
  ]);
  const seen: string[] = [];
  const child = startChild(plan, {
    onChange: () => {
      const { turns, tool, lastText, usage } = child.progress();
      if (tool?.running) writeFileSync(go, "");
      seen.push(JSON.stringify({ turns, tool, lastText, output: usage.output }));
    },
  });
  await child.result;
  expect(seen).toContain(
    JSON.stringify({ turns: 1, tool: { name: "bash", running: true }, lastText: "last line", output: 5 }),
  );
});
