/**
 * The build in a clone without devDependencies: what the bundle needs is fetched into a folder of its own, with copies of the
 * sources, since packages are looked for in the folders above whoever imports them. Nothing of it stays but `dist`.
 */

import { execFile, type ExecFileOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { INPUTS } from "./build.ts";

/** The bundler, and every package whose code ends in `dist`. */
export const BUILD_PACKAGES: readonly string[] = [
  "@earendil-works/pi-codemode",
  "quickjs-wasi",
  "rolldown",
  "ulid",
];

/** A slow line brings 15 MB in that time. */
const FETCH_TIMEOUT_MS = 10 * 60_000;
/** Lines of a failed command that are worth reading, and some that are not. */
const CAUSE_LINES = 6;
const STACK_LINE = /^(?:npm error)?\s+at /;
/**
 * The user's npm may be set otherwise, and the npm that runs us hands its own options down. By default npm takes minutes to give
 * up on a registry that it cannot reach.
 */
const NPM_INSTALL = [
  "install",
  "--ignore-scripts",
  "--legacy-peer-deps",
  "--include=optional",
  "--no-package-lock",
  "--no-package-lock-only",
  "--fetch-retry-mintimeout=500",
  "--fetch-retry-maxtimeout=2000",
  "--no-global",
  "--no-dry-run",
  "--no-audit",
  "--no-fund",
  "--no-progress",
  "--loglevel=error",
];

/** How npm is started. */
export interface NpmCommand {
  file: string;
  args: readonly string[];
  /** Windows starts `npm.cmd` only through a shell. */
  shell?: boolean;
}

/** What npm is asked for. */
interface FetchPlan {
  private: true;
  dependencies: Record<string, string>;
  /** Versions of what those bring along. */
  overrides: Record<string, string>;
}

/** Whether this checkout has all that the bundle needs. */
export function hasBuildPackages(root: string): boolean {
  return BUILD_PACKAGES.every((name) => existsSync(join(root, "node_modules", name, "package.json")));
}

/** Versions come from the texts of `package.json` and `pnpm-lock.yaml`. Throws when one is missing. */
export function planFetch(manifest: string, lockfile: string): FetchPlan {
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  const dependencies = Object.fromEntries(
    BUILD_PACKAGES.map((name) => {
      const version = devDependencies[name];
      if (version === undefined) throw new Error(`package.json has no version of ${name}`);
      return [name, version];
    }),
  );
  return { private: true, dependencies, overrides: lockedVersions(lockfile, BUILD_PACKAGES) };
}

/** Packages of which the lockfile has one version, but for those in `without`. */
function lockedVersions(lockfile: string, without: readonly string[]): Record<string, string> {
  const versions = new Map<string, Set<string>>();
  for (const [, name, version] of lockfile.matchAll(/^ {2}'?(@?[^@\s']+)@([^:'(\s]+)/gm) as Iterable<
    [string, string, string]
  >)
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  return Object.fromEntries(
    [...versions].flatMap(([name, [version, second]]) =>
      second === undefined && version !== undefined && !without.includes(name) ? [[name, version]] : [],
    ),
  );
}

/** Builds `dist` below `root` without declarations. Throws with the cause in words; `dist` is then as it was. */
export async function buildWithFetchedTools(root: string, npm: NpmCommand = npmCommand()): Promise<void> {
  await mkdir(join(root, ".tmp"), { recursive: true });
  const folder = await mkdtemp(join(root, ".tmp", "tools-"));
  try {
    const read = (name: string): Promise<string> => readFile(join(root, name), "utf8");
    const plan = planFetch(await read("package.json"), await read("pnpm-lock.yaml"));
    await writeFile(join(folder, "package.json"), JSON.stringify(plan));
    await run({ ...npm, args: [...npm.args, ...NPM_INSTALL] }, { cwd: folder, timeout: FETCH_TIMEOUT_MS });
    await Promise.all(
      ["src", ...INPUTS].map((name) => cp(join(root, name), join(folder, name), { recursive: true })),
    );
    // In a process of its own: Windows removes no file of a bundler that is loaded.
    const build = [join(folder, "scripts", "build.ts"), "--into", root];
    await run({ file: process.execPath, args: build }, { cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The npm that runs this script, or the first of the path when another package manager does. */
function npmCommand(): NpmCommand {
  const path = process.env["npm_execpath"];
  if (path !== undefined && basename(path) === "npm-cli.js") return { file: process.execPath, args: [path] };
  return process.platform === "win32"
    ? { file: "npm.cmd", args: [], shell: true }
    : { file: "npm", args: [] };
}

/** Throws with the beginning of what was printed when it fails. */
function run({ file, args, shell }: NpmCommand, options: ExecFileOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { ...options, shell }, (error, stdout, stderr) => {
      if (!error) return resolve();
      const printed = `${stderr}`.trim() || `${stdout}`.trim() || error.message;
      const lines = printed
        .split("\n")
        .filter((line) => !STACK_LINE.test(line))
        .slice(0, CAUSE_LINES);
      if (error.killed) lines.unshift(`stopped after ${(options.timeout ?? 0) / 60_000} minutes`);
      reject(new Error(lines.join("\n"), { cause: error }));
    });
  });
}
