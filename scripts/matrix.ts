/**
 * `matrix [--pi 1.3.0,...] [--node 22.19.0,...] [file...]`: installs each pair of pi and Node into a clone of the last commit, runs
 * there what meets a real pi, and prints a table. Exits with 1 when a test failed. Needs the package registry.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = dirname(import.meta.dirname);
const FOLDER = join(ROOT, ".tmp/matrix");
/** What starts a real pi, loads the package into one, or starts real children. */
const SUITES = [
  "tests/pi",
  "tests/package",
  "tests/faults/child-pis.test.ts",
  "tests/faults/pi-handlers.test.ts",
];

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((arg, index) => index > 0 || arg !== "--"),
  allowPositionals: true,
  options: {
    pi: { type: "string", default: "1.3.0,1.5.2,1.6.0" },
    node: { type: "string", default: "22.19.0,24.21.0,26.10.0" },
  },
});

/** What one pair came to. */
interface Cell {
  pi: string;
  node: string;
  passed: number;
  failed: string[];
  /** Why there is no count. */
  problem?: string;
  seconds: number;
}

interface Counts {
  numPassedTests: number;
  testResults: { name: string; message: string; assertionResults: Test[] }[];
}

interface Test {
  status: string;
  fullName: string;
  failureMessages: string[];
}

function runCell(pi: string, node: string): Cell {
  const startedAt = performance.now();
  const folder = join(FOLDER, `pi-${pi}-node-${node}`);
  const cell = { pi, node, passed: 0, failed: [] as string[] };
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
  try {
    prepare(folder, pi, node);
    const counts = runSuites(folder);
    const failed = counts.testResults.flatMap(({ name, message, assertionResults }) => {
      const titles = assertionResults
        .filter(({ status }) => status === "failed")
        .map(
          ({ fullName, failureMessages: [reason = ""] }) =>
            `${fullName}\n  ${reason.replaceAll("\n", "\n  ")}`,
        );
      const isBroken = assertionResults.length === 0 && message !== "";
      return isBroken ? [`${name.slice(folder.length + 1)}: ${message.split("\n")[0]}`] : titles;
    });
    return { ...cell, passed: counts.numPassedTests, failed, seconds: seconds() };
  } catch (error) {
    return { ...cell, problem: (error as Error).message.split("\n")[0] as string, seconds: seconds() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function prepare(folder: string, pi: string, node: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  execFileSync("git", ["clone", "--quiet", ROOT, folder]);
  const path = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { devDependencies: Record<string, string> };
  for (const name of Object.keys(manifest.devDependencies))
    if (name.startsWith("@earendil-works/")) manifest.devDependencies[name] = pi;
  manifest.devDependencies["node"] = node;
  writeFileSync(path, JSON.stringify(manifest, undefined, 2));
  const env = { ...process.env, npm_config_yes: "true", CI: "true" };
  const install = spawnSync("npx", ["pnpm@12", "install", "--no-frozen-lockfile"], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  if (install.status !== 0)
    throw new Error(`cannot be installed: ${`${install.stdout}${install.stderr}`.trim().split("\n").at(-1)}`);
}

/** Under the clone's own Node. */
function runSuites(folder: string): Counts {
  const own = join(folder, "node_modules/.bin/node");
  const report = join(folder, ".tmp/report.json");
  mkdirSync(dirname(report), { recursive: true });
  const files = positionals.length > 0 ? positionals : SUITES;
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=json",
    `--outputFile=${report}`,
    ...files,
  ];
  const env = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}:${process.env["PATH"]}` };
  const run = spawnSync(own, args, { cwd: folder, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  try {
    return JSON.parse(readFileSync(report, "utf8")) as Counts;
  } catch {
    throw new Error(`the tests could not run: ${run.stderr.trim().split("\n")[0]}`);
  }
}

const cells: Cell[] = [];
for (const pi of values.pi.split(","))
  for (const node of values.node.split(",")) {
    const cell = runCell(pi, node);
    cells.push(cell);
    for (const title of cell.failed) console.log(`pi ${pi}, Node ${node}: ${title}`);
    if (cell.problem) console.log(`pi ${pi}, Node ${node}: ${cell.problem}`);
  }
console.log("| pi | Node | passed | failed | seconds |\n| --- | --- | --- | --- | --- |");
for (const { pi, node, passed, failed, problem, seconds } of cells)
  console.log(`| ${pi} | ${node} | ${passed} | ${problem ? "no run" : failed.length} | ${seconds} |`);
process.exitCode = cells.some(({ failed, problem }) => failed.length > 0 || problem) ? 1 : 0;
