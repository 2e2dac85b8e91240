/** Which process is meant: an id alone is given to another process once its own has ended. */

import { readFileSync } from "node:fs";
import { listThese } from "./process-list.ts";

/** A process by its id and the moment it started. */
export interface ProcessIdentity {
  pid: number;
  /** Comparable only with another of the same host; empty where it cannot be told. */
  startedAt: string;
}

/** `unknown`: some process has the id, and its start cannot be read. */
export type PresenceKind = "alive" | "gone" | "unknown";

/** The identity of a running process; undefined when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const start = startsOf([pid]).get(pid);
  if (start === undefined) return undefined;
  if (process.platform !== "linux" || start === "") return { pid, startedAt: start };
  // Ticks count from a boot.
  const boot = bootId();
  return { pid, startedAt: boot === undefined ? "" : `${boot}:${start}` };
}

/** Is the process still there? A zombie is gone. */
export function presenceOf({ pid, startedAt }: ProcessIdentity): PresenceKind {
  const now = identifyProcess(pid);
  if (!now) return "gone";
  if (now.startedAt === "" || startedAt === "") return "unknown";
  return now.startedAt === startedAt ? "alive" : "gone";
}

/**
 * When each process started, in digits that only compare: ticks since boot on Linux, seconds on macOS, empty where it
 * cannot be told. What has ended, zombies included, is missing.
 */
export function startsOf(pids: readonly number[]): Map<number, string> {
  const listed = process.platform === "darwin" ? listThese(pids) : undefined;
  if (listed) return new Map(listed.map(({ pid, startTime }) => [pid, startTime]));
  const startOf = process.platform === "linux" ? linuxStart : unknownStart;
  const starts = pids.map((pid) => [pid, startOf(pid)] as const);
  return new Map(starts.filter((found): found is [number, string] => found[1] !== undefined));
}

/** Is there a process with this id, and is it this user's? */
export function askFor(pid: number): "own" | "foreign" | "none" {
  try {
    process.kill(pid, 0);
    return "own";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "foreign" : "none";
  }
}

const unknownStart = (pid: number): string | undefined => (askFor(pid) === "none" ? undefined : "");

/** The name of a process may hold anything, so fields count from its end. */
function linuxStart(pid: number): string | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // Gone, or no descriptor is left to look with, or there is no `/proc`.
    return unknownStart(pid);
  }
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

/** Empty in containers that hide it: ticks alone tell processes of one boot apart. Undefined when it cannot be read now. */
function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "EACCES" || code === "EPERM" ? "" : undefined;
  }
}
