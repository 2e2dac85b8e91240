/**
 * The door to programs: one runner a session. It owns the workers, spares and compile thread, and
 * `close` ends them all. A program's fault is an outcome; a rejection would be our bug.
 */

import { errorText } from "../base/error-text.ts";
import { type PtcConfig, MAX_TIMER_MS } from "../base/limits.ts";
import { SlotWaitError, Slots } from "../base/slots.ts";
import type { Json, RunFrame } from "../worker/protocol.ts";
import { CompileService } from "./compile-service.ts";
import { Execution, type ExecutionEnd } from "./execution.ts";
import { failedOutcome, outcomeOf, refusedOutcome } from "./finish-outcome.ts";
import { Guardian } from "./guardian.ts";
import type { PtcRunOutcome, RunError } from "./outcome.ts";
import { ProcessVessel } from "./process-vessel.ts";
import { QuickjsVessels } from "./quickjs-vessel.ts";
import type { ProgramRunner, RunnerOptions, RunRequest, VesselKind } from "./request.ts";
import { type BootResult, Spares } from "./spares.ts";
import { ThreadVessel } from "./thread-vessel.ts";
import { hasNodeExecutable, type Vessel, type VesselOptions } from "./vessel.ts";

/** Largest JSON of a value that scripts get as a value (spec 1.10). */
const MAX_VALUE_BYTES = 1_048_576;
/** A start takes the processor from the request or the program that is just going off; a model takes longer to answer. */
const WARM_DELAY_MS = 100;

/** Makes a runner. Starts nothing. */
export function createProgramRunner(options: RunnerOptions): ProgramRunner {
  return new Runner(options);
}

