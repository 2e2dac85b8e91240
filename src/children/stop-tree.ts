/**
 * Ending a child pi with everything below it. pi starts each command in a group of its own; SIGTERM lets
 * it stop them itself; before SIGKILL the tree is collected by parent ids and run marker.
 */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { presenceOf } from "../base/process-identity.ts";
import { descendantsOf, signalTree } from "../base/process-tree.ts";

/** Time between SIGTERM and SIGKILL. */
export const KILL_DELAY_MS = 5_000;
/** Carried by every process below one child; a child's own children add theirs after a slash. */
export const RUN_MARKER = "PI_PTC_RUN";

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
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // Gone.
  }
}

/** Kills the tree below `pid`, `pid` included, and whatever carries `marker`. `pid` must not have been reaped. */
export function forceEnd(pid: number, marker: string): void {
  if (process.platform === "win32") {
    killOnWindows(pid);
    return;
  }
  const below = [...descendantsOf(pid).flatMap(identify), ...findMarked(marker)];
  signalTree(pid, "SIGKILL");
  killEach(below);
}

/** Kills what a dead child left behind, where there is a `/proc`. */
export function sweepMarked(marker: string): void {
  killEach(findMarked(marker));
}

/** Kills all that descends from this process: for the exit of one that nobody cleans up after. */
export function endDescendants(): void {
  killEach(descendantsOf(process.pid).flatMap(identify));
}

function killEach(found: readonly FoundProcess[]): void {
  for (const { pid, startTime } of found) {
    if (pid === process.pid || identify(pid)[0]?.startTime !== startTime) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone.
    }
  }
}

function findMarked(marker: string): FoundProcess[] {
  return findWith((found) => found === marker || found.startsWith(`${marker}/`));
}

/** Processes whose marker fits. */
function findWith(fits: (marker: string) => boolean): FoundProcess[] {
  if (process.platform !== "linux") return [];
  const prefix = `${RUN_MARKER}=`;
  const isMeant = (entry: string): boolean => entry.startsWith(prefix) && fits(entry.slice(prefix.length));
  const pids = processIds();
  return pids.filter((pid) => environmentOf(pid).some(isMeant)).flatMap((pid) => identify(Number(pid)));
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

/** The process with its start time; none when it ended. Its name may hold anything, so fields count from there. */
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

/** How long an orphan is asked before it is killed, and how often it is looked at. */
const ORPHAN_CHECK_MS = 100;

/** Ends what a background child's dead parent left of it: the child itself and everything that carries its id. Never rejects. */
export async function endTask({
  id,
  pid,
  pidStartedAt,
}: {
  id: string;
  pid?: number;
  pidStartedAt?: string;
}): Promise<void> {
  const isThere = (): boolean =>
    pid !== undefined &&
    pidStartedAt !== undefined &&
    pidStartedAt !== "" &&
    presenceOf({ pid, startedAt: pidStartedAt }) === "alive";
  if (isThere()) requestEnd(pid as number);
  for (let waitedMs = 0; waitedMs < KILL_DELAY_MS && isThere(); waitedMs += ORPHAN_CHECK_MS)
    await new Promise((resolve) => setTimeout(resolve, ORPHAN_CHECK_MS).unref());
  if (isThere()) forceEnd(pid as number, id);
  killEach(findWith((marker) => marker.split("/").includes(id)));
}
