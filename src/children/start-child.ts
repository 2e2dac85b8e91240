/**
 * The door to children: one way to start, watch and stop a pi process, whoever asks for it. A child is
 * owned by the value this returns; `#conclude` is its only end. Slot and prompt file are given back on
 * every path, the ones on which nothing was spawned included.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { errorText } from "../base/error-text.ts";
import { identifyProcess } from "../base/process-identity.ts";
import type { ChildExit, ChildProgress, DispatchResult } from "./dispatch.ts";
import { ChildFold } from "./fold-events.ts";
import { LineReader, release } from "./line-reader.ts";
import { forceEnd, KILL_DELAY_MS, requestEnd, sweepMarked } from "./stop-tree.ts";
import { TailBuffer } from "./tail-buffer.ts";

const MAX_STDERR_BYTES = 65_536;
/** A child that settled is done but for its extensions' last handlers. */
const SETTLE_GRACE_MS = 5_000;
/** A grandchild may hold the pipe for ever; what the child itself wrote has arrived by then. */
const PIPE_GRACE_MS = 1_000;

/** One child, ready to be started. */
export interface ChildPlan {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Goes over standard input, after `Task: `. */
  task: string;
  agentName: string;
  /** Value of the run marker in `env`. */
  marker: string;
  reportExpected: boolean;
  readOnly: boolean;
  timeoutMs: number;
  /** 0 = no bound. */
  maxTurns: number;
  /** US dollars; 0 = no bound. */
  maxCostUsd: number;
  /** What the caller already knows, for the result. */
  warnings: readonly string[];
  /** Gives back slot and prompt file. Called exactly once. */
  dispose: () => void;
}

/** A child that was started, or could not be. */
export interface RunningChild {
  readonly pid: number | undefined;
  /** Resolves with the result; rejects never. */
  readonly result: Promise<DispatchResult>;
  progress(): ChildProgress;
  /**
   * Ends the child; the first reason stands and is the result's message. False for a child that is ending for another
   * reason, or has ended.
   */
  stop(reason: string): boolean;
  /** Kills the child and all below it at once: for pi's own exit, where nothing can be waited for. */
  kill(): void;
}

/** Who hears from a child. */
export interface ChildListener {
  signal?: AbortSignal;
  /** Called on every change, never after the result. */
  onChange?: () => void;
  /** Called with the text of each assistant message that has one. Must not throw. */
  onText?: (text: string) => void;
}

/** Starts one child. Never throws. */
export function startChild(plan: ChildPlan, listener: ChildListener = {}): RunningChild {
  return new Child(plan, listener);
}

class Child implements RunningChild {
  readonly result: Promise<DispatchResult>;
  readonly #plan: ChildPlan;
  readonly #listener: ChildListener;
  readonly #startedAt = performance.now();
  readonly #stderr = new TailBuffer(MAX_STDERR_BYTES);
  readonly #fold: ChildFold;
  readonly #timers = new Set<NodeJS.Timeout>();
  #resolve: (result: DispatchResult) => void = () => undefined;
  #child: ChildProcess | undefined;
  #exited: ChildExit | undefined;
  #stopReason: string | undefined;
  #graceGiven = false;
  #forcedDown = false;
  #concluded = false;
  #disposed = false;

