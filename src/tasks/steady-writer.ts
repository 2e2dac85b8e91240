/**
 * Writes that a full or read-only disk may refuse for a while: tried again until they work or the session ends. Of one
 * key one at a time, and of several that wait only the newest.
 */

import { errorText } from "../base/error-text.ts";

const RETRY_MS = [100, 1_000, 5_000, 30_000];

/** One write; it may be called several times. */
export type Write = () => Promise<void>;

interface Waiting {
  write: Write;
  tried: (done: boolean) => void;
}

export class SteadyWriter {
  readonly #onProblem: (key: string, problem: string) => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #naps = new Set<() => void>();
  #ending = false;

  /** `onProblem` is called for the first refusal of each write. */
  constructor(onProblem: (key: string, problem: string) => void) {
    this.#onProblem = onProblem;
  }

  /**
   * Resolves once this write, or a newer one with the same key, was tried for the first time: true when the disk took
   * it, false when it will be tried again. Rejects never.
   */
  write(key: string, write: Write): Promise<boolean> {
    this.#waiting.get(key)?.tried(true);
    const tried = new Promise<boolean>((resolve) => this.#waiting.set(key, { write, tried: resolve }));
    if (!this.#busy.has(key)) this.#busy.set(key, this.#work(key));
    return tried;
  }

  /** Every write gets one more try, then none. */
  async end(): Promise<void> {
    this.#ending = true;
    for (const wake of this.#naps) wake();
    await Promise.all(this.#busy.values());
  }

  async #work(key: string): Promise<void> {
    for (let next = this.#next(key); next; next = this.#next(key)) await this.#insist(key, next);
    this.#busy.delete(key);
  }

  #next(key: string): Waiting | undefined {
    const next = this.#waiting.get(key);
    this.#waiting.delete(key);
    return next;
  }

  async #insist(key: string, first: Waiting): Promise<void> {
    let next = first;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = this.#ending;
      try {
        await next.write();
        return next.tried(true);
      } catch (error) {
        if (attempt === 0) this.#onProblem(key, errorText(error));
        next.tried(false);
        if (isLast) return;
      }
      if (!this.#ending) await this.#nap(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] as number);
      next = this.#next(key) ?? next;
    }
  }

  /** Keeps nothing alive; the end cuts it short. */
  #nap(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#naps.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms).unref();
      this.#naps.add(wake);
    });
  }
}
