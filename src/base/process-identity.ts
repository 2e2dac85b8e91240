/** Which process is meant: an id alone is given to another process once its own has ended. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process by its id and the moment it started. */
export interface ProcessIdentity {
  pid: number;
  /** Comparable only with another of the same host; empty where the platform cannot tell. */
  startedAt: string;
}

/** `unknown`: some process has the id, and its start cannot be read. */
export type PresenceKind = "alive" | "gone" | "unknown";

/** The identity of a running process; undefined when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const start = startOf(pid);
  return start === GONE ? undefined : { pid, startedAt: start };
}

/** Is the process still there? A zombie is gone. */
export function presenceOf({ pid, startedAt }: ProcessIdentity): PresenceKind {
  const now = identifyProcess(pid);
  if (!now) return "gone";
  if (now.startedAt === "" || startedAt === "") return "unknown";
  return now.startedAt === startedAt ? "alive" : "gone";
}

const GONE = Symbol("gone");

/** Empty for a process whose start cannot be read. */
function startOf(pid: number): string | typeof GONE {
  if (process.platform === "linux") return linuxStart(pid);
  return (process.platform === "darwin" ? listedStart(pid) : undefined) ?? unreadableStart(pid);
}

/** Ticks since boot, with the boot they count from. The name before them may hold anything, so fields count from its end. */
function linuxStart(pid: number): string | typeof GONE {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // Gone, or no descriptor is left to look with, or there is no `/proc`.
    return unreadableStart(pid);
  }
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const ticks = fields[19];
  if (ticks === undefined || fields[0] === "Z" || fields[0] === "X") return GONE;
  const boot = bootId();
  return boot === undefined ? unreadableStart(pid) : `${boot}:${ticks}`;
}

/** Empty in containers that hide it: ticks alone tell processes of one boot apart. */
function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "EACCES" || code === "EPERM" ? "" : undefined;
  }
}

/** Undefined when `ps` tells none. Its date is in the zone and language it is run with. */
function listedStart(pid: number): string | typeof GONE | undefined {
  try {
    const text = execFileSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C", TZ: "UTC0" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    if (text.startsWith("Z")) return GONE;
    return text.replace(/^\S+\s+/, "") || undefined;
  } catch {
    // There is no such process, or no way to start `ps`.
    return undefined;
  }
}

function unreadableStart(pid: number): "" | typeof GONE {
  try {
    process.kill(pid, 0);
    return "";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "" : GONE;
  }
}
