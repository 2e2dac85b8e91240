/**
 * A worker in a thread of pi's own process: the fastest vessel, and the one that cannot contain
 * everything. `terminate()` waits for a blocking native call, and V8 aborts the whole process for
 * some kinds of memory exhaustion; docs list both.
 */

import { type ResourceLimits, Worker } from "node:worker_threads";
import { errorText } from "../base/error-text.ts";
import { hasTooManyParts, MAX_JSON_PARTS } from "../base/json-parts.ts";
import type { HostFrame } from "../worker/protocol.ts";
import type { VesselKind } from "./request.ts";
import {
  builtUrl,
  encodeHostFrame,
  Mailbox,
  type Vessel,
  type VesselEnd,
  type VesselListener,
  type VesselOptions,
  workerEnvironment,
} from "./vessel.ts";

const TERMINATE_MS = 50;

/** What runs in a thread. */
export interface ThreadPlan {
  kind: VesselKind;
  entry: URL;
  /** Shared with the thread. */
  data: object;
  /** Limits of the thread's V8 that differ from those of the options. */
  resourceLimits?: ResourceLimits;
  /** The thread's first message, once it is there. */
  parts?: Promise<object>;
  /** Called before the thread is told to stop, and before it is ended. */
  onStop?: () => void;
}

const NODE_PLAN: ThreadPlan = {
  kind: "thread",
  entry: builtUrl("worker.cjs"),
  data: {},
};

/** Starts the thread in the constructor. */
export class ThreadVessel implements Vessel {
  readonly kind: VesselKind;
  readonly #mailbox = new Mailbox();
  readonly #options: VesselOptions;
  readonly #plan: ThreadPlan;
  readonly #worker: Worker | undefined;
  #gone: Promise<unknown> = Promise.resolve();
  /** Bytes the thread sent that were not taken yet; the thread waits while there are many. */
  readonly #inFlight = new Int32Array(new SharedArrayBuffer(4));
  #ended = false;

  /** Starts a thread; without a plan one that runs plain Node. */
  constructor(options: VesselOptions, plan: ThreadPlan = NODE_PLAN) {
    this.kind = plan.kind;
    this.#options = options;
    this.#plan = plan;
    // Nothing waits for them when no thread can be started, and a rejection that nobody takes ends pi.
    plan.parts?.catch(() => undefined);
    try {
      this.#worker = this.#start();
      this.#watch(this.#worker);
      void this.#handOver(this.#worker);
    } catch (error) {
      this.#fail({
        kind: "refused",
        message: `no worker thread could be started: ${(error as Error).message}`,
      });
    }
  }

  listen(listener: VesselListener): void {
    this.#mailbox.listen(listener);
  }

  post(frame: HostFrame): string | undefined {
    const encoded = encodeHostFrame(frame, this.#options.maxMessageBytes);
    if ("problem" in encoded) return encoded.problem;
    if (this.#ended) return undefined;
    if (frame.kind === "abort") this.#plan.onStop?.();
    this.#worker?.postMessage(encoded.json);
    return undefined;
  }

  hold(held: boolean): void {
    if (held) this.#worker?.ref();
    else this.#worker?.unref();
  }

  flush(): void {
    // Nothing is held back: V8 writes its last words to pi's own standard error.
  }

  async end(): Promise<void> {
    this.#mailbox.close();
    this.#kill();
    await this.#gone;
  }

  #start(): Worker {
    const { maxOldGenerationSizeMb, maxYoungGenerationSizeMb } = this.#options;
    const { entry, data, resourceLimits } = this.#plan;
    return new Worker(entry, {
      env: workerEnvironment(),
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb, ...resourceLimits },
      stderr: true,
      stdout: true,
      workerData: { ...data, inFlight: this.#inFlight },
    });
  }

  #watch(worker: Worker): void {
    worker.on("message", (json: unknown) => this.#onMessage(json));
    let failure: VesselEnd | undefined;
    worker.on("error", (error: { code?: unknown } | null | undefined) => {
      failure = this.#describeError(error);
    });
    worker.on("messageerror", () =>
      this.#fail({ kind: "protocol", message: "the program sent pi something that cannot be read" }),
    );
    // By now everything the thread sent has arrived; at the error some of it may not have.
    worker.on("exit", (code) => {
      this.#options.onGone();
      this.#fail(failure ?? { kind: "worker-exit", message: exitMessage(code) });
    });
    for (const stream of ["stdout", "stderr"] as const) {
      worker[stream].setEncoding("utf8");
      worker[stream].on("data", (text: string) => this.#mailbox.onOutput(stream, text));
    }
    this.hold(false);
  }

  async #handOver(worker: Worker): Promise<void> {
    try {
      const parts = await this.#plan.parts;
      if (parts && !this.#ended) worker.postMessage(parts);
    } catch (error) {
      this.#fail({ kind: "refused", message: `the engine could not be loaded: ${errorText(error)}` });
    }
  }

  #onMessage(json: unknown): void {
    if (typeof json === "string") {
      Atomics.sub(this.#inFlight, 0, json.length);
      Atomics.notify(this.#inFlight, 0);
    }
    const { maxMessageBytes } = this.#options;
    if (typeof json !== "string" || json.length > maxMessageBytes) {
      const what =
        typeof json === "string"
          ? `${json.length} characters (limit ${maxMessageBytes}, maxMessageBytes)`
          : `a value of type ${typeof json}`;
      return this.#fail({ kind: "protocol", message: `the program broke the line to pi: it sent ${what}` });
    }
    if (hasTooManyParts(json)) {
      const what = `a frame holds more than ${MAX_JSON_PARTS} values`;
      return this.#fail({ kind: "protocol", message: `the program broke the line to pi: ${what}` });
    }
    let frame: unknown;
    try {
      frame = JSON.parse(json);
    } catch {
      // The parser's own message quotes the untrusted text.
      return this.#fail({
        kind: "protocol",
        message: "the program broke the line to pi: a frame is not JSON",
      });
    }
    this.#mailbox.onFrame(frame);
  }

  /** The error is whatever the program threw: null, too. */
  #describeError(error: { code?: unknown } | null | undefined): VesselEnd {
    if (error?.code === "ERR_WORKER_OUT_OF_MEMORY") {
      const limit = `a heap of ${this.#options.maxOldGenerationSizeMb} MiB (maxOldGenerationSizeMb)`;
      return {
        kind: "out-of-memory",
        message: `the program needed more memory than ${limit}; work on smaller pieces`,
      };
    }
    return { kind: "worker-exit", message: `the program's thread failed: ${errorText(error)}` };
  }

  #fail(end: VesselEnd): void {
    this.#mailbox.onEnd(end);
    this.#kill();
  }

  #kill(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#plan.onStop?.();
    this.#gone = this.#terminate();
  }

  /** One request can be lost in a program that rejects promises in a loop (6 of 40 were), so it is repeated. */
  async #terminate(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    // Each request listens for the exit.
    worker.setMaxListeners(0);
    const again = setInterval(() => void worker.terminate(), TERMINATE_MS);
    worker.once("exit", () => clearInterval(again));
    await worker.terminate();
    clearInterval(again);
  }
}

function exitMessage(code: number): string {
  if (code !== 0) return `the program ended its own thread with process.exit(${code})`;
  return "the program ended without a result: it called process.exit(0), or it waits for a promise that nothing left in it can settle";
}
