/** The list of processes as `ps` prints it, for systems without a `/proc`. Its form is that of macOS. */

import { spawnSync } from "node:child_process";

/** One line of the list. */
export interface ListedProcess {
  pid: number;
  parent: number;
  /** Seconds since 1970, in digits. */
  startTime: string;
  /** Arguments, then the environment where it was asked for and may be read; blanks part them all. */
  command: string;
}

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 2 ** 26;
const COLUMNS = ["pid=", "ppid=", "stat=", "lstart="].flatMap((column) => ["-o", column]);
const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\S+)\s+([A-Z][a-z]{2}\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d\d:\d\d:\d\d\s+\d{4})(?:\s+(.*))?$/;

/** All processes with their environment. Empty when `ps` cannot be run. */
export function listProcesses(): ListedProcess[] {
  return parseProcessList(runPs(["-A", "-E", "-ww", ...COLUMNS, "-o", "command="]) ?? "");
}

/** Those of `pids` that live, without their commands; undefined when `ps` cannot be run. */
export function listThese(pids: readonly number[]): ListedProcess[] | undefined {
  if (pids.length === 0) return [];
  const text = runPs([...COLUMNS, "-p", pids.join(",")]);
  return text === undefined ? undefined : parseProcessList(text);
}

/** Reads `pid ppid stat lstart command`, a process a line. Leaves out what has ended and only waits to be reaped. */
export function parseProcessList(text: string): ListedProcess[] {
  const found: (ListedProcess & { state: string })[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const [, pid, parent, state = "", start = "", command = ""] = LINE.exec(line) ?? [];
    const last = found.at(-1);
    if (pid !== undefined)
      found.push({ pid: Number(pid), parent: Number(parent), state, startTime: seconds(start), command });
    // Arguments and variables may hold line ends.
    else if (last) last.command += `\n${line}`;
  }
  return found.filter(({ state }) => !state.startsWith("Z")).map(({ state: _state, ...process }) => process);
}

/** Does its environment hold `name` with `value`, or with more after a slash? An argument that reads so counts, too. */
export function carries({ command }: ListedProcess, name: string, value: string): boolean {
  const wanted = `${name}=${value}`;
  for (let at = command.indexOf(wanted); at >= 0; at = command.indexOf(wanted, at + 1)) {
    const [before, after] = [command[at - 1], command[at + wanted.length]];
    if ((before === undefined || /\s/.test(before)) && (after === undefined || /[\s/]/.test(after)))
      return true;
  }
  return false;
}

/** A language and a time zone of the user's would change how times are printed. */
function runPs(args: readonly string[]): string | undefined {
  const { PATH = "/bin:/usr/bin" } = process.env;
  const env = { PATH, LC_ALL: "C", TZ: "UTC" };
  const options = { encoding: "utf8", env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES } as const;
  const { error, stdout } = spawnSync("ps", args, options);
  return error ? undefined : stdout;
}

const seconds = (text: string): string => String(Date.parse(`${text} UTC`) / 1_000);
