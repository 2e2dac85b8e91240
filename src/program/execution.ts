/**
 * One program in one worker, from its first frame to its one terminal event: result, error, worker
 * exit, deadline or abort, whichever is first. `#finish` is the only end; it is reached exactly once.
 */

import { lineSink } from "../base/line-sink.ts";
import type { PtcConfig } from "../base/limits.ts";
import {
  asWorkerFrame,
  type DoneFrame,
  type HostFrame,
  type Json,
  type RunFrame,
  type WorkerFrame,
} from "../worker/protocol.ts";
import { CallBoard } from "./call-board.ts";
import { Clock } from "./clock.ts";
import type { RunError, RunProgress } from "./outcome.ts";
import type { RunRequest } from "./request.ts";
import { RunText } from "./run-text.ts";
import { failedReply } from "./tool-reply.ts";
import type { Vessel, VesselEnd, VesselListener } from "./vessel.ts";

/** What one program came to, its text still to be composed. */
export interface ExecutionEnd {
  done?: DoneFrame;
  error?: RunError;
}

/** What an execution is made from. */
export interface ExecutionOptions {
  vessel: Vessel;
  request: RunRequest;
  config: Readonly<PtcConfig>;
  frame: RunFrame;
  timeoutMs: number;
  startedAt: number;
}

/** Room for what JSON adds around the logs before the host stops a worker that ignores its own budget. */
const BUDGET_SLACK = 65_536;
/** A plan is a handful of phases; a program in a loop must not fill pi's memory with them. */
const MAX_PHASES = 1_000;

/** One run on the host's side. */
export class Execution implements VesselListener {
  readonly text = new RunText();
  readonly warnings: string[] = [];
  readonly calls: CallBoard;
  readonly #options: ExecutionOptions;
  readonly #clock: Clock;
  readonly #settled: Promise<ExecutionEnd>;
  #resolve: (end: ExecutionEnd) => void = () => undefined;
  #finished = false;
  /** The program reported its end. */
  #reported: ExecutionEnd | undefined;
  /** The deadline or the abort came; the program is unwinding. */
  #stopping: RunError | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #resumeClock: (() => void) | undefined;
  #outputBytes = 0;
  /** Output that went past our frames, such as that of a program's own children. */
  readonly #streams = {
    stdout: lineSink((lines) => this.#addOutput("log", lines)),
    stderr: lineSink((lines) => this.#addOutput("error", lines)),
  };

  constructor(options: ExecutionOptions) {
    this.#options = options;
    const { request, config, timeoutMs, startedAt } = options;
    this.#settled = new Promise((resolve) => (this.#resolve = resolve));
    this.#clock = new Clock(timeoutMs, () =>
      this.#stop({ kind: "timeout", message: `the program did not end within ${timeoutMs} ms`, excerpt: "" }),
    );
    this.calls = new CallBoard({
      bindings: request.bindings,
      maxParallel: config.maxParallelSubCalls,
      maxOpen: config.maxPendingCalls,
      elapsedMs: () => Math.round(performance.now() - startedAt),
      reply: (id, reply) => this.#send({ kind: "reply", id, reply }),
      onChange: () => this.#changed(),
      onWarning: (warning) => this.warnings.push(warning),
    });
  }

  /** Sends the program off; resolves with its end, the worker being gone or going. */
  run(): Promise<ExecutionEnd> {
    const { vessel, request, frame } = this.#options;
    vessel.listen(this);
    const problem = vessel.post(frame);
    if (problem) {
      const message = `the program and its arguments cannot be sent to a worker: ${problem}`;
      this.#finish({ error: { kind: "refused", message, excerpt: "" } });
    }
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (request.signal?.aborted) this.#onAbort();
    return this.#settled;
  }

  /** Stops the clock, for as long as a person is asked something. */
  pauseClock(): () => void {
    return this.#clock.pause();
  }

  /** Ends the run at once, as when the session ends. */
  abandon(message: string): void {
    this.#finish({ error: { kind: "abort", message, excerpt: "" } });
  }

