/** Runs commands a user would run, in a sandboxed home. */

import { execFile } from "node:child_process";
import { PI_CLI, type SandboxHome } from "../../scripts/sandbox-home.ts";

/** What a command printed, and how it ended. */
export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `command` to its end with nothing on its stdin. Rejects only when it cannot be started. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { ...options, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error && typeof error.code === "string") reject(error);
      else resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Runs the real pi in the home's empty folder. */
export function runPi(
  home: SandboxHome,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<CommandEnd> {
  const hooks = env["PTC_MODULE_LOG"]
    ? ["--import", new URL("../fixtures/module-log.ts", import.meta.url).href]
    : [];
  return runCommand(process.execPath, [...hooks, PI_CLI, ...args], {
    cwd: home.cwd,
    env: { ...home.env, ...env },
  });
}
