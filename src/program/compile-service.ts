/**
 * The one compiler of a pi process: a thread that is started with the first spare and ended when
 * the extension rests. Its stripper announces itself as experimental, which stays off the screen.
 */

import { Worker } from "node:worker_threads";
import { errorText } from "../base/error-text.ts";
import type { CompileResult } from "./compile-source.ts";
import { builtUrl } from "./vessel.ts";

/** Erasing the types of a megabyte takes well under a second; past this the compiler hangs. */
const COMPILE_MS = 20_000;

interface Pending {
  text: string;
  resolve(result: CompileResult): void;
  timer: NodeJS.Timeout;
}

/** Its thread is started anew when it hung or died. */
export class CompileService {
  #worker: Worker | undefined;
  /** In the order in which the thread takes them. */
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ready: Promise<void> = Promise.resolve();
  #markReady: () => void = () => undefined;
  /** The thread has announced itself. */
  #started = false;
  #closed = false;

  /** Starts the thread unless it runs; resolves when it can compile without delay. */
  warm(): Promise<void> {
    if (!this.#worker && !this.#closed) this.#start();
    return this.#ready;
  }

  /** Compiles one program. Never rejects; a compiler that dies gives a failed result. */
  compile(text: string): Promise<CompileResult> {
    if (this.#closed) return Promise.resolve(failed("abort", "the session ended"));
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const timer = setTimeout(() => {
        this.#settle(id, failed("refused", `the compiler did not answer in ${COMPILE_MS} ms`));
        this.#restart();
      }, COMPILE_MS);
      this.#pending.set(id, { text, resolve, timer });
      this.#post(id, text);
    });
  }

  /** Ends the thread unless it is at work; the next program starts it again. */
  async rest(): Promise<void> {
    if (this.#pending.size === 0) await this.#end();
  }

  /** Ends the thread; programs that wait for it end as aborted. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const id of [...this.#pending.keys()]) this.#settle(id, failed("abort", "the session ended"));
    await this.#end();
  }

  #start(): void {
    this.#ready = new Promise((resolve) => (this.#markReady = resolve));
    this.#started = false;
    try {
      const worker = new Worker(builtUrl("compile-worker.cjs"), {
        env: {},
        execArgv: ["--disable-warning=ExperimentalWarning"],
        stderr: true,
        stdout: true,
      });
      this.#worker = worker;
      worker.unref();
      worker.on("message", (message: { id: number; result?: CompileResult }) => {
        if (message.id === 0) {
          this.#started = true;
          this.#markReady();
        } else if (message.result) this.#settle(message.id, message.result);
      });
      let reason = "it ended";
      worker.on("error", (error) => (reason = errorText(error)));
      // By now every answer has arrived; at the error some of them may not have.
      worker.on("exit", () => this.#lost(worker, reason));
    } catch (error) {
      this.#refuseAll(errorText(error));
    }
  }

  #post(id: number, text: string): void {
    void this.warm();
    this.#worker?.ref();
    this.#worker?.postMessage({ id, text });
  }

  #settle(id: number, result: CompileResult): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (this.#pending.size === 0) this.#worker?.unref();
    pending.resolve(result);
  }

  #refuseAll(reason: string): void {
    void this.#end();
    const result = failed("refused", `the compiler could not be started: ${reason}`);
    for (const id of [...this.#pending.keys()]) this.#settle(id, result);
  }

  /** A thread that died at work did so over the oldest text; the others get a new one. */
  #lost(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    if (!this.#started) return this.#refuseAll(reason);
    const [culprit] = this.#pending.keys();
    const why = reason.split("\n", 1)[0];
    if (culprit !== undefined) {
      const message = `the compiler failed on this text (${why}); code nested very deeply does that, and a fault in a line of 100,000 characters`;
      this.#settle(culprit, { ok: false, message, excerpt: "" });
    }
    this.#restart();
  }

  #restart(): void {
    void this.#end();
    for (const [id, pending] of this.#pending) {
      // What held up the others must not cost them their own time.
      pending.timer.refresh();
      this.#post(id, pending.text);
    }
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#markReady();
    await worker?.terminate();
  }
}

function failed(kind: "abort" | "refused", message: string): CompileResult {
  return { ok: false, message, excerpt: "", kind };
}
