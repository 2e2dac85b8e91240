/**
 * The children of one session that run now, whoever started them. Closing stops them all; pi's own exit
 * kills what is left, since nothing can be waited for there.
 */

import type { DispatchResult } from "./dispatch.ts";
import { type ChildListener, type ChildPlan, type RunningChild, startChild } from "./start-child.ts";

/** Made with the session, or with one run of an embedder. After `close` a start is a refusal. */
export class LiveChildren {
  readonly #children = new Set<RunningChild>();
  #guarded = false;
  #closed = false;

  /** Starts a child and keeps it until its result. */
  start(plan: ChildPlan, listener: ChildListener = {}): RunningChild {
    const signal = this.#closed ? AbortSignal.abort() : listener.signal;
    const child = startChild(plan, { ...listener, signal });
    if (!this.#guarded) process.on("exit", this.#killAll);
    this.#guarded = true;
    this.#children.add(child);
    void child.result.then(() => this.#children.delete(child));
    return child;
  }

  /** Those that run now, in the order in which they were started. */
  running(): RunningChild[] {
    return [...this.#children];
  }

  /** Stops all; resolves with their results. No child is started after it. */
  async close(reason: string): Promise<DispatchResult[]> {
    this.#closed = true;
    const children = this.running();
    for (const child of children) child.stop(reason);
    const results = await Promise.all(children.map((child) => child.result));
    process.off("exit", this.#killAll);
    return results;
  }

  readonly #killAll = (): void => {
    for (const child of this.#children) {
      try {
        child.kill();
      } catch {
        // The others must be ended all the same.
      }
    }
  };
}
