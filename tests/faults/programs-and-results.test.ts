/** What programs do to themselves and leave behind (faults 4, 5, 11, 13): each ends as a result and reaches no other run. */

import { describe, expect, test } from "vitest";
import type { Json } from "../../src/worker/protocol.ts";
import { describeOnVessels } from "../program/conformance.ts";
import { echo, failing, ok, runWith, testRunner, tool } from "../program/vessels.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A value that throws on whatever is asked of it. */
const HOSTILE = "new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })";
/** Makes the methods a polyfill might break useless, and the timers with them. */
const PATCHES = `for (const target of [Array.prototype, String.prototype])
    for (const name of Object.getOwnPropertyNames(target))
      if (typeof target[name] === "function" && name !== "constructor") target[name] = () => "patched";
  Promise.prototype.then = undefined; JSON.stringify = () => "patched"; globalThis.setImmediate = undefined;`;

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel, { graceMs: 300 });

  test.each([
    ["throws in a timer", "setTimeout(() => { throw new Error('late') }, 1)"],
    ["rejects in a timer", "setTimeout(() => Promise.reject(new Error('late')), 1)"],
    ["exits in a timer", "setTimeout(() => process.exit(3), 1)"],
  ])("that %s after it returned is good, and the next one hears nothing of it", async (_name, source) => {
    const first = await runWith(runner, `${source}; return 1`);
    const next = await runWith(runner, "await new Promise((r) => setTimeout(r, 100)); return 2");
    expect(first).toMatchObject({ ok: true, value: 1, warnings: [] });
    expect(next).toMatchObject({ ok: true, value: 2, text: "2" });
  });

  test.each([
    [
      "by what the language has",
      `queueMicrotask(() => tools.write({ from: "a microtask" }));
      setTimeout(() => tools.write({ from: "a timer" }), 0);
      (async () => { for (let i = 0; i < 50; i++) { await null; tools.write({ from: i }) } })();`,
    ],
    [
      "by what Node has",
      `process.nextTick(() => tools.write({ from: "a tick" }));
      setImmediate(() => tools.write({ from: "an immediate" }));
      process.on("exit", () => tools.write({ from: "the exit" }));`,
    ],
  ])("that makes calls after it returned, %s, is good, and none of them leaves", async (_how, late) => {
    const made: Json[] = [];
    const write = { name: "write", call: async (args: Json) => (made.push(args), ok("")) };
    const source = `${late} tools.write({ from: "the last line" }); return 1`;
    const outcome = await runWith(runner, source, { bindings: [write] });
    await runWith(runner, "await new Promise((r) => setTimeout(r, 50))");
    expect(outcome).toMatchObject({ ok: true, value: 1, calls: { total: 0, failed: 0 } });
    expect(outcome.text).toMatch(
      /^1\nWarning: (?:1 call was|\d+ calls were) still open when the program ended/,
    );
    expect(made).toEqual([]);
  });

  test.each([
    ["its value and logs", "console.log('x'); return { a: [1, 'two'] }", "x\n", { a: [1, "two"] }],
    ["its calls", "return (await tools.echo({ text: 'x' })).content", "", [{ type: "text", text: "x" }]],
    ["its open calls", "tools.echo({}); return 1", "", 1],
  ])("that patched the language's methods still gets %s", async (_name, source, printed, value) => {
    const outcome = await runWith(runner, `${PATCHES}\n${source}`, { timeoutMs: 10_000 });
    expect(outcome).toMatchObject({ ok: true, value });
    expect(outcome.text.startsWith(printed)).toBe(true);
  });

  test.each([
    ["an error", "throw new Error('mine')", "mine"],
    ["a failed call", "await tools.failing({ text: 'unhappy' })", "unhappy"],
  ])("that patched the language's methods fails with %s of its own", async (_name, source, message) => {
    const outcome = await runWith(runner, `${PATCHES}\n${source}`, { timeoutMs: 10_000 });
    expect(outcome.error?.kind).toBe("exception");
    expect(outcome.error?.message).toContain(message);
  });

  test.each([
    ["throws", `throw ${HOSTILE}`, "[message throws: 1]"],
    [
      "rejects with",
      `Promise.reject(${HOSTILE}); await new Promise((r) => setTimeout(r, 9_000))`,
      "a promise that nobody awaited was rejected: [message throws: 1]",
    ],
    ["throws undefined and not", "throw undefined", "undefined"],
    ["throws a symbol and not", "throw Symbol('odd')", "Symbol(odd)"],
    ["throws a function and not", "throw function f() {}", "[Function: f]"],
    ["throws 1 MB of text and not", "throw new Error('x'.repeat(1e6))", "xxx"],
  ])("that %s a proxy with throwing traps fails in words", async (_name, source, message) => {
    const outcome = await runWith(runner, source);
    expect(outcome.error?.kind).toBe("exception");
    expect(outcome.error?.message).toContain(message);
    expect(outcome.error?.message.length).toBeLessThan(17_000);
  });

  test("that throws null in a timer without any listener left fails naming it, with all it had printed", async () => {
    const source = `process.removeAllListeners(); for (let i = 1; i <= 200; i++) console.log("line " + i);
      setTimeout(() => { throw null }, 0); setTimeout(() => 1, 9_000); await new Promise(() => {})`;
    const outcome = await runWith(runner, source);
    expect(outcome.error?.kind).toBe("worker-exit");
    expect(outcome.text).toMatch(/\bnull\b/);
    expect(outcome.logs).toContain("line 200\n");
    expect((await runWith(runner, "return 1")).ok).toBe(true);
  });

  test("that patches its ways to send still reaches pi", async () => {
    const source = `const { parentPort } = await import("node:worker_threads");
      if (parentPort) parentPort.postMessage = Object.getPrototypeOf(parentPort).postMessage = () => { throw new Error("no") };
      process.send = () => { throw new Error("no") };
      (await import("node:fs")).default.writeSync = () => 0;
      console.log("kept");
      return (await tools.echo({ text: "heard" })).content[0].text`;
    expect(await runWith(runner, source)).toMatchObject({ ok: true, value: "heard", text: "kept\nheard" });
  });

  test("that returns or prints pictures shows no base64", async () => {
    const shot = tool("shot", () =>
      ok("", { content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
    );
    const source =
      "const r = await tools.shot({}); console.log(r, [r.content[0]]); console.error('%o', r); return r";
    const outcome = await runWith(runner, source, { bindings: [shot] });
    expect(outcome.text).toContain("[base64, 96 characters]");
    expect(outcome.text).not.toContain(PNG.slice(0, 12));
    expect(outcome.value).toEqual({
      content: [{ type: "image", data: PNG, mimeType: "image/png" }],
      details: null,
    });
    expect(outcome.images).toHaveLength(1);
  });

  test("that is given 1 MB of text as its deadline is refused in one short sentence", async () => {
    const outcome = await runWith(runner, "return 1", { timeoutMs: "9".repeat(1e6) });
    expect(outcome.error?.kind).toBe("refused");
    expect(outcome.text.length).toBeLessThan(300);
  });

  test("that floods pi with empty lines is stopped by its output limit", async () => {
    const small = testRunner(vessel, { maxOutputBytes: 50_000 });
    const outcome = await runWith(small, "for (;;) console.log('')");
    expect(outcome.error).toMatchObject({
      kind: "output-limit",
      message: expect.stringContaining("50000 bytes"),
    });
  });
});

