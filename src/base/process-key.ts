/** One word for a process: its id, its start, and the place in which ids mean something, a machine or a container. */

import { createHash, randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { askFor, startsOf } from "./process-identity.ts";

/** `unknown`: it belongs to another place, or is no key at all. */
export type LifeKind = "alive" | "gone" | "unknown";

/** What a key looks like inside a longer name. */
export const PROCESS_KEY = "[1-9][0-9]{0,9}-[0-9]*-[0-9a-f]{8}";
const KEY = new RegExp(`^${PROCESS_KEY}$`);

/** Of this process. On macOS it runs `ps`. */
export function ownProcessKey(): string {
  return `${process.pid}-${startsOf([process.pid]).get(process.pid) ?? ""}-${placeOfIds()}`;
}

/** Its process id; undefined for what is no key. */
export function pidOfKey(key: string): number | undefined {
  return KEY.test(key) ? Number.parseInt(key, 10) : undefined;
}

/** Does the process still run? A zombie does not. */
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

/** Processes of one place know each other. */
export function placeOfIds(): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
  try {
    return hash(`${hostname()} ${process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : ""}`);
  } catch {
    // Without `/proc` no two places are the same.
    return randomBytes(4).toString("hex");
  }
}
