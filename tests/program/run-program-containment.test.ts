/** Want of memory on every vessel; then what only a process contains: native calls, signals, forged frames (spec 1.6; faults 2, 3, 13). */

import { execFileSync } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import { describeOnVessels } from "./conformance.ts";
import { runWith, testRunner } from "./vessels.ts";

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel, { graceMs: 300, maxOldGenerationSizeMb: 128, maxMemoryMb: 400 });

  test.each([
    ["an array of 300 million entries", "new Array(3e8).fill({}); return 1"],
    ["objects", "let all; for (;;) all = { a: [1, 2, 3], all }"],
    ["one string", 'let s = "ab"; for (;;) s = [s, s].join("")'],
    ["a growing Map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })"],
    ["a doubled array", "let a = [1]; for (;;) a = a.concat(a)"],
    ["a long list", "Array.from({ length: 1e8 }, (_, i) => ({ i })); return 1"],
    ["buffers", "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))"],
    [
      "wasm memory",
      "const all = []; for (;;) { const m = new WebAssembly.Memory({ initial: 500 }); new Uint8Array(m.buffer).fill(1); all.push(m) }",
    ],
  ])("that fills memory with %s fails and says so, and the next one runs", async (_name, source) => {
    const outcome = await runWith(runner, `console.log("kept"); ${source}`);
    expect(outcome.ok).toBe(false);
    expect(["out-of-memory", "exception"]).toContain(outcome.error?.kind);
    expect(outcome.error?.message).toMatch(/memory|string length|array length|allocation/i);
    expect(outcome.text).toContain("kept");
    expect((await runWith(runner, "return 1")).ok).toBe(true);
  });
});

describe("a program in a process", () => {
  const runner = testRunner("process", { graceMs: 300 });

  test("that blocks in a native call is killed with everything it started", async () => {
    const outcome = await runWith(
      runner,
      'console.log("kept"); require("node:child_process").execSync("sleep 97")'
        .replace("require(", "(await import(")
        .replace('process")', 'process"))'),
      { timeoutMs: 500 },
    );
    expect(outcome.error?.kind).toBe("timeout");
    expect(outcome.text).toContain("kept");
    expect(outcome.durationMs).toBeLessThan(5_000);
    const commandLines = (): string =>
      execFileSync("sh", ["-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"], {
        encoding: "utf8",
        maxBuffer: 1e8,
      });
    // What was killed takes a moment to go.
    await vi.waitFor(() => expect(commandLines().includes("sleep 97")).toBe(false), { timeout: 5_000 });
  });

  test.each([
    ["process.abort()", /SIGABRT/],
    ["process.kill(process.pid, 'SIGKILL'); await new Promise((r) => setTimeout(r, 9e3))", /SIGKILL/],
    ["process.kill(process.pid); for (;;) {}", /SIGTERM/],
  ])("that runs %s fails naming the signal", async (source, message) => {
    const outcome = await runWith(runner, `console.log("kept"); ${source}`);
    expect(outcome.error?.kind).toBe("worker-exit");
    expect(outcome.error?.message).toMatch(message);
    expect(outcome.text).toContain("kept");
  });

  test.each([
    ["a frame that is not JSON", "Buffer.from([3, 0, 0, 0, 120, 120, 120])"],
    ["a frame of an unknown kind", 'frame({ kind: "boo" })'],
    ["a frame of a wrong shape", 'frame({ kind: "call", id: "x", name: 1 })'],
    [
      "a call id twice",
      'Buffer.concat([frame({ kind: "call", id: 1, name: "echo", args: {} }), frame({ kind: "call", id: 1, name: "echo", args: {} })])',
    ],
    ["a length of 200 MiB", "Buffer.from([0, 0, 128, 12])"],
    ["a second ready", 'frame({ kind: "ready", version: 1 })'],
  ])("that writes %s to the line itself fails as a protocol fault", async (_name, bytes) => {
    const source = `const frame = (value) => { const b = Buffer.from(JSON.stringify(value)); const h = Buffer.alloc(4); h.writeUInt32LE(b.length); return Buffer.concat([h, b]) };
      (await import("node:fs")).writeSync(4, ${bytes}); await new Promise((r) => setTimeout(r, 3_000)); return "unharmed"`;
    const outcome = await runWith(runner, source);
    expect(outcome.error?.kind).toBe("protocol");
  });

  test("that forges its own end is taken at its word and no frame after it counts", async () => {
    const source = `const frame = (value) => { const b = Buffer.from(JSON.stringify(value)); const h = Buffer.alloc(4); h.writeUInt32LE(b.length); return Buffer.concat([h, b]) };
      const done = { kind: "done", jsonOmitted: false, json: "1", warnings: [], store: {} };
      (await import("node:fs")).writeSync(4, Buffer.concat([frame(done), frame({ kind: "log", level: "log", text: "after" })])); await new Promise((r) => setTimeout(r, 1_000))`;
    const outcome = await runWith(runner, source);
    expect(outcome).toMatchObject({ ok: true, value: 1 });
    expect(outcome.text).not.toContain("after");
  });

  test.each(["[".repeat(5_000) + "]".repeat(5_000), `"${"x".repeat(3_000_000)}"`])(
    "that forges a value which pi could not carry ends well without one",
    async (json) => {
      const done = JSON.stringify({ kind: "done", jsonOmitted: false, json, warnings: [], store: {} });
      const source = `const b = Buffer.from(${JSON.stringify(done)}); const h = Buffer.alloc(4); h.writeUInt32LE(b.length);
        (await import("node:fs")).writeSync(4, Buffer.concat([h, b])); await new Promise((r) => setTimeout(r, 3_000))`;
      const outcome = await runWith(runner, source);
      expect([outcome.ok, outcome.value]).toEqual([true, undefined]);
    },
  );
});
