/**
 * The one compiler of a pi process: a thread that is started with the first spare and ended when
 * the extension rests. Its stripper announces itself as experimental, which stays off the screen.
 */

import { Worker } from "node:worker_threads";
import type { CompileResult } from "./compile-source.ts";
import { entryUrl } from "./vessel.ts";

/** Erasing the types of a megabyte takes well under a second; past this the compiler hangs. */
const COMPILE_MS = 20_000;

interface Pending {
  resolve(result: CompileResult): void;
  timer: NodeJS.Timeout;
}

export class CompileService {
  #worker: Worker | undefined;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ready: Promise<void> = Promise.resolve();
  #markReady: () => void = () => undefined;

  /** Starts the thread unless it runs; resolves when it can compile without delay. */
  warm(): Promise<void> {
    if (!this.#worker) this.#start();
    return this.#ready;
  }

  /** Compiles one program. Never rejects; a compiler that dies gives a failed result. */
  compile(text: string): Promise<CompileResult> {
    void this.warm();
    const worker = this.#worker;
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const timer = setTimeout(
        () => this.#stop(`the compiler did not answer in ${COMPILE_MS} ms`),
        COMPILE_MS,
      );
      this.#pending.set(id, { resolve, timer });
      if (!worker) return this.#stop("the compiler could not be started");
      worker.ref();
      worker.postMessage({ id, text });
    });
  }

  /** Ends the thread; the next program starts it again. */
  async rest(): Promise<void> {
    if (this.#pending.size === 0) await this.#stop("the compiler was stopped");
  }

  /** Ends the thread, pending programs included. */
  async close(): Promise<void> {
    await this.#stop("the session ended");
  }

  #start(): void {
    this.#ready = new Promise((resolve) => (this.#markReady = resolve));
    try {
      const worker = new Worker(entryUrl("./compile-worker.cjs", "./compile-worker.ts"), {
        env: {},
        execArgv: ["--disable-warning=ExperimentalWarning"],
        stderr: true,
        stdout: true,
      });
      this.#worker = worker;
      worker.unref();
      worker.on("message", (message: { id: number; result?: CompileResult }) => this.#onMessage(message));
      worker.on("error", (error) => this.#lost(worker, `the compiler failed: ${error.message}`));
      worker.on("exit", () => this.#lost(worker, "the compiler ended"));
    } catch (error) {
      // Without a thread `compile` answers with a failed result.
      void this.#stop(`the compiler could not be started: ${(error as Error).message}`);
    }
  }

  #onMessage({ id, result }: { id: number; result?: CompileResult }): void {
    if (id === 0) this.#markReady();
    const pending = this.#pending.get(id);
    if (!pending || !result) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (this.#pending.size === 0) this.#worker?.unref();
    pending.resolve(result);
  }

  #lost(worker: Worker, message: string): void {
    if (this.#worker === worker) void this.#stop(message);
  }

  async #stop(message: string): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#markReady();
    for (const { resolve, timer } of this.#pending.values()) {
      clearTimeout(timer);
      resolve({ ok: false, message, excerpt: "" });
    }
    this.#pending.clear();
    await worker?.terminate();
  }
}
