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
  const startedAt = startOf(pid);
  if (startedAt !== undefined) return { pid, startedAt };
  return hasProcess(pid) ? { pid, startedAt: "" } : undefined;
}

/** Is the process still there? A zombie is gone. */
export function presenceOf({ pid, startedAt }: ProcessIdentity): PresenceKind {
  const now = identifyProcess(pid);
  if (!now) return "gone";
  if (now.startedAt === "" || startedAt === "") return "unknown";
  return now.startedAt === startedAt ? "alive" : "gone";
}

function startOf(pid: number): string | undefined {
  if (process.platform === "linux") return linuxStart(pid);
  return process.platform === "darwin" ? listedStart(pid) : undefined;
}

/** Ticks since boot, with the boot they count from. The name before them may hold anything, so fields count from its end. */
function linuxStart(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const ticks = fields[19];
    if (ticks === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${bootId()}:${ticks}`;
  } catch {
    // Gone.
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    // Containers may hide it; ticks alone tell processes of one boot apart.
    return "";
  }
}

function listedStart(pid: number): string | undefined {
  try {
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
    return text.trim() || undefined;
  } catch {
    // `ps` fails when there is no such process.
    return undefined;
  }
}

function hasProcess(pid: number): boolean {
  if (process.platform === "linux") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
