/**
 * Timers of a program in an engine that has none. All of them live inside the VM, within its memory limit: the
 * thread around it keeps one, for the next that is due.
 */

import { apply, max } from "../base/primordials.ts";

/** Node takes longer delays for 1, and never fires in less. */
const MAX_DELAY_MS = 2_147_483_647;

interface Timer {
  id: number;
  due: number;
  /** Delay of one that repeats. */
  everyMs: number | undefined;
  run: unknown;
  args: unknown[];
}

type TimerGlobals = Record<
  "setTimeout" | "setInterval" | "clearTimeout" | "clearInterval",
  (...args: unknown[]) => unknown
>;

export class GuestTimers {
  readonly #wake: (ms: number) => void;
  readonly #now: () => number;
  /** Soonest first. */
  readonly #timers: Timer[] = [];
  #lastId = 0;
  /** Timers made after the round of due ones began wait for the next. */
  #roundId = 0;

  /** `wake` asks for a call of `tick` in so many milliseconds, in place of any earlier request. */
  constructor(wake: (ms: number) => void, now: () => number) {
    this.#wake = wake;
    this.#now = now;
  }

  get size(): number {
    return this.#timers.length;
  }

  /** The functions that programs see. Times in milliseconds. */
  globals(): TimerGlobals {
    const clear = (id: unknown): void => this.#clear(id);
    return {
      setTimeout: (run, ms, ...args) => this.#add({ run, args, ms, repeats: false }),
      setInterval: (run, ms, ...args) => this.#add({ run, args, ms, repeats: true }),
      clearTimeout: clear,
      clearInterval: clear,
    };
  }

  /** Runs one timer that is due, and asks to be called again. Throws what the timer throws. */
  tick(): void {
    const timer = this.#timers[0];
    const now = this.#now();
    if (this.#roundId === 0) this.#roundId = this.#lastId;
    if (!timer || timer.due > now || timer.id > this.#roundId) {
      this.#roundId = 0;
      return this.#askNext(1);
    }
    this.#removeAt(0);
    if (timer.everyMs !== undefined) this.#insert({ ...timer, due: now + timer.everyMs });
    this.#askNext(0);
    apply(timer.run, undefined, timer.args);
  }

  #add(wish: { run: unknown; args: unknown[]; ms: unknown; repeats: boolean }): number {
    const { run, args } = wish;
    if (typeof run !== "function")
      throw new TypeError(
        `the callback of a timer must be a function, not ${run === null ? "null" : typeof run}`,
      );
    const asked = +(wish.ms as number);
    const delay = asked >= 1 && asked <= MAX_DELAY_MS ? asked : 1;
    this.#lastId += 1;
    const everyMs = wish.repeats ? delay : undefined;
    this.#insert({ id: this.#lastId, due: this.#now() + delay, everyMs, run, args });
    if (this.#timers[0]?.id === this.#lastId && this.#roundId === 0) this.#askNext(1);
    return this.#lastId;
  }

  #clear(id: unknown): void {
    for (let index = 0; index < this.#timers.length; index += 1)
      if (this.#timers[index]?.id === id) return this.#removeAt(index);
  }

  /** By index and not by methods of arrays, which a program may have patched. */
  #insert(timer: Timer): void {
    let index = this.#timers.length;
    for (; index > 0 && (this.#timers[index - 1] as Timer).due > timer.due; index -= 1)
      this.#timers[index] = this.#timers[index - 1] as Timer;
    this.#timers[index] = timer;
  }

  #removeAt(index: number): void {
    for (let at = index + 1; at < this.#timers.length; at += 1)
      this.#timers[at - 1] = this.#timers[at] as Timer;
    this.#timers.length -= 1;
  }

  #askNext(least: number): void {
    const next = this.#timers[0];
    if (least === 0) this.#wake(0);
    else if (next) this.#wake(max(least, next.due - this.#now()));
  }
}
