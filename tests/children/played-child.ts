/** Plans for children that play a script, and what they leave behind. One room serves one test file. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { DispatchResult } from "../../src/children/dispatch.ts";
import { type ChildPlan, startChild } from "../../src/children/start-child.ts";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import type { ChildRecord, ChildStep } from "../fixtures/scripted-child.ts";

export const SCRIPTED = join(import.meta.dirname, "../fixtures/scripted-child.ts");

/** An assistant message of 10 tokens in and 5 out, as a line. */
export const message = (text: string, more: object = {}): string =>
  `${JSON.stringify({
    type: "message_end",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      stopReason: "stop",
      usage: { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, totalTokens: 18, cost: { total: 0.25 } },
      ...more,
    },
  })}\n`;
export const SETTLED = `${JSON.stringify({ type: "agent_settled", aborted: false })}\n`;
export const answer = (text: string): ChildStep => ({ out: message(text) + SETTLED });

/** A child that is ready to be started. */
export interface Prepared {
  plan: ChildPlan;
  /** How often slot and prompt file were given back. */
  disposed: () => number;
  record: () => ChildRecord | undefined;
}

/** A child that was played to its end. */
export interface Played {
  result: DispatchResult;
  record: ChildRecord | undefined;
  disposed: number;
}

export class PlayRoom {
  readonly folder = mkdtempSync(join(tmpdir(), "ptc-child-"));
  #number = 0;

  /** Writes a script, and gives its path. */
  script(steps: readonly ChildStep[]): string {
    this.#number += 1;
    const path = join(this.folder, `script-${this.#number}.json`);
    writeFileSync(path, JSON.stringify(steps));
    return path;
  }

  prepare(steps: readonly ChildStep[], more: Partial<ChildPlan> = {}): Prepared {
    const script = this.script(steps);
    const recordPath = join(this.folder, `record-${this.#number}.jsonl`);
    const marker = `test-${process.pid}-${this.#number}`;
    let disposed = 0;
    const plan: ChildPlan = {
      command: process.execPath,
      args: [SCRIPTED, "--mode", "json"],
      cwd: this.folder,
      env: {
        ...(process.env as Record<string, string>),
        PTC_CHILD_SCRIPT: script,
        PTC_CHILD_RECORD: recordPath,
        [RUN_MARKER]: marker,
      },
      task: "do it",
      agentName: "scout",
      marker,
      reportExpected: false,
      readOnly: false,
      timeoutMs: 20_000,
      maxTurns: 0,
      maxCostUsd: 0,
      warnings: [],
      dispose: () => (disposed += 1),
      ...more,
    };
    const record = (): ChildRecord | undefined => {
      try {
        return JSON.parse(readFileSync(recordPath, "utf8")) as ChildRecord;
      } catch {
        // The child was never started.
        return undefined;
      }
    };
    return { plan, disposed: () => disposed, record };
  }

  /** Plays a child to its end, and expects that nothing of it is left. */
  async play(steps: readonly ChildStep[], more: Partial<ChildPlan> = {}): Promise<Played> {
    const { plan, disposed, record } = this.prepare(steps, more);
    const result = await startChild(plan).result;
    await expectNoneMarked(plan.marker);
    return { result, record: record(), disposed: disposed() };
  }

  /** As `play`, of a child that says `out` and exits with 0: a shell starts sooner than Node. */
  say(out: string, more: Partial<ChildPlan> = {}): Promise<Played> {
    const path = join(this.folder, `out-${this.#number}`);
    writeFileSync(path, out);
    return this.play([], { command: "/bin/sh", args: ["-c", 'cat > /dev/null; cat "$0"', path], ...more });
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ids of processes that carry a marker, or one that begins with it; zombies carry none. */
export function marked(marker: string): number[] {
  const wanted = `${RUN_MARKER}=${marker}`;
  return processIds().filter((pid) =>
    environmentOf(pid).some((entry) => entry === wanted || entry.startsWith(`${wanted}/`)),
  );
}

/** Waits until no process carries the marker: one that was killed takes its time to go. */
export async function expectNoneMarked(marker: string): Promise<void> {
  await vi.waitFor(() => expect(marked(marker)).toEqual([]), { timeout: 5_000, interval: 20 });
}

/** Ids of all processes whose command line holds `text`. */
export function runningWith(text: string): number[] {
  return processIds().filter((pid) => read(pid, "cmdline").replaceAll("\0", " ").includes(text));
}

/** Waits until the condition holds. A bound on liveness, no timing. */
export async function eventually(holds: () => boolean, what: string, timeout = 25_000): Promise<void> {
  await vi.waitFor(() => expect(holds(), what).toBe(true), { timeout, interval: 20 });
}

const processIds = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const environmentOf = (pid: number): string[] => read(pid, "environ").split("\0");

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // Gone, or somebody else's.
    return "";
  }
}
