/** Workers ahead and in line (spec 1.6; faults 6 and 33). */

import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { descendantsOf } from "../../src/base/process-tree.ts";
import { expectEnd, isRunning } from "../faults/processes.ts";
import { describeOnVessels } from "./conformance.ts";
import { ok, runWith, sleeper, testRunner, tool } from "./vessels.ts";

describeOnVessels("the workers of a session whose programs run in a %s", (vessel) => {
  test("run at most poolSize programs at once, in arrival order", async () => {
    const runner = testRunner(vessel, { poolSize: 1 });
    const order: number[] = [];
    const mark = tool("mark", (args: { n: number }) => (order.push(args.n), ok("")));
    await Promise.all(
      [1, 2, 3].map((n) => runWith(runner, `await tools.mark({ n: ${n} }); return 1`, { bindings: [mark] })),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  test("refuse a program that waited too long, and honour an abort while it waits", async () => {
    const runner = testRunner(vessel, { poolSize: 1, poolAcquireTimeoutMs: 150 });
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

  test("booted ahead serve one program each, and none sees what another left", async () => {
    const runner = testRunner(vessel, { spares: 1 });
    const seen: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      await runner.warmed(process.cwd());
      seen.push((await runWith(runner, "globalThis.left = (globalThis.left ?? 0) + 1; return left")).value);
    }
    expect(seen).toEqual([1, 1, 1]);
    await runner.close();
  });

  test("are gone when the session closes, running programs ending as aborted", async () => {
    const runner = testRunner(vessel, { spares: 2 });
    await runner.warmed(process.cwd());
    const waiting = sleeper();
    const run = runWith(runner, "await tools.sleeper({})", { bindings: [waiting] });
    await waiting.whenStarted;
    await runner.close();
    expect((await run).error?.kind).toBe("abort");
    expect((await runWith(runner, "return 1")).error?.kind).toBe("refused");
  });

  test("end a program as aborted at once when the session closes while they boot", async () => {
    const runner = testRunner(vessel, { graceMs: 60_000 });
    const before = workers();
    const isNew = (pid: number): boolean => !before.includes(pid);
    const run = runWith(runner, "return 1");
    await vi.waitUntil(() => vessel !== "process" || workers().some(isNew));
    await runner.close();
    expect((await run).error).toMatchObject({ kind: "abort", message: "the session ended" });
    expect(workers().filter(isNew)).toEqual([]);
  });

  test("are not awaited by a program that is aborted while it compiles, and the compiler goes on", async () => {
    const runner = testRunner(vessel);
    const controller = new AbortController();
    const huge = `const list = [${"(1 as number), ".repeat(200_000)}];\nconst broken = ;`;
    const ends: string[] = [];
    const slow = runWith(runner, huge).then(({ error }) => ends.push(`${error?.kind}`));
    const run = runWith(runner, "return 1", { signal: controller.signal });
    controller.abort();
    expect((await run).error?.kind).toBe("abort");
    ends.push("aborted");
    await slow;
    expect(ends).toEqual(["aborted", "compile"]);
    expect(await runWith(runner, "return 2 as number")).toMatchObject({ ok: true, value: 2 });
  });

  test("of one runner go on when another in the same process closes", async () => {
    const [one, other] = [testRunner(vessel), testRunner(vessel)];
    const waiting = sleeper();
    const controller = new AbortController();
    const run = runWith(one, "await tools.sleeper({})", { bindings: [waiting], signal: controller.signal });
    await runWith(other, "return 1");
    await waiting.whenStarted;
    await other.close();
    expect(await runWith(one, "return 2")).toMatchObject({ ok: true, value: 2 });
    controller.abort();
    expect((await run).error?.kind).toBe("abort");
  });
});

describe("the worker processes of a session", () => {
  test("are booted ahead, handed out once and refilled", async () => {
    const runner = testRunner("process", { spares: 1 });
    await runner.warmed(process.cwd());
    const pids = [];
    for (let round = 0; round < 3; round += 1) {
      pids.push((await runWith(runner, "return process.pid")).value);
      await runner.warmed(process.cwd());
    }
    expect(new Set(pids).size).toBe(3);
    await runner.close();
  });

  test("are gone when the session closes", async () => {
    const runner = testRunner("process", { spares: 2 });
    await runner.warmed(process.cwd());
    const pid = (await runWith(runner, "return process.pid")).value as number;
    await runner.close();
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  test("are replaced when they were killed while they stood by", async () => {
    const runner = testRunner("process", { spares: 1 });
    const before = workers();
    await runner.warmed(process.cwd());
    const spare = workers().find((pid) => !before.includes(pid)) as number;
    process.kill(spare, "SIGKILL");
    await expectEnd(spare);
    expect((await runWith(runner, "return process.pid")).value).not.toBe(spare);
    await runner.close();
  });
});

/** Worker processes of this one. */
function workers(): number[] {
  return descendantsOf(process.pid).filter((pid) => {
    try {
      return isRunning(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dist/worker.cjs");
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
}
