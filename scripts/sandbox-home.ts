/** A home for a pi that must neither see nor change the user's: own home, agent folder and temp folder, no network. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const ROOT = dirname(import.meta.dirname);
/** What a pi may inherit. Everything else could steer it: keys, `PI_*`, `NODE_OPTIONS`, a package manager's settings. */
const INHERITED = ["LANG", "LC_ALL", "TERM", "COLORTERM", "TZ", "SystemRoot", "ComSpec", "PATHEXT"];

/** A throwaway home. */
export interface SandboxHome {
  /** Everything is below this folder; `remove()` deletes it. */
  root: string;
  agentDir: string;
  /** An empty folder to work in. */
  cwd: string;
  /** Environment for a pi and for package managers. */
  env: Record<string, string>;
  remove(): void;
}

/** What pi may reuse between homes. */
export interface SandboxOptions {
  /** `shared`: compiled code is kept in `.tmp/caches` of this repository. `fresh`: every start is a first start. */
  caches?: "shared" | "fresh";
}

/** pi's command-line script in this repository's dependencies; run it with `process.execPath`. */
export const PI_CLI = join(ROOT, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");

/** Makes the folders. The caller removes the home when every process in it has ended. */
export function createSandboxHome({ caches = "shared" }: SandboxOptions = {}): SandboxHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ptc-home-")));
  const folder = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const home = folder("home");
  const agentDir = folder("agent");
  const temp = folder("tmp");
  const inherited = INHERITED.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  const env: Record<string, string> = {
    ...Object.fromEntries(inherited),
    PATH: [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temp,
    TMP: temp,
    TEMP: temp,
    PI_CODING_AGENT_DIR: agentDir,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
    ...(caches === "shared" ? sharedCaches() : {}),
  };
  return {
    root,
    agentDir,
    cwd: folder("cwd"),
    env,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Node's compile cache, and the folder pi's transpiler keeps its output in (read by jiti as JSON). */
function sharedCaches(): Record<string, string> {
  const caches = join(ROOT, ".tmp", "caches");
  return { NODE_COMPILE_CACHE: join(caches, "node"), JITI_FS_CACHE: JSON.stringify(join(caches, "jiti")) };
}
