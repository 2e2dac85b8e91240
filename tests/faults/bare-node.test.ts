/** A plain Node process, without a test runner to keep it alive, runs programs with the built package and ends by itself. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { placeOf } from "../fixtures/place.ts";
import { CHECKOUT } from "../package/packed.ts";
import { type CommandEnd, runCommand } from "../package/pi-process.ts";
import { VESSELS } from "../program/conformance.ts";
import { workersIn } from "./processes.ts";

/** Importing pi's packages takes most of the time. */
const COMPILED = { NODE_COMPILE_CACHE: join(CHECKOUT, ".tmp/caches/node") };

let folder: string;
beforeAll(async () => {
  await build();
  folder = mkdtempSync(join(tmpdir(), "ptc-bare-"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runBare(code: string, config: object = {}, env: NodeJS.ProcessEnv = {}): Promise<CommandEnd> {
  const entry = pathToFileURL(join(CHECKOUT, "dist/index.js")).href;
  const script = `
    import { runPtcProgram } from ${JSON.stringify(entry)};
    const outcome = await runPtcProgram({ code: ${JSON.stringify(code)}, bindings: [], config: ${JSON.stringify(config)} });
    console.log(outcome.error?.kind ?? "ok", outcome.value, outcome.warnings.join());`;
  const args = ["--input-type=module", "-e", script];
  return runCommand(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...COMPILED, TMPDIR: folder, ...env },
  });
}

/** How programs end, and what the process says of it. */
const ENDINGS: [code: string, said: string, config?: object][] = [
  ["return 1 + 1", "ok 2"],
  ["process.exit(3)", "worker-exit undefined"],
  ["for (;;) {}", "timeout undefined", { timeoutMs: 200, graceMs: 0 }],
  ["(await import('node:child_process')).spawn('sleep', ['600'], { stdio: 'inherit' }); return 5", "ok 5"],
];

test("a dozen times in a row it prints the outcome, exits with 0 and leaves nothing", async () => {
  for (let round = 0; round < 3; round += 1) {
    const ends = await Promise.all(ENDINGS.map(([code, , config]) => runBare(code, config)));
    expect(ends.map(({ code, stdout, stderr }) => ({ code, said: stdout.trim(), stderr }))).toEqual(
      ENDINGS.map(([, said]) => ({ code: 0, said, stderr: "" })),
    );
  }
  expect(workersIn(folder)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
}, 120_000);

test("a compile error, a standstill and an abandoned timer end it as well", async () => {
  const programs = ["enum A {}", "await new Promise(() => {})", "setInterval(() => 1, 1000); return 1"];
  const ends = await Promise.all(programs.map((code) => runBare(code)));
  expect(ends.map(({ code, stdout }) => `${code} ${stdout.trim()}`)).toEqual([
    "0 compile undefined",
    "0 exception undefined",
    "0 ok 1",
  ]);
}, 60_000);

test("a runner with spares and a compiler that stand by can be closed when nothing else keeps the process alive", async () => {
  const runner = pathToFileURL(join(CHECKOUT, "src/program/run-program.ts")).href;
  const limits = pathToFileURL(join(CHECKOUT, "src/base/limits.ts")).href;
  const script = `
    import { createProgramRunner } from ${JSON.stringify(runner)};
    import { DEFAULT_CONFIG } from ${JSON.stringify(limits)};
    const config = { ...DEFAULT_CONFIG, spares: 2 };
    const runner = createProgramRunner({ config, ...JSON.parse(process.argv[1]), truncateTail: () => ({}), outputDir: async () => "" });
    await runner.warmed(process.cwd());
    await runner.close();
    console.log("closed");`;
  for (const vessel of VESSELS) {
    const args = ["--input-type=module", "-e", script, JSON.stringify(placeOf(vessel))];
    const end = await runCommand(process.execPath, args, { cwd: folder, env: process.env });
    expect(end).toEqual({ code: 0, stdout: "closed\n", stderr: "" });
  }
  expect(workersIn(folder)).toEqual([]);
}, 60_000);

test.each(["/nowhere", "/sys", "/dev/null"])(
  "with %s for a temp folder the value of a long text arrives, with a warning",
  async (TMPDIR) => {
    const code = "for (let i = 0; i < 3000; i++) console.log('line'); return 7";
    const { code: exit, stdout } = await runBare(code, {}, { TMPDIR });
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^ok 7 the full output could not be written to a file: .*(?:ENOENT|EACCES|EROFS|EPERM|ENOTDIR)/,
    );
  },
);
