/** Workers ahead and in line (spec 1.6; faults 6 and 33). */

import { describe, expect, test } from "vitest";
import { ok, runWith, sleeper, testRunner, tool } from "./vessels.ts";

describe("the workers of a session", () => {
  test("run at most poolSize programs at once, in arrival order", async () => {
    const runner = testRunner("thread", { poolSize: 1 });
    const order: number[] = [];
    const mark = tool("mark", (args: { n: number }) => (order.push(args.n), ok("")));
    await Promise.all(
      [1, 2, 3].map((n) => runWith(runner, `await tools.mark({ n: ${n} }); return 1`, { bindings: [mark] })),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  test("refuse a program that waited too long, and honour an abort while it waits", async () => {
    const runner = testRunner("thread", { poolSize: 1, poolAcquireTimeoutMs: 150 });
    const waiting = sleeper();
    const controller = new AbortController();
    const holder = runWith(runner, "await tools.sleeper({})", {
      bindings: [waiting],
      signal: controller.signal,
    });
    const late = await runWith(runner, "return 1");
    expect(late.error).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("pool acquire timed out after 150 ms"),
    });
    const second = new AbortController();
    const aborted = runWith(runner, "return 1", { signal: second.signal });
    second.abort();
    expect((await aborted).error?.kind).toBe("abort");
    controller.abort();
    await holder;
    expect((await runWith(runner, "return 1")).ok).toBe(true);
  });

  test("are booted ahead, handed out once and refilled", async () => {
    const runner = testRunner("process", { spares: 1 });
    await runner.warmed(process.cwd());
    const pids = [];
    for (let round = 0; round < 3; round += 1) {
      pids.push((await runWith(runner, "return process.pid")).value);
      await runner.warmed(process.cwd());
    }
    expect(new Set(pids).size).toBe(3);
  });

  test("are gone when the session closes, running programs ending as aborted", async () => {
    const runner = testRunner("process", { spares: 2 });
    await runner.warmed(process.cwd());
    const pid = (await runWith(runner, "return process.pid")).value as number;
    const waiting = sleeper();
    const run = runWith(runner, "await tools.sleeper({ pid: process.pid })", { bindings: [waiting] });
    await waiting.whenStarted;
    await runner.close();
    expect((await run).error?.kind).toBe("abort");
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect((await runWith(runner, "return 1")).error?.kind).toBe("refused");
  });

  test("leave no thread behind after thirty aborts", async () => {
    const runner = testRunner("thread", { graceMs: 0 });
    const { readdirSync } = await import("node:fs");
    const threads = (): number => readdirSync("/proc/self/task").length;
    await runWith(runner, "return 1");
    const before = threads();
    for (let round = 0; round < 30; round += 1) {
      const controller = new AbortController();
      const waiting = sleeper();
      const run = runWith(runner, "await tools.sleeper({})", {
        bindings: [waiting],
        signal: controller.signal,
      });
      await waiting.whenStarted;
      controller.abort();
      await run;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(threads()).toBeLessThanOrEqual(before + 1);
  });
});
