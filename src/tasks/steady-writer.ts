/**
 * Writes that a full or read-only disk may refuse for a while: tried again until they work or the session ends. Of one
 * key one at a time, and of several that wait only the newest, which never waits for a pause to pass.
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
  /** Ends the pause before the next try. */
  readonly #naps = new Map<string, () => void>();
  #ending = false;

  /** `onProblem` is called for the first refusal in a row. Must not throw. */
  constructor(onProblem: (key: string, problem: string) => void) {
    this.#onProblem = onProblem;
  }

  /**
   * Resolves once this write, or a newer one with the same key, was tried for the first time: true when the disk took
   * it, false when it will be tried again. Rejects never.
   */
  write(key: string, write: Write): Promise<boolean> {
    const before = this.#waiting.get(key)?.tried;
    const tried = new Promise<boolean>((resolve) => {
      const settle = (done: boolean): void => {
        before?.(done);
        resolve(done);
      };
      this.#waiting.set(key, { write, tried: settle });
    });
    this.#naps.get(key)?.();
    if (!this.#busy.has(key)) this.#busy.set(key, this.#work(key));
    return tried;
  }

  /** Every write gets one more try, then none. */
  async end(): Promise<void> {
    this.#ending = true;
    for (const wake of this.#naps.values()) wake();
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
    let isTold = false;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = this.#ending;
      try {
        await next.write();
        return next.tried(true);
      } catch (error) {
        next.tried(false);
        if (!isTold) this.#onProblem(key, errorText(error));
        isTold = true;
        if (isLast && !this.#waiting.has(key)) return;
      }
      if (!this.#ending && !this.#waiting.has(key)) await this.#nap(key, attempt);
      const newer = this.#next(key);
      if (newer) attempt = -1;
      next = newer ?? next;
    }
  }

  /** Keeps nothing alive. A newer write and the end cut it short. */
  #nap(key: string, attempt: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#naps.delete(key);
        resolve();
      };
      const timer = setTimeout(wake, RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] as number).unref();
      this.#naps.set(key, wake);
    });
  }
}
