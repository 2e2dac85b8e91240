/**
 * Builds after an install. pi installs a git source without devDependencies: there the tools are fetched for this one build, and
 * when that fails the install stands, without `dist`, and the entry says what to do.
 */

import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build, isBuilt } from "./build.ts";
import { BUILD_PACKAGES, buildWithFetchedTools, hasBuildPackages, type NpmCommand } from "./fetch-tools.ts";

const ROOT = dirname(import.meta.dirname);
/** Commands that run this script for more than an install; what they make has to be whole. */
const DEMANDING = ["pack", "publish", "run", "run-script"];

/** Where, for whom and with what. */
export interface PrepareOptions {
  root: string;
  /** The package manager's command, as in `npm_command`. */
  command?: string;
  npm?: NpmCommand;
  say: (line: string) => void;
}

/** Brings `dist` up to date. Throws when the build fails, but not in an install without devDependencies: that is only said. */
export async function prepare({ root, command = "install", npm, say }: PrepareOptions): Promise<void> {
  const started = performance.now();
  if (hasBuildPackages(root) || DEMANDING.includes(command)) {
    const { built, durationMs } = await build(root);
    return say(built ? `dist built in ${Math.round(durationMs)} ms` : "dist is up to date");
  }
  if (await isBuilt(root, { declarations: false })) return say("dist is up to date");
  say(`fetching what builds dist: ${BUILD_PACKAGES.join(", ")}`);
  try {
    await buildWithFetchedTools(root, npm);
    say(`dist built in ${Math.round(performance.now() - started)} ms`);
  } catch (error) {
    // It is of another commit, and must not be loaded by this one's entry.
    await rm(join(root, "dist"), { recursive: true, force: true });
    say(
      `prepare: dist could not be built: the tools are missing until \`npx pnpm@12 build\` was run in ${root}`,
    );
    say((error as Error).message);
  }
}

/** What `prepare.js` runs. */
export async function main(): Promise<void> {
  try {
    await prepare({ root: ROOT, command: process.env["npm_command"], say: console.log });
  } catch (error) {
    console.error(`build: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
