/** Runs every check that needs no test run: types, lint, format, layers, names and comments. All run, whatever fails. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = dirname(import.meta.dirname);

const STEPS: readonly { name: string; script: string; args: readonly string[] }[] = [
  { name: "types", script: "node_modules/typescript/bin/tsc", args: ["--noEmit"] },
  { name: "lint", script: "node_modules/oxlint/bin/oxlint", args: ["--deny-warnings"] },
  { name: "format", script: "node_modules/oxfmt/bin/oxfmt", args: ["--check", "."] },
  { name: "layers", script: "scripts/check-layers.ts", args: [] },
  { name: "names and comments", script: "scripts/check-sources.ts", args: [] },
];

/** Exit code of one step; what it prints is printed. */
function run(script: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

const failed: string[] = [];
for (const { name, script, args } of STEPS) {
  if (!existsSync(join(ROOT, script))) throw new Error(`${script} is missing`);
  console.log(`check: ${name}`);
  if ((await run(script, args)) !== 0) failed.push(name);
}
console.log(failed.length > 0 ? `check failed: ${failed.join(", ")}` : "check: all passed");
process.exitCode = failed.length > 0 ? 1 : 0;
