import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../scripts/test.ts");

/** Last line and exit code of the test script. */
function runTests(...args: string[]): Promise<{ lastLine: string | undefined; code: number | string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], { env: { PATH: process.env["PATH"] } }, (error, stdout) => {
      resolve({ lastLine: stdout.trimEnd().split("\n").at(-1), code: error?.code ?? 0 });
    });
  });
}

test("the last line counts what passed", async () => {
  expect(await runTests("--", "tests/scripts/check-sources.test.ts", "-t", "kebab-case")).toEqual({
    lastLine: "3 passed, 0 failed",
    code: 0,
  });
});

test("a run that finds no test is a failure", async () => {
  expect(await runTests("tests/nowhere.test.ts")).toEqual({ lastLine: "0 passed, 1 failed", code: 1 });
});
