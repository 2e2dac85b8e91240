/** Processes as the system sees them: which live, and what a host of its own had to say. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { signalTree } from "../../src/base/process-tree.ts";
import type { HostOrder, HostReport } from "../fixtures/measuring-host.ts";

const MAX_HOST_MS = 55_000;
const HOST = fileURLToPath(new URL("../fixtures/measuring-host.ts", import.meta.url));

/** Does it run? One that has ended may wait for a parent that never asks: that is not living. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    // No such process.
    return false;
  }
}

/** Waits until the process has ended. */
export async function expectEnd(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000, interval: 20 });
}

/** How a host ended, and a report for each of its runs. */
export interface HostEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  reports: HostReport[];
  stderr: string;
  /** From the last report to the host's exit. */
  exitMs: number;
}

/** Runs a host to its end; `wrap` is a command that starts it, such as one that sets limits first. */
export async function runHost(
  order: HostOrder,
  options: { wrap?: string[]; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<HostEnd> {
  const [command, ...args] = [...(options.wrap ?? []), process.execPath, HOST, JSON.stringify(order)];
  const host = spawn(command as string, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  // A feature that broke must not leave endless programs on the machine.
  const watchdog = setTimeout(() => signalTree(host.pid as number, "SIGKILL"), MAX_HOST_MS);
  let [stdout, stderr, lastAt] = ["", "", performance.now()];
  host.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    lastAt = performance.now();
  });
  host.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code, signal] = (await once(host, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(watchdog);
  const reports = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as HostReport);
  return { code, signal, reports, stderr, exitMs: performance.now() - lastAt };
}

/** Living processes that work in `folder`, other than a pi: workers and what programs started. */
export function workersIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && folderOf(name) === folder && !isPi(name))
    .map(Number);
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The process ended while the list was read.
    return undefined;
  }
}

/** pi names itself. */
function isPi(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8") === "pi\n";
  } catch {
    return false;
  }
}
