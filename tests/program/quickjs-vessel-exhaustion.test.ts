/** Programs in a QuickJS VM that take all they can get (spec 1.7, 1.12): each ends by its deadline, and the next one runs. */

import { describe, expect, test } from "vitest";
import { ok, runWith, testRunner, tool } from "./vessels.ts";

const GRACE_MS = 300;
const DEADLINE_MS = 400;
/** What a busy machine may take to start and end a thread. */
const SLACK_MS = 6_000;

const runner = testRunner("quickjs", { graceMs: GRACE_MS, maxOldGenerationSizeMb: 64 });

async function expectHealthy(): Promise<void> {
  const source = "return (await tools.echo({ text: 'well' })).content[0].text";
  expect(await runWith(runner, source)).toMatchObject({ ok: true, value: "well" });
}

describe("a program in a quickjs", () => {
  test.each([
    ["catches everything in an endless loop", "for (;;) { try { for (;;); } catch {} }"],
    ["goes on in finally", "for (;;) try { for (;;); } finally { continue }"],
    [
      "loops in microtasks that catch",
      "const f = async () => { for (;;) { try { await null } catch {} } }; await f()",
    ],
    [
      "makes endless promises",
      "const f = () => { Promise.resolve().then(f).catch(f); Promise.reject(1).catch(f) }; f(); await new Promise(() => {})",
    ],
    [
      "loops in a generator's return",
      "function* g() { try { yield 1 } finally { for (;;); } } for (const x of g()) break",
    ],
    ["backtracks without end", "return /^(a|a)*$/.test('a'.repeat(60) + 'b')"],
    ["sorts with a comparison that loops", "return [3, 1, 2].sort(() => { for (;;); })"],
    ["loops in a trap while its result is read", "return new Proxy({}, { ownKeys() { for (;;); } })"],
    ["loops in a getter of its result", "return { get a() { for (;;); } }"],
    ["loops in toJSON of its arguments", "await tools.echo({ toJSON() { for (;;); } })"],
    ["loops in the message of its error", "throw { get message() { for (;;); } }"],
    [
      "loops in toString of what it prints",
      "console.log('%d', { valueOf() { for (;;); } }); console.log({ toJSON() { for (;;); } })",
    ],
    [
      "revives JSON without end",
      "return JSON.parse('[1]', function again() { return JSON.parse('[1]', again) || again() })",
    ],
    ["multiplies huge integers", "let n = 3n; for (;;) n = n * n % (2n ** 60000n)"],
    ["joins and splits a large text", "const text = 'a,'.repeat(2e6); for (;;) text.split(',').join(';')"],
    ["loops in an interval", "setInterval(() => { for (;;); }, 1); await new Promise(() => {})"],
    [
      "starts a timer in every timer",
      "const f = () => { setTimeout(f, 0); setTimeout(f, 0) }; f(); await new Promise(() => {})",
    ],
    ["unwinds without end", "try { await tools.hang({}) } finally { for (;;); }"],
    ["answers its stop with more calls", "for (;;) await tools.hang({}).catch(() => 1)"],
  ])("that %s ends by its deadline", async (_name, source) => {
    const hang = tool("hang", (_args, signal) => {
      return new Promise((resolve) => {
        const failure = { message: "stopped", content: [], details: null };
        signal.addEventListener("abort", () => resolve({ ok: false, failure }));
      });
    });
    const echo = tool("echo", () => ok("well"));
    const outcome = await runWith(runner, `console.log("kept"); ${source}`, {
      timeoutMs: DEADLINE_MS,
      bindings: [echo, hang],
    });
    expect(outcome.ok).toBe(false);
    expect(["timeout", "out-of-memory", "exception"]).toContain(outcome.error?.kind);
    expect(outcome.text).toContain("kept");
    expect(outcome.durationMs).toBeLessThan(DEADLINE_MS + GRACE_MS + SLACK_MS);
    await expectHealthy();
  });

  test.each([
    ["itself", "(function f() { f() })()"],
    ["a getter", "const o = { get a() { return this.a } }; o.a"],
    ["a proxy's trap", "const h = { get(t, k, r) { return r[k] } }; new Proxy({}, h).a"],
    ["a comparison", "const f = () => [2, 1].sort(f); f()"],
    ["a replacement", "const f = () => 'a'.replace(/a/, f); f()"],
    ["toString", "const f = () => `${{ toString: f }}`; f()"],
    ["eval", "globalThis.f = () => eval('f()'); f()"],
    ["a constructor", "class A { constructor() { new A() } } new A()"],
    ["a spread", "const f = (...a) => f(...a, 1); f()"],
    ["JSON's reviver", "const f = () => JSON.parse('1', f); f()"],
    ["an async function", "const f = async () => f(); await f()"],
    ["a generator", "function* g() { yield* g() } [...g()]"],
    ["map in map", "const f = () => [1].map(f); f()"],
  ])("that calls %s without end gets a RangeError it can catch", async (_name, source) => {
    const outcome = await runWith(runner, `try { ${source} } catch (error) { return error.name }`, {
      timeoutMs: 10_000,
    });
    expect(outcome).toMatchObject({ ok: true, value: "RangeError" });
  });

  test.each([
    ["JSON", "JSON.parse('['.repeat(1e6))"],
    ["source", "eval('['.repeat(1e6))"],
    ["groups", "new RegExp('(?:'.repeat(1e6))"],
    ["closures", "eval('()=>'.repeat(1e5) + '1')"],
    ["blocks", "eval('{'.repeat(1e6))"],
    ["members", "eval('a' + '?.a'.repeat(1e6))"],
  ])("that has %s nested without end read gets an error it can catch", async (_name, source) => {
    const outcome = await runWith(
      runner,
      `try { ${source}; return "read" } catch (error) { return error.name }`,
      {
        timeoutMs: 20_000,
      },
    );
    expect(outcome.ok || outcome.error?.kind === "out-of-memory").toBe(true);
    if (outcome.ok)
      expect(outcome.value).toMatch(/^(?:RangeError|SyntaxError|InternalError|ReferenceError|read)$/);
    await expectHealthy();
  });

  test.each([
    ["in what it keeps", "globalThis.all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))"],
    ["in small objects that it keeps", "globalThis.all = []; for (;;) all.push({ a: [1] })"],
    ["in promises", "globalThis.all = []; for (;;) { all.push(new Promise(() => {})); await null }"],
    ["in rejections", "for (;;) Promise.reject(new Error('x'.repeat(1000)))"],
    ["in timers", "for (;;) setTimeout(() => 1, 1e6)"],
    ["in waiting calls", "globalThis.all = []; for (;;) all.push(tools.echo({ text: 'x'.repeat(10_000) }))"],
    [
      "and catches the want of it",
      "globalThis.all = []; for (;;) try { all.push({ a: [1] }) } catch { all.push(1) }",
    ],
    ["in one text", "let s = 'ab'; for (;;) s += s + Math.random()"],
    ["in symbols and keys", "const o = {}; for (let i = 0; ; i += 1) o['key number ' + i] = Symbol('s' + i)"],
  ])("that fills its memory %s fails and says so", async (_name, source) => {
    const outcome = await runWith(runner, `console.log("kept"); ${source}`, { timeoutMs: 4_000 });
    expect(outcome.ok).toBe(false);
    if (outcome.error?.kind === "out-of-memory")
      expect(outcome.error.message).toContain("64 MiB (maxOldGenerationSizeMb)");
    else expect(outcome.error?.message).toMatch(/did not end|too long|string length/);
    expect(outcome.text).toContain("kept");
    await expectHealthy();
  });

  test("that throws null with memory to spare is told so", async () => {
    const outcome = await runWith(runner, "throw null");
    expect(outcome.error).toMatchObject({ kind: "exception", message: "null" });
  });

  test.each([
    ["in a loop", "for (;;);"],
    ["in microtasks", "for (;;) await null"],
    ["in timers", "const f = () => { setTimeout(f, 0); for (;;); }; f()"],
  ])(
    "that is busy %s is interrupted at its deadline, long before its grace is over",
    async (_name, source) => {
      const patient = testRunner("quickjs", { graceMs: 60_000 });
      const outcome = await runWith(patient, source, { timeoutMs: DEADLINE_MS });
      expect(outcome.error?.kind).toBe("timeout");
      expect(outcome.durationMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
    },
  );

  test("that unwinds has its whole grace for it", async () => {
    const patient = testRunner("quickjs", { graceMs: 60_000 });
    const hang = tool("hang", (_args, signal) => {
      const failure = { message: "stopped", content: [], details: null };
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ ok: false, failure })),
      );
    });
    const unwinding = `try { await tools.hang({}) } finally {
      const end = Date.now() + 1_000; while (Date.now() < end);
      console.log("unwound") }`;
    const outcome = await runWith(patient, unwinding, { timeoutMs: DEADLINE_MS, bindings: [hang] });
    expect(outcome.error?.kind).toBe("timeout");
    expect(outcome.text).toContain("unwound");
  });

  test("that prints without end is stopped by its output limit", async () => {
    const small = testRunner("quickjs", { maxOutputBytes: 50_000 });
    const outcome = await runWith(small, "for (;;) console.log('x'.repeat(1000))");
    expect(outcome.error?.kind).toBe("output-limit");
  });

  test.each([16, 65_536])(
    "runs with the least and the largest heap there may be: %i MiB",
    async (maxOldGenerationSizeMb) => {
      const runs = testRunner("quickjs", { maxOldGenerationSizeMb });
      const source =
        "const text = 'x'.repeat(4e6); return (await tools.echo({ text: 'a' })).content[0].text + text.length";
      expect((await runWith(runs, source)).value).toBe("a4000000");
    },
  );

  test("may catch a want of memory, let go and return", async () => {
    const source = `let all = []; try { for (;;) all.push({ a: [1] }) } catch (error) { const { name } = error; all = undefined; return name }`;
    expect((await runWith(runner, source, { timeoutMs: 25_000 })).value).toBe("InternalError");
  });
});