class Runner implements ProgramRunner {
  readonly #options: RunnerOptions;
  readonly #vesselKind: VesselKind;
  readonly #quickjs = new QuickjsVessels();
  readonly #compiler = new CompileService();
  readonly #guardian = new Guardian();
  readonly #slots: Slots;
  readonly #spares: Spares;
  readonly #vessels = new Set<Vessel>();
  readonly #executions = new Set<Execution>();
  readonly #clockPauses = new Map<symbol, Map<Execution, () => void>>();
  #warmTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #guarded = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    const isolation = options.isolation ?? (hasNodeExecutable() ? "process" : "thread");
    this.#vesselKind = options.engine === "quickjs" ? "quickjs" : isolation;
    this.#slots = new Slots(options.config.poolSize);
    this.#spares = new Spares(
      options.config.spares,
      (cwd) => this.#openVessel(cwd),
      () => void this.#compiler.rest(),
    );
  }

  async run(request: RunRequest): Promise<PtcRunOutcome> {
    const startedAt = performance.now();
    try {
      return await this.#run(request, startedAt);
    } catch (error) {
      return failedOutcome(
        { kind: "refused", message: `the program could not be run: ${errorText(error)}`, excerpt: "" },
        startedAt,
      );
    }
  }

  warm(cwd: string): void {
    if (this.#closed) return;
    // A call while one is due changes nothing: programs in a row must not put the refill off for ever.
    this.#warmTimer ??= setTimeout(() => {
      this.#warmTimer = undefined;
      // A worker that cannot be booted says so to the program that needs it.
      this.warmed(cwd).catch(() => undefined);
    }, WARM_DELAY_MS).unref();
  }

  async warmed(cwd: string): Promise<void> {
    if (this.#closed) return;
    await Promise.all([this.#compiler.warm(), this.#spares.filled(cwd)]);
  }

  pauseClocks(): () => void {
    const pause = Symbol("pause");
    this.#clockPauses.set(
      pause,
      new Map([...this.#executions].map((execution) => [execution, execution.pauseClock()])),
    );
    return () => {
      for (const resume of this.#clockPauses.get(pause)?.values() ?? []) resume();
      this.#clockPauses.delete(pause);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#warmTimer);
    this.#slots.refuseAll("the session ended");
    for (const execution of this.#executions) execution.abandon("the session ended");
    process.off("exit", this.#killAll);
    await Promise.all([
      this.#spares.close(),
      this.#compiler.close(),
      ...[...this.#vessels].map((vessel) => vessel.end()),
    ]);
    this.#vessels.clear();
    this.#guardian.close();
  }

  async #run(request: RunRequest, startedAt: number): Promise<PtcRunOutcome> {
    const refuse = (kind: RunError["kind"], message: string, excerpt = ""): Promise<PtcRunOutcome> =>
      refusedOutcome({ kind, message, excerpt }, startedAt, this.#options);
    if (this.#closed) return refuse("refused", "the session has ended; no program can run in it");
    if (request.signal?.aborted) return refuse("abort", "the program was aborted before it started");
    const unfit = this.#isolationProblem();
    if (unfit !== undefined) return refuse("refused", unfit);
    const deadline = readTimeout(request.timeoutMs, this.#options.config);
    if (typeof deadline === "string") return refuse("refused", deadline);
    const compiled = await untilAborted(this.#compiler.compile(request.source), request.signal);
    if (!compiled) return refuse("abort", "the program was aborted before it started");
    if (!compiled.ok) return refuse(compiled.kind ?? "compile", compiled.message, compiled.excerpt);
    const compiledAt = performance.now();
    const queuedMs = (): number => Math.round(performance.now() - compiledAt);
    let release: () => void;
    try {
      release = await this.#slots.acquire(this.#options.config.poolAcquireTimeoutMs, request.signal);
    } catch (error) {
      return { ...(await refuse(...describeWait(error))), queuedMs: queuedMs() };
    }
    try {
      const taken = await this.#take(request);
      if (!taken) return refuse("abort", "the program was aborted before it started");
      const waitedMs = queuedMs();
      if (this.#closed) return refuse("abort", "the session ended");
      if (!taken.ok) return refuse(taken.end.kind === "protocol" ? "protocol" : "refused", taken.end.message);
      const frame = runFrame(request, compiled, this.#options.config);
      const execution = new Execution({
        vessel: taken.vessel,
        request,
        config: this.#options.config,
        frame,
        timeoutMs: deadline.timeoutMs,
        startedAt,
      });
      if (deadline.warning) execution.warnings.push(deadline.warning);
      const end = await this.#track(execution, request.cwd);
      return await outcomeOf({
        execution,
        end,
        request,
        rules: this.#options,
        startedAt,
        queuedMs: waitedMs,
      });
    } finally {
      release();
    }
  }

  /** What was asked for and cannot be had is refused: a thread contains less than a process. */
  #isolationProblem(): string | undefined {
    if (this.#vesselKind !== "process" || hasNodeExecutable()) return undefined;
    return `isolation is "process", but ${process.execPath} is no Node executable that could start one; set isolation to "thread"`;
  }

  /** A worker, or undefined when the request is aborted first; a worker that comes too late is ended. */
  async #take({ cwd, signal }: RunRequest): Promise<BootResult | undefined> {
    const taking = this.#spares.take(cwd);
    const taken = await untilAborted(taking, signal);
    if (taken) return taken;
    void taking.then((late) => void (late.ok && late.vessel.end()));
    return undefined;
  }

  async #track(execution: Execution, cwd: string): Promise<ExecutionEnd> {
    this.#executions.add(execution);
    for (const pauses of this.#clockPauses.values()) pauses.set(execution, execution.pauseClock());
    this.warm(cwd);
    try {
      return await execution.run();
    } finally {
      this.warm(cwd);
      this.#executions.delete(execution);
    }
  }

  #openVessel(cwd: string): Vessel {
    // `session_shutdown` is not awaited on every way out of pi; `exit` handlers always run.
    if (!this.#guarded) process.on("exit", this.#killAll);
    this.#guarded = true;
    const options = { cwd, ...this.#options.config, onGone: () => this.#vessels.delete(vessel) };
    const vessel = this.#start(options);
    this.#vessels.add(vessel);
    return vessel;
  }

  #start(options: VesselOptions): Vessel {
    if (this.#vesselKind === "quickjs") return this.#quickjs.open(options);
    if (this.#vesselKind === "thread") return new ThreadVessel(options);
    const onGone = (): void => {
      options.onGone();
      if (vessel.pid !== undefined) this.#guardian.forget(vessel.pid);
    };
    const vessel: ProcessVessel = new ProcessVessel({ ...options, onGone });
    if (vessel.pid !== undefined) this.#guardian.watch(vessel.pid);
    return vessel;
  }

  readonly #killAll = (): void => {
    for (const vessel of this.#vessels) void vessel.end();
  };
}

/** What `work` gives, or undefined once `signal` is aborted; `work` itself goes on. */
async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result | undefined> {
  if (!signal) return work;
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  const result = await Promise.race([work, aborted]);
  signal.removeEventListener("abort", onAbort);
  return signal.aborted ? undefined : result;
}

function runFrame(
  request: RunRequest,
  compiled: { code: string; source: string; loneFunction: boolean },
  config: Readonly<PtcConfig>,
): RunFrame {
  const { maxPendingCalls, maxItemsPerCall, maxOutputBytes, maxMessageBytes } = config;
  return {
    kind: "run",
    code: compiled.code,
    source: compiled.source,
    loneFunction: compiled.loneFunction,
    cwd: request.cwd,
    tool: request.tool,
    args: (request.args ?? null) as Json,
    phases: [...(request.phases ?? [])],
    bindings: request.bindings.map((binding) => binding.name),
    store: { ...request.store },
    limits: {
      maxPendingCalls,
      maxItemsPerCall,
      maxOutputBytes,
      maxMessageBytes,
      maxValueBytes: MAX_VALUE_BYTES,
    },
  };
}

/** The deadline of a program (spec 1.1), or a sentence that refuses it. */
export function readTimeout(
  value: unknown,
  config: Readonly<PtcConfig>,
): { timeoutMs: number; warning?: string } | string {
  const ceiling = Math.min(config.maxTimeoutMs, MAX_TIMER_MS);
  if (value === undefined || value === null || value === 0)
    return { timeoutMs: Math.min(config.timeoutMs, ceiling) };
  if (typeof value !== "number" || Number.isNaN(value) || value < 0) {
    const shown =
      typeof value === "string"
        ? JSON.stringify(value.slice(0, 40))
        : typeof value === "object"
          ? "an object"
          : String(value);
    return `timeoutMs is ${shown}; give a number of milliseconds above 0, or leave it out for ${config.timeoutMs}`;
  }
  if (value <= ceiling) return { timeoutMs: value };
  return {
    timeoutMs: ceiling,
    warning: `timeoutMs ${value} is over the ceiling; the deadline was ${ceiling} ms (maxTimeoutMs)`,
  };
}

function describeWait(error: unknown): [kind: RunError["kind"], message: string] {
  if (!(error instanceof SlotWaitError)) return ["refused", errorText(error)];
  if (error.reason === "timeout")
    return ["refused", `pool acquire ${error.message}; other programs hold every worker (poolSize)`];
  if (error.reason === "abort") return ["abort", "the program was aborted while it waited for a worker"];
  return ["abort", error.message];
}