describe("a program in a thread", () => {
  const runner = testRunner("thread", { graceMs: 300 });

  test.each([
    ["text that is no frame", "'garbage'"],
    ["an object", "{ kind: 'done' }"],
    ["nothing", "undefined"],
    ["a frame of an unknown kind", `'{"kind":"boo"}'`],
    ["a frame of a wrong shape", `'{"kind":"call","id":"x"}'`],
    ["JSON that is no frame", "'null'"],
    ["200 MiB of text", "'x'.repeat(200 * 1024 * 1024)"],
    ["200 MiB of bytes", "new Uint8Array(200 * 1024 * 1024)"],
  ])("that posts %s to pi fails as a protocol fault", async (_name, message) => {
    const source = `(await import("node:worker_threads")).parentPort.postMessage(${message}); setTimeout(() => 1, 9_000); await new Promise(() => {})`;
    const outcome = await runWith(runner, source);
    expect(outcome.error?.kind).toBe("protocol");
    expect((await runWith(runner, "return 1")).ok).toBe(true);
  });

  test("that posts its own end is taken at its word", async () => {
    const done = JSON.stringify({ kind: "done", jsonOmitted: false, json: "1", warnings: [], store: {} });
    const log = JSON.stringify({ kind: "log", level: "log", text: "after" });
    const source = `const { parentPort } = await import("node:worker_threads"); parentPort.postMessage('${done}'); parentPort.postMessage('${log}'); await tools.echo({})`;
    const outcome = await runWith(runner, source);
    expect(outcome).toMatchObject({ ok: true, value: 1 });
    expect(outcome.text).not.toContain("after");
  });
});

describe("what a program's own children write", () => {
  const runner = testRunner("process");
  const shell = (script: string) =>
    `const child = (await import("node:child_process")).spawn("sh", ["-c", ${JSON.stringify(script)}], { stdio: "inherit" });
     await new Promise((r) => child.on("exit", r));`;

  test("is one line when it came in pieces, without colours in text and logs", async () => {
    const script = String.raw`printf one; sleep 0.1; printf ' \033[31mtw'; sleep 0.1; printf 'o\033[0m'; sleep 0.1; printf ' three\n'`;
    const outcome = await runWith(runner, `${shell(script)} return 1`);
    expect(outcome.text).toBe("one two three\n1");
    expect(outcome.logs).toBe("one two three\n");
  });

  test("stays when it only looks like the end of V8, and the run is good", async () => {
    const outcome = await runWith(runner, `${shell("echo 'FATAL ERROR: heap out of memory' >&2")} return 1`);
    expect(outcome).toMatchObject({ ok: true, value: 1 });
    expect(outcome.text).toBe("[error] FATAL ERROR: heap out of memory\n1");
  });

  test("does not make an exit a want of memory", async () => {
    const source = `${shell("echo 'FATAL ERROR: heap out of memory' >&2")} process.exit(5)`;
    const outcome = await runWith(runner, source);
    expect(outcome.error).toMatchObject({ kind: "worker-exit", message: expect.stringContaining("code 5") });
    expect(outcome.text).toContain("[error] FATAL ERROR: heap out of memory");
  });
});

test("the first of two programs that fails in every way leaves the other alone", async () => {
  const runner = testRunner("process", { graceMs: 100 });
  const [bad, good] = await Promise.all([
    runWith(runner, "process.kill(process.pid, 'SIGKILL'); for (;;) {}"),
    runWith(runner, "return (await tools.echo({ text: 'fine' })).content[0].text", {
      bindings: [echo, failing],
    }),
  ]);
  expect(bad.error?.kind).toBe("worker-exit");
  expect(good).toMatchObject({ ok: true, value: "fine" });
});
