/**
 * Timers of a program in an engine that has none. All of them live inside the VM, within its memory limit: the
 * thread around it keeps one, for the next that is due.
 */

import { apply, mapDelete, mapGet, mapSet, max } from "../base/primordials.ts";

/** Node takes longer delays for 1, and never fires in less. */
const MAX_DELAY_MS = 2_147_483_647;

interface Timer {
  id: number;
  due: number;
  /** Grows with each arming: of timers that are due together, the one armed first runs first. */
  place: number;
  /** Delay of one that repeats. */
  everyMs: number | undefined;
  run: unknown;
  args: unknown[];
  /** Index in the heap; meaningless outside of it. */
  at: number;
}

type TimerGlobals = Record<
  "setTimeout" | "setInterval" | "clearTimeout" | "clearInterval",
  (...args: unknown[]) => unknown
>;

export class GuestTimers {
  readonly #wake: (ms: number) => void;
  readonly #now: () => number;
  /** A heap, the soonest at 0. By index and not by methods of arrays, which a program may have patched. */
  readonly #heap: Timer[] = [];
  readonly #byId = new Map<unknown, Timer>();
  #lastId = 0;
  #lastPlace = 0;
  /** Last place of the round of due timers that runs; 0 between rounds. What is armed in one waits for the next. */
  #roundEnd = 0;

  /** `wake` asks for a call of `tick` in so many milliseconds, in place of any earlier request. */
  constructor(wake: (ms: number) => void, now: () => number) {
    this.#wake = wake;
    this.#now = now;
  }

  get size(): number {
    return this.#heap.length;
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
    if (this.#roundEnd === 0) this.#roundEnd = this.#lastPlace;
    const timer = this.#heap[0];
    if (!timer || timer.due > this.#now() || timer.place > this.#roundEnd) {
      this.#roundEnd = 0;
      return this.#askNext();
    }
    this.#remove(timer);
    if (timer.everyMs === undefined) mapDelete(this.#byId, timer.id);
    this.#wake(0);
    try {
      apply(timer.run, undefined, timer.args);
    } finally {
      // As in Node the pause begins after the callback, which may take longer than that.
      if (timer.everyMs !== undefined && mapGet(this.#byId, timer.id) === timer)
        this.#arm(timer, timer.everyMs);
    }
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
    const timer: Timer = { id: this.#lastId, due: 0, place: 0, everyMs, run, args, at: 0 };
    mapSet(this.#byId, timer.id, timer);
    this.#arm(timer, delay);
    if (this.#heap[0] === timer && this.#roundEnd === 0) this.#askNext();
    return timer.id;
  }

  #clear(id: unknown): void {
    const timer = mapGet(this.#byId, id) as Timer | undefined;
    if (!timer) return;
    mapDelete(this.#byId, id);
    // One that is running has left the heap.
    if (this.#heap[timer.at] === timer) this.#remove(timer);
  }

  #arm(timer: Timer, delay: number): void {
    timer.due = this.#now() + delay;
    timer.place = this.#lastPlace += 1;
    this.#rise(timer, this.#heap.length);
  }

  #remove(timer: Timer): void {
    const last = this.#heap[this.#heap.length - 1] as Timer;
    this.#heap.length -= 1;
    if (last === timer) return;
    this.#sink(last, timer.at);
    this.#rise(last, last.at);
  }

  /** Puts the timer at the free index `at`, or above it where it is sooner. */
  #rise(timer: Timer, at: number): void {
    const heap = this.#heap;
    let free = at;
    while (free > 0) {
      const parent = heap[(free - 1) >> 1] as Timer;
      if (!isSooner(timer, parent)) break;
      place(heap, parent, free);
      free = (free - 1) >> 1;
    }
    place(heap, timer, free);
  }

  /** The same downwards. */
  #sink(timer: Timer, at: number): void {
    const heap = this.#heap;
    let free = at;
    for (let child = 2 * free + 1; child < heap.length; child = 2 * free + 1) {
      if (child + 1 < heap.length && isSooner(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
      if (!isSooner(heap[child] as Timer, timer)) break;
      place(heap, heap[child] as Timer, free);
      free = child;
    }
    place(heap, timer, free);
  }

  #askNext(): void {
    const next = this.#heap[0];
    if (next) this.#wake(max(1, next.due - this.#now()));
  }
}

const isSooner = (one: Timer, other: Timer): boolean =>
  one.due < other.due || (one.due === other.due && one.place < other.place);

function place(heap: Timer[], timer: Timer, at: number): void {
  heap[at] = timer;
  timer.at = at;
}
