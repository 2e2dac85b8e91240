/** Builds, then runs vitest with the arguments given. The last line printed is always `N passed, N failed`. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "./build.ts";
import { closingLine, type TestCounts } from "./closing-line.ts";

const ROOT = dirname(import.meta.dirname);

/** Exit code of vitest. */
function runVitest(args: readonly string[], countsPath: string): Promise<number> {
  const reporters = ["--reporter=default", `--reporter=${join(import.meta.dirname, "closing-line.ts")}`];
  const command = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...reporters, ...args];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PTC_TEST_COUNTS: countsPath };
    const child = spawn(process.execPath, command, { cwd: ROOT, env, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** What the reporter counted. A run that ended without counts, or badly for no counted reason, is one failure. */
function readCounts(path: string, exitCode: number): TestCounts {
  let counts: TestCounts = { passed: 0, failed: 0 };
  try {
    counts = JSON.parse(readFileSync(path, "utf8")) as TestCounts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function test(args: readonly string[]): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), "ptc-test-"));
  try {
    await build();
    const countsPath = join(folder, "counts.json");
    return readCounts(countsPath, await runVitest(args, countsPath));
  } catch (error) {
    console.error(`test: ${(error as Error).message}`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const counts = await test(process.argv.slice(2).filter((arg, index) => index > 0 || arg !== "--"));
process.exitCode = counts.failed > 0 ? 1 : 0;
console.log(closingLine(counts));
