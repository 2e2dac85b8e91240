/** Ending a process that leads its own group, together with everything that descends from it. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const MAX_PROCESSES = 4096;

/** Ids of all living descendants of `pid`. Empty when the platform cannot tell. */
export function descendantsOf(pid: number): number[] {
  const childrenOf = process.platform === "linux" ? linuxChildren : listedChildren();
  const found: number[] = [];
  const queue = [pid];
  for (
    let parent = queue.shift();
    parent !== undefined && found.length < MAX_PROCESSES;
    parent = queue.shift()
  ) {
    for (const child of childrenOf(parent)) {
      found.push(child);
      queue.push(child);
    }
  }
  return found;
}

/** Signals the group that `pid` leads and descendants that left it. Ids are reused: call it only before the exit is seen. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  // Taken before the leader dies: its orphans could no longer be found.
  const descendants = descendantsOf(pid);
  send(-pid, signal);
  for (const descendant of descendants) send(descendant, signal);
}

/** Resident bytes of a process on Linux; undefined elsewhere or when it is gone. */
export function residentBytes(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    // Gone, or no /proc.
    return undefined;
  }
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It is gone already.
  }
}

function linuxChildren(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
      const text = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8");
      return text.split(" ").filter(Boolean).map(Number);
    });
  } catch {
    // The process ended while it was read.
    return [];
  }
}

function listedChildren(): (pid: number) => number[] {
  if (process.platform === "win32") return () => [];
  const byParent = new Map<number, number[]>();
  try {
    for (const line of execFileSync("ps", ["-A", "-o", "pid=", "-o", "ppid="], { encoding: "utf8" }).split(
      "\n",
    )) {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      if (pid && parent) byParent.set(parent, [...(byParent.get(parent) ?? []), pid]);
    }
  } catch {
    // Without `ps` the group signal still reaches most.
  }
  return (pid) => byParent.get(pid) ?? [];
}
