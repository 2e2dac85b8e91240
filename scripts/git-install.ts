/**
 * `git-install`: installs the last commit from git into a real pi, updates it to another, and installs it with npm; prints what each took.
 * Exits with 1 when pi was not offered our tools. Needs the package registry, which it finds in the user's npm settings.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createSandboxHome, PI_CLI } from "./sandbox-home.ts";

const ROOT = dirname(import.meta.dirname);
/** pi takes no path of the disk for a git source; git is told to read this from the disk. */
const ADDRESS = "https://git.invalid/someone/ptc";
/** What a package manager may need to reach its registry. */
const NETWORK = /^npm_config_|_proxy$|^NODE_EXTRA_CA_CERTS$/i;
const MARK = "another commit";

const home = createSandboxHome();
const repository = join(home.root, "repository.git");
const clone = join(home.agentDir, "git/git.invalid/someone/ptc");
const { PI_OFFLINE: _online, ...offline } = home.env;
const env: NodeJS.ProcessEnv = {
  NPM_CONFIG_USERCONFIG: join(homedir(), ".npmrc"),
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
  ...offline,
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: `url.${pathToFileURL(repository).href}.insteadOf`,
  GIT_CONFIG_VALUE_0: ADDRESS,
};

/** Runs a command to its end and says how long it took. Throws with its output when it fails. */
function run(title: string, command: readonly [string, ...string[]], cwd = home.cwd): string {
  const started = performance.now();
  const [file, ...args] = command;
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: "utf8" });
  const seconds = (performance.now() - started) / 1_000;
  if (status !== 0) throw new Error(`${title} failed\n${stdout}${stderr}`);
  console.log(
    `${title}: ${seconds.toFixed(1)} s${/dist built in \d+ ms/.exec(stdout)?.[0].replace(/^/, ", ") ?? ""}`,
  );
  return stdout;
}

const runPi = (title: string, ...args: string[]): string => run(title, [process.execPath, PI_CLI, ...args]);

/** Bytes of all files below `folder`, but for git's own. */
function size(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith(".git"),
  );
  return files
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

/** Throws unless a pi that starts now offers our tools. */
function expectTools(): void {
  const script = join(home.root, "script.mjs");
  writeFileSync(
    script,
    'export default ({ tools }) => tools.filter((name) => name.startsWith("ptc_")).join();',
  );
  env["FAUX_SCRIPT"] = script;
  const model = ["-e", join(ROOT, "tests/fixtures/faux-model.ts"), "--model", "faux/faux-1"];
  const offered = runPi("start", ...model, "--no-session", "-p", "hello").trim();
  if (!offered.startsWith("ptc_run_code,ptc_workflow")) throw new Error(`pi was offered: ${offered}`);
}

/** One more commit in the repository, which changes what is built. */
function commitUpstream(): void {
  const folder = join(home.root, "upstream");
  const git = (...args: string[]): unknown =>
    execFileSync("git", args, { cwd: home.root, env, stdio: "pipe" });
  git("clone", "--quiet", repository, folder);
  writeFileSync(join(folder, "src/index.ts"), `\nexport const mark = ${JSON.stringify(MARK)};\n`, {
    flag: "a",
  });
  const author = ["-c", "user.name=someone", "-c", "user.email=someone@git.invalid"];
  git("-C", folder, ...author, "commit", "--quiet", "--all", "--message", MARK);
  git("-C", folder, "push", "--quiet");
}

function checkPi(): void {
  runPi("pi install", "install", `git:${ADDRESS}`);
  const left = readdirSync(join(clone, ".tmp")).filter((name) => name !== "build.json");
  if (left.length > 0 || existsSync(join(clone, "node_modules")))
    throw new Error(`left behind: ${left.join()}`);
  console.log(
    `clone without .git: ${(size(clone) / 1e6).toFixed(1)} MB, of which dist ${(size(join(clone, "dist")) / 1e6).toFixed(1)} MB`,
  );
  expectTools();
  commitUpstream();
  runPi("pi update", "update", "--extensions");
  if (!readFileSync(join(clone, "dist/index.js"), "utf8").includes(MARK))
    throw new Error("pi update left the dist of the commit before");
  expectTools();
}

function checkNpm(): void {
  const folder = join(home.root, "consumer");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  run(
    "npm install",
    ["npm", "install", "--legacy-peer-deps", `git+${pathToFileURL(repository).href}`],
    folder,
  );
  for (const name of ["dist/extension.js", "dist/types/index.d.ts"])
    if (!existsSync(join(folder, "node_modules/pi-ptc-subagents", name)))
      throw new Error(`npm install left out ${name}`);
}

try {
  execFileSync("git", ["clone", "--quiet", "--bare", ROOT, repository], { stdio: "inherit" });
  checkPi();
  checkNpm();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  home.remove();
}