  constructor(plan: ChildPlan, listener: ChildListener) {
    this.#plan = plan;
    this.#listener = listener;
    this.#fold = new ChildFold({ onChange: () => this.#changed(), onText: listener.onText });
    this.result = new Promise((resolve) => (this.#resolve = resolve));
    if (listener.signal?.aborted) this.#refuse("the dispatch was aborted before the child started");
    else this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  progress(): ChildProgress {
    return {
      ...this.#fold.progress(),
      agentName: this.#plan.agentName,
      elapsedMs: Math.round(performance.now() - this.#startedAt),
    };
  }

  stop(reason: string): boolean {
    // One that has exited by itself gets the result it earned, also while the exit is not announced yet.
    if (this.#exited || (this.pid !== undefined && !identifyProcess(this.pid))) return false;
    return this.#cutOff(reason);
  }

  #cutOff(reason: string): boolean {
    if (this.#concluded || this.#stopReason !== undefined) return false;
    this.#stopReason = reason;
    this.#end();
    return true;
  }

  kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined && !this.#exited) forceEnd(pid, this.#plan.marker);
    this.#dispose();
  }

  #start(): void {
    const { command, args, cwd, env, timeoutMs } = this.#plan;
    try {
      const child = spawn(command, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
      this.#child = child;
      // A process that cannot be started says so later, with no pipes when descriptors are short.
      child.once("error", (error) => this.#onError(error));
      if (child.pid !== undefined) this.#watch(child);
    } catch (error) {
      this.#refuse(spawnProblem(error, this.#plan));
      return;
    }
    this.#after(timeoutMs, () => this.stop(`the child did not end within ${timeoutMs} ms`));
    this.#listener.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  #watch(child: ChildProcess): void {
    const { stdin, stdout, stderr } = child;
    const reader = new LineReader({
      onLine: (line) => this.#fold.line(line),
      onSkipped: (reason, bytes) => this.#fold.skipped(reason, bytes),
    });
    stdout?.on("data", (chunk: Buffer) => {
      reader.push(chunk);
      release(chunk);
    });
    const conclude = (exit: ChildExit): void => {
      // The last line may have no newline.
      reader.end();
      this.#conclude(exit);
    };
    stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    for (const stream of [stdin, stdout, stderr]) {
      // A pipe that breaks only announces the exit, which has its own event.
      stream?.on("error", () => undefined);
    }
    child.once("exit", (code, signal) => {
      this.#exited = { code, signal };
      this.#after(PIPE_GRACE_MS, () => conclude({ code, signal }));
    });
    // After the exit and the last byte of both pipes.
    child.once("close", (code, signal) => conclude({ code, signal }));
    stdin?.end(`Task: ${this.#plan.task}`);
  }

  #onError(error: Error): void {
    if (this.#child?.pid === undefined) this.#refuse(spawnProblem(error, this.#plan));
  }

  readonly #onAbort = (): void => void this.stop("the dispatch was aborted");

  #changed(): void {
    if (this.#concluded) return;
    const { turns, cost } = this.#fold;
    const { maxTurns, maxCostUsd } = this.#plan;
    if (maxTurns > 0 && turns > maxTurns)
      this.#cutOff(`the child took more than ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} (maxTurns)`);
    if (maxCostUsd > 0 && cost > maxCostUsd) {
      this.#cutOff(
        `the child cost more than ${maxCostUsd} US dollar${maxCostUsd === 1 ? "" : "s"} (maxCostUsd)`,
      );
    }
    if (this.#fold.settled) this.#giveGrace();
    try {
      this.#listener.onChange?.();
    } catch {
      // Drawing progress must never end a child.
    }
  }

  #giveGrace(): void {
    if (this.#exited || this.#graceGiven) return;
    this.#graceGiven = true;
    this.#after(SETTLE_GRACE_MS, () => {
      // An extension of the child may have given it more to do.
      this.#graceGiven = this.#fold.settled;
      if (!this.#graceGiven || this.#exited || this.#stopReason !== undefined) return;
      this.#forcedDown = true;
      this.#end();
    });
  }

  /** SIGTERM, and SIGKILL for the whole tree when that was not enough. */
  #end(): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#exited) return;
    requestEnd(pid);
    this.#after(KILL_DELAY_MS, () => {
      // The id of one that was reaped may be another's; the end that is near sweeps up.
      if (this.#exited) return;
      forceEnd(pid, this.#plan.marker);
      // A process that the system cannot end must not hold its slot, or pi, for ever.
      this.#after(KILL_DELAY_MS, () => this.#conclude({ code: null, signal: "SIGKILL" }));
    });
  }

  #after(ms: number, run: () => void): NodeJS.Timeout {
    const timer = setTimeout(run, ms);
    this.#timers.add(timer);
    return timer;
  }

  #refuse(errorMessage: string): void {
    const { agentName, reportExpected, readOnly, warnings } = this.#plan;
    this.#finish({
      status: "rejected",
      text: "",
      started: false,
      agentName,
      durationMs: Math.round(performance.now() - this.#startedAt),
      reportChannel: reportExpected ? "none" : "opted-out",
      errorMessage,
      ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
      ...(readOnly ? { readOnlyTier: "enforced" } : {}),
    });
  }

  #conclude(exit: ChildExit): void {
    if (this.#concluded) return;
    const { agentName, marker, reportExpected, readOnly, warnings } = this.#plan;
    const concluded = this.#fold.conclude(exit, {
      stderrTail: this.#stderr.text(),
      ...(this.#stopReason === undefined ? {} : { stoppedBecause: this.#stopReason }),
      forcedDown: this.#forcedDown,
      reportExpected,
    });
    // Commands of a child that was cut off are orphans; those of one that ended well were left on purpose.
    if (concluded.status === "rejected" || exit.code !== 0) sweepMarked(marker);
    const all = [...warnings, ...(concluded.warnings ?? [])];
    this.#finish({
      ...concluded,
      started: true,
      agentName,
      durationMs: Math.round(performance.now() - this.#startedAt),
      ...(all.length > 0 ? { warnings: all } : {}),
      ...(readOnly ? { readOnlyTier: "enforced" } : {}),
    });
  }

  #finish(result: DispatchResult): void {
    if (this.#concluded) return;
    this.#concluded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#listener.signal?.removeEventListener("abort", this.#onAbort);
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
    // One that the system cannot end must not keep pi from its own end.
    this.#child?.unref();
    this.#dispose();
    this.#resolve(result);
  }

  #dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#plan.dispose();
  }
}

function spawnProblem(error: unknown, { command, cwd }: ChildPlan): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR")
    return `the child could not be started: "${command}" or the folder "${cwd}" does not exist (${code})`;
  if (code === "E2BIG")
    return "the child could not be started: its arguments and its environment together are too long (E2BIG); take large variables out of the environment of pi, or give the child fewer tools";
  return `the child could not be started: ${errorText(error)}`;
}
