/**
 * Ending a child pi with everything below it. pi starts each command in a group of its own; SIGTERM lets
 * it stop them itself; before SIGKILL the tree is collected by parent ids and run marker.
 */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { presenceOf, startsOf } from "../base/process-identity.ts";
import { carries, type ListedProcess, listProcesses } from "../base/process-list.ts";
import { descendantsOf } from "../base/process-tree.ts";

/** From SIGTERM to SIGKILL. */
export const KILL_DELAY_MS = 5_000;
/** Carried by every process below one child; a child's own children add theirs after a slash. */
export const RUN_MARKER = "PI_PTC_RUN";

/** What forks while it is looked for is found in the next round. */
const MAX_SWEEPS = 10;
/** How often an orphan that was asked to end is looked at. */
const ORPHAN_CHECK_MS = 100;

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
  const below = findTree(pid, marker);
  signalGroup(pid, "SIGKILL");
  killEach(below);
  sweepMarked(marker);
}

/** Kills what a dead child left behind. */
export function sweepMarked(marker: string): void {
  for (let round = 0; round < MAX_SWEEPS; round += 1) {
    if (killEach(findTree(undefined, marker)) === 0) return;
  }
}

/**
 * Ends what a dead pi left of a background child: its process, and everything that carries the id of its task in its
 * marker. Never rejects.
 */
export async function endTask(task: { id: string; pid?: number; pidStartedAt?: string }): Promise<void> {
  const { id, pid, pidStartedAt = "" } = task;
  const isMeant = (marker: string): boolean => marker.split("/").includes(id);
  const isThere = (): boolean =>
    pid !== undefined &&
    pidStartedAt !== "" &&
    presenceOf({ pid, startedAt: pidStartedAt }) === "alive" &&
    (process.platform !== "linux" || markersOf(String(pid)).some(isMeant));
  if (isThere()) requestEnd(pid as number);
  for (let waitedMs = 0; waitedMs < KILL_DELAY_MS && isThere(); waitedMs += ORPHAN_CHECK_MS)
    await new Promise((resolve) => setTimeout(resolve, ORPHAN_CHECK_MS));
  if (isThere()) killEach(findTree(pid, undefined).concat(identified([pid as number])));
  killEach(findTask(id, isMeant));
}

/**
 * Makes this child take along all below it when it ends badly. The pi that would sweep after it may be gone: then a
 * broken pipe often ends the child before it notices.
 */
export function sweepAtFailure(marker: string | undefined): void {
  process.once("exit", (code) => {
    if (code !== 0) killEach(findTree(process.pid, marker));
  });
}

/** SIGTERM, on which pi stops its own commands; SIGKILL with all below when that was not enough. */
export function endSelf(marker: string | undefined): void {
  if (process.platform === "win32") {
    killOnWindows(process.pid);
    return;
  }
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => {
    killEach(findTree(process.pid, marker));
    process.kill(process.pid, "SIGKILL");
  }, KILL_DELAY_MS).unref();
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Gone.
  }
}

/** How many of them were told to end. */
function killEach(found: readonly FoundProcess[]): number {
  const starts = startsOf(found.map(({ pid }) => pid));
  const killed = found.filter(({ pid, startTime }) => {
    if (pid === process.pid || starts.get(pid) !== startTime) return false;
    try {
      return process.kill(pid, "SIGKILL");
    } catch {
      // Gone.
      return false;
    }
  });
  return killed.length;
}

/** What descends from `pid`, and what carries `marker`: only that tells whose a command is when those between have ended. */
function findTree(pid: number | undefined, marker: string | undefined): FoundProcess[] {
  if (process.platform === "darwin") return findListed(listProcesses(), pid, marker);
  const below = pid === undefined ? [] : descendantsOf(pid);
  const isBelow = (found: string): boolean => found === marker || found.startsWith(`${marker}/`);
  const marked = process.platform === "linux" && marker !== undefined ? linuxMarked(isBelow) : [];
  return identified([...below, ...marked]);
}

/** What carries the id of a task anywhere in its marker. */
function findTask(id: string, isMeant: (marker: string) => boolean): FoundProcess[] {
  if (process.platform === "linux") return identified(linuxMarked(isMeant));
  if (process.platform !== "darwin") return [];
  return listProcesses().filter(({ command }) =>
    new RegExp(`\\b${RUN_MARKER}=(?:\\S*/)?${id}\\b`).test(command),
  );
}

function identified(pids: readonly number[]): FoundProcess[] {
  return [...startsOf([...new Set(pids)])].map(([pid, startTime]) => ({ pid, startTime }));
}

/** The same in a list of processes. */
export function findListed(
  listed: readonly ListedProcess[],
  pid: number | undefined,
  marker: string | undefined,
): FoundProcess[] {
  const below = new Set<number>(pid === undefined ? [] : [pid]);
  // A set that grows while it is walked is walked to its end.
  for (const parent of below) for (const one of listed) if (one.parent === parent) below.add(one.pid);
  return listed
    .filter((one) => one.pid !== pid)
    .filter((one) => below.has(one.pid) || (marker !== undefined && carries(one, RUN_MARKER, marker)))
    .map((one) => ({ pid: one.pid, startTime: one.startTime }));
}

function linuxMarked(fits: (marker: string) => boolean): number[] {
  return processIds()
    .filter((pid) => markersOf(pid).some(fits))
    .map(Number);
}

function processIds(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    // No descriptor is left to look with.
    return [];
  }
}

/** The marker a process was started with, if any. */
function markersOf(pid: string): string[] {
  const prefix = `${RUN_MARKER}=`;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return environment.filter((entry) => entry.startsWith(prefix)).map((entry) => entry.slice(prefix.length));
  } catch {
    // Not ours, or gone.
    return [];
  }
}

function killOnWindows(pid: number): void {
  // By its full path: a bare name would be looked for in the folder pi works in first.
  const taskkill = join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
  execFile(taskkill, ["/T", "/F", "/PID", String(pid)], () => undefined);
}
