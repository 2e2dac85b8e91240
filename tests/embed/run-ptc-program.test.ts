/** The package's main entry (spec 7): programs without a session. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import * as entry from "../../src/index.ts";
import { createBuiltinBindings, DEFAULT_CONFIG, runPtcProgram } from "../../src/index.ts";

const cwd = mkdtempSync(join(tmpdir(), "ptc-embed-"));
writeFileSync(join(cwd, "a.txt"), "alpha\n");
afterAll(() => rmSync(cwd, { recursive: true }));

test("exports what the API names and nothing else", () => {
  expect(Object.keys(entry).toSorted()).toEqual([
    "DEFAULT_CONFIG",
    "createBackgroundTaskRuntime",
    "createBuiltinBindings",
    "runPtcProgram",
  ]);
});

test("has the limits of the specification, frozen", () => {
  expect(DEFAULT_CONFIG).toEqual({
    timeoutMs: 120_000,
    maxTimeoutMs: 600_000,
    graceMs: 3_000,
    maxOutputBytes: 67_108_864,
    maxMessageBytes: 134_217_728,
    maxPendingCalls: 128,
    maxParallelSubCalls: 10,
    maxItemsPerCall: 4_096,
    dispatchConcurrency: 8,
    maxDispatchDepth: 3,
    dispatchTimeoutMs: 3_600_000,
    maxChildTurns: 0,
    maxChildCostUsd: 0,
    maxOldGenerationSizeMb: 512,
    maxYoungGenerationSizeMb: 64,
    maxMemoryMb: 1_024,
    poolSize: 4,
    poolAcquireTimeoutMs: 30_000,
    spares: 1,
  });
  expect(Object.isFrozen(DEFAULT_CONFIG)).toBe(true);
});

test("binds the seven built-ins by default, exactly the named ones otherwise, and refuses others", () => {
  expect(createBuiltinBindings({ cwd }).map(({ name }) => name)).toEqual([
    "read",
    "bash",
    "edit",
    "write",
    "grep",
    "find",
    "ls",
    "pi.dispatch",
  ]);
  expect(createBuiltinBindings({ cwd, names: ["ls", "read"] }).map(({ name }) => name)).toEqual([
    "ls",
    "read",
  ]);
  expect(() => createBuiltinBindings({ cwd, names: ["read", "fly"] })).toThrow(
    /"fly"; known: read, bash, edit, write, grep, find, ls, pi\.dispatch/,
  );
});

test("runs a program with pi's own tools in the folder it was given", async () => {
  const code = `const { content } = await tools.read({ path: "a.txt" });
    await tools.write({ path: "b.txt", content: content[0].text.toUpperCase() });
    const bad = await tools.bash({ command: "exit 3" }).catch((error) => error.message);
    const invalid = await tools.read({}).catch((error) => error.message);
    return { text: content[0].text, cwd: process.cwd(), bad, invalid }`;
  const outcome = await runPtcProgram({ code, cwd, bindings: createBuiltinBindings({ cwd }) });
  expect(outcome.value).toMatchObject({
    text: "alpha\n",
    cwd,
    bad: expect.stringContaining("exited with code 3"),
    invalid: expect.stringContaining("path"),
  });
  expect(readFileSync(join(cwd, "b.txt"), "utf8")).toBe("ALPHA\n");
});

test("takes arguments, limits, a signal and progress", async () => {
  const updates: number[] = [];
  const outcome = await runPtcProgram({
    code: "log('x'); return args.n",
    tool: "workflow",
    args: { n: 4 },
    bindings: [],
    onUpdate: (progress) => updates.push(progress().elapsedMs),
  });
  expect(outcome).toMatchObject({ ok: true, value: 4, narrations: ["x"] });
  expect(updates.length).toBeGreaterThan(0);
  expect(
    (await runPtcProgram({ code: "for (;;) {}", bindings: [], config: { timeoutMs: 200, graceMs: 0 } })).error
      ?.kind,
  ).toBe("timeout");
  expect(
    (await runPtcProgram({ code: "return 1", bindings: [], signal: AbortSignal.abort() })).error?.kind,
  ).toBe("abort");
});

test("refuses limits out of range, naming each", async () => {
  await expect(
    runPtcProgram({ code: "return 1", bindings: [], config: { timeoutMs: -1, poolSize: 1.5 } }),
  ).rejects.toThrow(/config\.timeoutMs is -1.*config\.poolSize is 1\.5/);
});