  onFrame(value: unknown): void {
    if (this.#finished || this.#reported) return;
    const frame = asWorkerFrame(value);
    if (frame) this.#take(frame);
    else this.#breakProtocol("it sent a frame of an unknown shape");
  }

  onOutput(stream: "stdout" | "stderr", text: string): void {
    if (!this.#finished) this.#streams[stream].write(text);
  }

  onEnd(end: VesselEnd): void {
    // A worker that dies while it unwinds was stopped by the deadline or the abort, not by its own end.
    this.#finish(this.#reported ?? { error: this.#stopping ?? { ...end, excerpt: "" } });
  }

  #take(frame: WorkerFrame): void {
    switch (frame.kind) {
      case "ready":
        return this.#breakProtocol("it announced itself twice");
      case "call":
        return this.#accept(frame.id, frame.name, frame.args);
      case "find":
        return this.#find(frame.id, frame.what, frame.query);
      case "log":
        if (this.#spend(frame.text)) this.text.addLog(frame.level, frame.text, frame.more);
        return this.#changed();
      case "narration":
        if (this.#spend(frame.text)) this.text.addNarration(frame.text, frame.more);
        return this.#changed();
      case "phase":
        if (this.#spend(frame.title) && this.text.phases.length < MAX_PHASES)
          this.text.phases.push(frame.title);
        return this.#changed();
      case "value":
        if (this.#spend(frame.text)) this.text.value.add(frame.text);
        return;
      case "done":
        return this.#onDone(frame);
    }
  }

  #accept(id: number, name: string, args: Json): void {
    if (this.#stopping) return;
    const problem = this.calls.accept(id, name, args);
    if (problem) this.#breakProtocol(problem);
    else this.#updateClock();
  }

  #find(id: number, what: "search" | "describe", query: string): void {
    const problem = this.calls.takeId(id);
    if (problem) return this.#breakProtocol(problem);
    let raw: Json = null;
    try {
      raw = this.#options.request.find?.(what, query) ?? null;
    } catch {
      // A lookup that fails finds nothing; the program reads that.
    }
    this.#send({ kind: "reply", id, reply: { ok: true, raw } });
  }

  #onDone(done: DoneFrame): void {
    const error = this.#stopping ?? done.error;
    this.#reported = this.#stopping ? { error } : { done, ...(error ? { error } : {}) };
    // What the program's own children wrote comes over other pipes, which are read in this same turn.
    setImmediate(() => this.#finish(this.#reported as ExecutionEnd));
  }

  #send(frame: HostFrame): void {
    if (this.#finished) return;
    const problem = this.#options.vessel.post(frame);
    if (problem && frame.kind === "reply") {
      const reply = failedReply(`the result cannot be handed over: ${problem}`);
      this.#options.vessel.post({ kind: "reply", id: frame.id, reply });
    }
    this.#updateClock();
  }

  /** The clock stands still while the program waits for nothing but children, which have their own deadline. */
  #updateClock(): void {
    if (!this.calls.waitsForChildrenOnly) {
      this.#resumeClock?.();
      this.#resumeClock = undefined;
    } else this.#resumeClock ??= this.#clock.pause();
  }

  readonly #onAbort = (): void =>
    this.#stop({ kind: "abort", message: "the program was aborted", excerpt: "" });

  /** Cancels the calls and gives the program its grace; the first reason stands. */
  #stop(reason: RunError): void {
    if (this.#finished || this.#reported || this.#stopping) return;
    this.#stopping = reason;
    this.#clock.stop();
    this.#options.vessel.post({ kind: "abort", reason: reason.message });
    this.calls.cancelAll(reason.message, true);
    this.#graceTimer = setTimeout(() => this.#finish({ error: reason }), this.#options.config.graceMs);
  }

  #addOutput(level: "log" | "error", lines: string): void {
    if (this.#finished || !this.#spend(lines)) return;
    this.text.addLog(level, lines);
    this.#changed();
  }

  #breakProtocol(what: string): void {
    this.#finish({
      error: { kind: "protocol", message: `the program broke the line to pi: ${what}`, excerpt: "" },
    });
  }

  /** Counts text against the output limit, which the worker holds itself unless it is hostile. */
  #spend(text: string): boolean {
    this.#outputBytes += text.length + 1;
    const { maxOutputBytes } = this.#options.config;
    if (this.#outputBytes <= maxOutputBytes + BUDGET_SLACK) return true;
    const message = `the program's logs, narration and value are over ${maxOutputBytes} bytes (maxOutputBytes)`;
    this.#finish({ error: { kind: "output-limit", message, excerpt: "" } });
    return false;
  }

  #changed(): void {
    const { onProgress } = this.#options.request;
    if (this.#finished || !onProgress) return;
    try {
      onProgress(() => this.progress());
    } catch {
      // Drawing progress must never end a run.
    }
  }

  /** The run as it stands. */
  progress(): RunProgress {
    return {
      subCalls: this.calls.records(),
      calls: this.calls.counts,
      phases: this.text.phases,
      narrations: this.text.narration.newest(5),
      logs: this.text.logs.newest(5),
      elapsedMs: Math.round(performance.now() - this.#options.startedAt),
    };
  }

  #finish(end: ExecutionEnd): void {
    if (this.#finished) return;
    this.#options.vessel.flush();
    for (const stream of Object.values(this.#streams)) stream.flush();
    // The last line can be the one that is too much.
    if (this.#finished) return;
    this.#finished = true;
    this.#clock.stop();
    clearTimeout(this.#graceTimer);
    this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
    this.calls.cancelAll("the program has ended", false);
    void this.#options.vessel.end();
    this.#resolve(end);
  }
}
