/**
 * A worker in a thread of pi's own process: the fastest vessel, and the one that cannot contain
 * everything. `terminate()` waits for a blocking native call, and V8 aborts the whole process for
 * some kinds of memory exhaustion; docs list both.
 */

import { Worker } from "node:worker_threads";
import { errorText } from "../base/error-text.ts";
import { hasTooManyParts, MAX_JSON_PARTS } from "../base/json-parts.ts";
import type { HostFrame } from "../worker/protocol.ts";
import {
  encodeHostFrame,
  entryUrl,
  Mailbox,
  type Vessel,
  type VesselEnd,
  type VesselListener,
  type VesselOptions,
  workerEnvironment,
} from "./vessel.ts";

const TERMINATE_MS = 50;

/** Starts the thread in the constructor. */
export class ThreadVessel implements Vessel {
  readonly kind = "thread";
  readonly #mailbox = new Mailbox();
  readonly #options: VesselOptions;
  readonly #worker: Worker | undefined;
  #gone: Promise<unknown> = Promise.resolve();
  /** Bytes the thread sent that were not taken yet; the thread waits while there are many. */
  readonly #inFlight = new Int32Array(new SharedArrayBuffer(4));
  #ended = false;

  constructor(options: VesselOptions) {
    this.#options = options;
    try {
      this.#worker = this.#start();
      this.#watch(this.#worker);
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
    if (!this.#ended) this.#worker?.postMessage(encoded.json);
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
    return new Worker(entryUrl("./worker.cjs", "../worker/main.ts"), {
      env: workerEnvironment(),
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb },
      stderr: true,
      stdout: true,
      workerData: { inFlight: this.#inFlight },
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
          : `a ${typeof json}`;
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
    this.#gone = this.#terminate();
  }

  /** One request can be lost in a program that rejects promises in a loop (6 of 40 were), so it is repeated. */
  async #terminate(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
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
