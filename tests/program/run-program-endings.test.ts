/** How a run ends (spec 1.7; faults 1 to 4, 6, 11, 13): each on every vessel that can contain it. */

import { expect, test } from "vitest";
import { describeOnVessels } from "./conformance.ts";
import { runWith, sleeper, testRunner } from "./vessels.ts";

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel, { graceMs: 300 });

  test("that loops for ever is stopped at its deadline while pi's event loop goes on", async () => {
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    const outcome = await runWith(runner, 'console.log("before"); while (true) {}', { timeoutMs: 300 });
    clearInterval(ticking);
    expect(outcome.error).toMatchObject({ kind: "timeout" });
    expect(outcome.error?.message).toContain("300 ms");
    expect(outcome.text).toContain("before");
    expect(ticks).toBeGreaterThan(1);
  });

  test("that loops in microtasks is stopped at its deadline", async () => {
    const outcome = await runWith(
      runner,
      "const again = () => Promise.resolve().then(again); await again();",
      { timeoutMs: 200 },
    );
    expect(outcome.error?.kind).toBe("timeout");
  });

  test.each([0, 3])("that calls process.exit(%i) fails naming the code and keeps its logs", async (code) => {
    const outcome = await runWith(runner, `console.log("kept"); process.exit(${code})`);
    expect(outcome.error?.kind).toBe("worker-exit");
    expect(outcome.error?.message).toMatch(new RegExp(`\\b${code}\\b`));
    expect(outcome.text).toContain("kept");
  });

  test("that rejects without anybody awaiting it fails naming the rejection", async () => {
    const outcome = await runWith(
      runner,
      'Promise.reject(new Error("lost one")); await new Promise((r) => setTimeout(r, 5_000)); return 1',
    );
    expect(outcome.error).toMatchObject({ kind: "exception" });
    expect(outcome.error?.message).toContain("lost one");
    expect(outcome.durationMs).toBeLessThan(4_000);
  });

  test("that returns right after such a rejection still fails", async () => {
    const outcome = await runWith(runner, 'Promise.reject(new Error("lost one")); return 1');
    expect(outcome.error?.message).toContain("lost one");
  });

  test("that throws in a timer fails naming the error", async () => {
    const outcome = await runWith(
      runner,
      'setTimeout(() => { throw new Error("in timer") }, 1); await new Promise((r) => setTimeout(r, 5_000))',
    );
    expect(outcome.error?.message).toContain("in timer");
  });

  test("may start calls that fail and await them later", async () => {
    const source = `const first = tools.failing({ text: "late" });
      await tools.echo({}); await tools.echo({});
      return first.catch((error) => error.message)`;
    expect(await runWith(runner, source)).toMatchObject({ ok: true, value: "late" });
  });

  test("that never awaits a failed call fails naming it", async () => {
    const outcome = await runWith(
      runner,
      'tools.failing({ text: "unseen" }); await tools.echo({}); await tools.echo({}); return 1',
    );
    expect(outcome.error?.message).toContain("unseen");
  });

  test("that waits for what nothing can settle ends at once instead of at its deadline", async () => {
    const outcome = await runWith(runner, 'console.log("kept"); await new Promise(() => {})', {
      timeoutMs: 20_000,
    });
    expect(outcome.ok).toBe(false);
    expect(outcome.error?.message).toMatch(/waits for a promise that nothing left in it can settle/);
    expect(outcome.text).toContain("kept");
    expect(outcome.durationMs).toBeLessThan(10_000);
  });

  test.each([
    ["a string", 'throw "plain words"', "plain words"],
    ["null", "throw null", "null"],
    ["an object", "throw { code: 7 }", "7"],
    [
      "an AggregateError",
      'throw new AggregateError([new Error("first"), new Error("second")], "both")',
      "second",
    ],
    ["an error with a cause", 'throw new Error("outer", { cause: new Error("inner") })', "inner"],
    [
      "an error whose message throws",
      'const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw 1 } }); throw e',
      "",
    ],
  ])("that throws %s fails with a message", async (_name, source, part) => {
    const outcome = await runWith(runner, source);
    expect(outcome.error?.kind).toBe("exception");
    expect(outcome.error?.message).toContain(part);
    expect(outcome.error?.message).not.toBe("");
  });

  test("gets an excerpt of the failing line with the number the model wrote", async () => {
    const outcome = await runWith(
      runner,
      "const a: number = 1;\n\nconst b = undefined as any;\n  b.field;\nreturn a",
    );
    expect(outcome.error?.excerpt).toContain("program:4:5");
    expect(outcome.error?.excerpt).toContain("4 |   b.field;");
    expect(outcome.text).toContain("code run failed (exception): ");
  });

  test("that is aborted ends within its grace, its calls canceled", async () => {
    const waiting = sleeper();
    const controller = new AbortController();
    const run = runWith(runner, 'console.log("on"); await tools.sleeper({})', {
      bindings: [waiting],
      signal: controller.signal,
    });
    await waiting.whenStarted;
    controller.abort();
    const outcome = await run;
    expect(outcome.error?.kind).toBe("abort");
    expect(waiting.canceled).toBe(1);
    expect(outcome.subCalls[0]?.status).toBe("canceled");
    expect(outcome.text).toContain("on");
  });

  test("that is aborted may unwind, and what it prints then is kept", async () => {
    const waiting = sleeper();
    const controller = new AbortController();
    const source = 'try { await tools.sleeper({}) } finally { console.log("unwound") }';
    const run = runWith(runner, source, { bindings: [waiting], signal: controller.signal });
    await waiting.whenStarted;
    controller.abort();
    const outcome = await run;
    expect(outcome.error?.kind).toBe("abort");
    expect(outcome.text).toContain("unwound");
  });

  test("that was aborted before it began never starts", async () => {
    const outcome = await runWith(runner, "return 1", { signal: AbortSignal.abort() });
    expect(outcome.error?.kind).toBe("abort");
  });

  test("finishes while another one of the same turn is aborted", async () => {
    const waiting = sleeper();
    const controller = new AbortController();
    const aborted = runWith(runner, "await tools.sleeper({})", {
      bindings: [waiting],
      signal: controller.signal,
    });
    const other = runWith(runner, "await new Promise((r) => setTimeout(r, 300)); return 'done'");
    await waiting.whenStarted;
    controller.abort();
    expect((await aborted).error?.kind).toBe("abort");
    expect(await other).toMatchObject({ ok: true, value: "done" });
  });

  test.each([
    [-1, /timeoutMs is -1/],
    [Number.NaN, /timeoutMs is NaN/],
    ["1000", /timeoutMs is "1000"/],
  ])("is refused for a deadline of %s, with a sentence", async (timeoutMs, message) => {
    const outcome = await runWith(runner, "return 1", { timeoutMs });
    expect(outcome.error?.kind).toBe("refused");
    expect(outcome.error?.message).toMatch(message);
  });

  test("gets the default for a deadline of 0 and a stated clamp above the ceiling", async () => {
    expect(await runWith(runner, "return 1", { timeoutMs: 0 })).toMatchObject({ ok: true, warnings: [] });
    const clamped = await runWith(runner, "return 1", { timeoutMs: 9_999_999_999 });
    expect(clamped.ok).toBe(true);
    expect(clamped.text).toMatch(/Warning: timeoutMs 9999999999 .*600000/);
  });

  test("cannot reach the next one through patched prototypes, globals or timers", async () => {
    const writes: unknown[] = [];
    const write = {
      name: "write",
      call: async (args: unknown) => (writes.push(args), { ok: true as const, raw: null }),
    };
    await runWith(
      runner,
      'Array.prototype.map = () => "patched"; globalThis.left = 1; setTimeout(() => tools.write({}), 20); tools.write({}); return 1',
      { bindings: [write] },
    );
    const next = await runWith(
      runner,
      "await new Promise((r) => setTimeout(r, 100)); return [[1].map((x) => x + 1), typeof left]",
    );
    expect(next.value).toEqual([[2], "undefined"]);
    expect(writes).toEqual([]);
  });

  test("that returns with open calls names them in a warning", async () => {
    const waiting = sleeper();
    const outcome = await runWith(
      runner,
      "tools.sleeper({}); tools.sleeper({}); await tools.echo({}); return 1",
      {
        bindings: [waiting, { name: "echo", call: async () => ({ ok: true, raw: null }) }],
      },
    );
    expect(outcome.ok).toBe(true);
    expect(outcome.text).toMatch(/Warning: 2 calls were still open .*sleeper, sleeper/);
    expect(waiting.canceled).toBe(2);
  });

  test("that prints past the output limit fails with what fitted", async () => {
    const small = testRunner(vessel, { maxOutputBytes: 2_000 });
    const outcome = await runWith(small, 'for (;;) console.log("0123456789")');
    expect(outcome.error?.kind).toBe("output-limit");
    expect(outcome.text).toContain("0123456789");
  });

  test("that returns past the output limit fails with its logs", async () => {
    const small = testRunner(vessel, { maxOutputBytes: 2_000 });
    const outcome = await runWith(small, 'console.log("kept"); return "x".repeat(5_000)');
    expect(outcome.error?.kind).toBe("output-limit");
    expect(outcome.text).toContain("kept");
  });
});
