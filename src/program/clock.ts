/** A deadline that stands still while it is paused, from any number of sides. */

/** Milliseconds of one run, stopped by `stop` for good. */
export class Clock {
  readonly #onExpire: () => void;
  readonly #pausers = new Set<symbol>();
  #leftMs: number;
  #runningSince = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Starts at once. `onExpire` is called at most once. */
  constructor(limitMs: number, onExpire: () => void) {
    this.#leftMs = limitMs;
    this.#onExpire = onExpire;
    this.#go();
  }

  /** Stops the clock until the returned function is called. */
  pause(): () => void {
    const pauser = Symbol("pause");
    if (this.#pausers.size === 0) this.#halt();
    this.#pausers.add(pauser);
    return () => {
      if (this.#pausers.delete(pauser) && this.#pausers.size === 0) this.#go();
    };
  }

  /** Ends the clock for good. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #go(): void {
    if (this.#stopped) return;
    this.#runningSince = performance.now();
    this.#timer = setTimeout(() => {
      this.stop();
      this.#onExpire();
    }, this.#leftMs);
  }

  #halt(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#runningSince));
  }
}
