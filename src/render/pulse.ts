/**
 * The one timer behind everything that moves. It ticks while something runs that somebody watches. A run's
 * end takes its watchers along, whatever became of their rows; `close` ends everything.
 */

import { SHIMMER_MS } from "./shimmer.ts";

export class Pulse {
  readonly #running = new Set<string>();
  readonly #watchers = new Map<string, () => void>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** A run with this id began. Returns its end. */
  begin(id: string): () => void {
    if (this.#closed) return () => undefined;
    this.#running.add(id);
    this.#adjust();
    return () => {
      this.#running.delete(id);
      this.#watchers.delete(id);
      this.#adjust();
    };
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Calls `redraw` every 150 ms while the run with this id goes on; one watcher an id. */
  watch(id: string, redraw: () => void): void {
    if (!this.#running.has(id)) return;
    this.#watchers.set(id, redraw);
    this.#adjust();
  }

  unwatch(id: string): void {
    if (this.#watchers.delete(id)) this.#adjust();
  }

  /** Milliseconds of the clock that steps are counted by. */
  now(): number {
    return performance.now();
  }

  close(): void {
    this.#closed = true;
    this.#running.clear();
    this.#watchers.clear();
    this.#adjust();
  }

  #adjust(): void {
    if (this.#watchers.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setInterval(this.#tick, SHIMMER_MS);
    this.#timer.unref();
  }

  readonly #tick = (): void => {
    for (const [id, redraw] of this.#watchers) {
      try {
        redraw();
      } catch {
        // A row of a session that is gone.
        this.unwatch(id);
      }
    }
  };
}
