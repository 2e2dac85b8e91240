/**
 * Ending a child pi with everything below it. pi starts each command in a group of its own: SIGTERM lets
 * it stop them, SIGKILL goes to all that parent ids and run marker lead to.
 */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { descendantsOf } from "../base/process-tree.ts";

/** Time between SIGTERM and SIGKILL. */
export const KILL_DELAY_MS = 5_000;
/** Carried by all below one child; its own children add theirs after a slash. */
export const RUN_MARKER = "PI_PTC_RUN";

/** What forks while it is looked for is found in the next round. */
const MAX_SWEEPS = 10;

interface FoundProcess {
  pid: number;
  /** The same id with another start is another process. */
  startTime: string;
}

/** Asks the group that `pid` leads to end. */
export function requestEnd(pid: number): void {
  if (process.platform === "win32") {
    killOnWindows(pid);
    return;
  }
  signalGroup(pid, "SIGTERM");
}

/** Kills the tree below `pid`, `pid` included, and whatever carries `marker`. `pid` must not have been reaped. */
export function forceEnd(pid: number, marker: string): void {
  if (process.platform === "win32") {
    killOnWindows(pid);
    return;
  }
  const below = descendantsOf(pid).flatMap(identify);
  signalGroup(pid, "SIGKILL");
  killEach(below);
  sweepMarked(marker);
}

/** Kills what a dead child left behind, where there is a `/proc`. */
export function sweepMarked(marker: string): void {
  for (let round = 0; round < MAX_SWEEPS; round += 1) {
    if (killEach(findMarked(marker)) === 0) return;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone.
  }
}

/** How many of them were told to end. */
function killEach(found: readonly FoundProcess[]): number {
  const killed = found.filter(({ pid, startTime }) => {
    if (pid === process.pid || identify(pid)[0]?.startTime !== startTime) return false;
    try {
      return process.kill(pid, "SIGKILL");
    } catch {
      // Gone.
      return false;
    }
  });
  return killed.length;
}

function findMarked(marker: string): FoundProcess[] {
  if (process.platform !== "linux") return [];
  const wanted = `${RUN_MARKER}=${marker}`;
  const isBelow = (entry: string): boolean => entry === wanted || entry.startsWith(`${wanted}/`);
  const pids = processIds();
  return pids.filter((pid) => environmentOf(pid).some(isBelow)).flatMap((pid) => identify(Number(pid)));
}

function processIds(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    // No descriptor is left to look with.
    return [];
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    // Not ours, or gone.
    return [];
  }
}

/** The process with its start time; none when it ended. Fields count from its name, which may hold anything. */
function identify(pid: number): FoundProcess[] {
  if (process.platform !== "linux") return [{ pid, startTime: "" }];
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    const startTime = line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    return [{ pid, startTime }];
  } catch {
    // Gone.
    return [];
  }
}

function killOnWindows(pid: number): void {
  execFile("taskkill", ["/T", "/F", "/PID", String(pid)], () => undefined);
}
