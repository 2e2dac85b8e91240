/**
 * Names one process for good. The system uses ids again, so a key is the id, the start of the process, and the place
 * in which such ids mean something: one machine, and on Linux one namespace of ids.
 */

import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { listThese } from "./process-list.ts";

/** `unknown`: it belongs to another place, or is no key at all. */
export type LifeKind = "alive" | "gone" | "unknown";

/** What a key looks like inside a longer name. */
export const PROCESS_KEY = "[1-9][0-9]{0,9}-[0-9]*-[0-9a-f]{8}";
const KEY = new RegExp(`^${PROCESS_KEY}$`);

/** The key of this process. On macOS it takes a run of `ps`. */
export function ownProcessKey(): string {
  return `${process.pid}-${startsOf([process.pid]).get(process.pid) ?? ""}-${placeOfIds()}`;
}

/** Its process id; undefined for what is no key. */
export function pidOfKey(key: string): number | undefined {
  return KEY.test(key) ? Number.parseInt(key, 10) : undefined;
}

/** Does the process still run? One that only waits to be reaped does not. */
export function lifeOf(key: string): LifeKind {
  const pid = pidOfKey(key);
  const [, start, place] = key.split("-");
  if (pid === undefined || place !== placeOfIds()) return "unknown";
  const answer = askFor(pid);
  if (answer === "none") return "gone";
  if (start === "") return "alive";
  const now = startsOf([pid]).get(pid);
  // The system may hide what belongs to another user.
  if (now === undefined) return answer === "foreign" ? "alive" : "gone";
  return now === "" || now === start ? "alive" : "gone";
}

/**
 * When each process started, in digits that only compare: ticks since boot on Linux, seconds on macOS, empty elsewhere.
 * What has ended is missing.
 */
export function startsOf(pids: readonly number[]): Map<number, string> {
  if (process.platform === "darwin")
    return new Map(listThese(pids).map(({ pid, startTime }) => [pid, startTime]));
  const startOf =
    process.platform === "linux" ? linuxStart : (pid: number) => (askFor(pid) === "none" ? undefined : "");
  return new Map(
    pids.flatMap((pid) => {
      const start = startOf(pid);
      return start === undefined ? [] : [[pid, start] as const];
    }),
  );
}

/** A process's name may hold anything, so fields count from its end. */
function linuxStart(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return /^[ZX]/.test(fields[0] ?? "") ? undefined : fields[19];
  } catch {
    // Gone.
    return undefined;
  }
}

function askFor(pid: number): "own" | "foreign" | "none" {
  try {
    process.kill(pid, 0);
    return "own";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "foreign" : "none";
  }
}

function placeOfIds(): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
  try {
    return hash(`${hostname()} ${process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : ""}`);
  } catch {
    // Without `/proc` nothing can be compared, so no two places are the same.
    return randomBytes(4).toString("hex");
  }
}
