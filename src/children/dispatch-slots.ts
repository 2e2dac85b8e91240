/**
 * The bounds on children (spec 2.6): one counter for a whole session, whoever starts a child and for as long
 * as it lives; a depth; and a share of the 64 children that may run below one root at a time.
 */

import type { PtcConfig } from "../base/limits.ts";
import type { Release } from "../base/slots.ts";
import { DEPTH_VARIABLE, TREE_SLOTS_VARIABLE } from "./child-environment.ts";

/** How many children may run below a root, all levels together. */
export const TREE_SLOTS = 64;

/** A place for one child, or the sentence that refuses it. */
export type Reservation =
  | {
      ok: true;
      /** How many children may run below this one. */
      share: number;
      /** The child's depth; the first child of a person's session has 1. */
      depth: number;
      /** Gives the place back; calling it again does nothing. */
      release: Release;
    }
  | { ok: false; refusal: string };

/** The one counter of a session. */
export class DispatchSlots {
  #limits: Pick<PtcConfig, "dispatchConcurrency" | "maxDispatchDepth">;
  /** What may run below this process. */
  readonly #left: number;
  /** This process's own depth; 0 for a person's session. */
  readonly depth: number;
  /** US dollars that ended children in the foreground have cost. Here, since the counter outlives a reload. */
  spentUsd = 0;
  #used = 0;
  #running = 0;
  #background = 0;

  constructor(
    limits: Pick<PtcConfig, "dispatchConcurrency" | "maxDispatchDepth">,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#limits = limits;
    this.depth = digits(env[DEPTH_VARIABLE]) ?? 0;
    const slots = env[TREE_SLOTS_VARIABLE];
    this.#left = slots === undefined ? TREE_SLOTS : Math.min(digits(slots) ?? 0, TREE_SLOTS);
  }

  /** Applies other limits to children from now on; those that run keep their places. */
  retune(limits: Pick<PtcConfig, "dispatchConcurrency" | "maxDispatchDepth">): void {
    this.#limits = limits;
  }

  /** Children that may run at once. */
  get size(): number {
    return this.#limits.dispatchConcurrency;
  }

  /** Children that run now. */
  get running(): number {
    return this.#running;
  }

  /** A place at once, or none: nobody waits here. */
  reserve(isBackground = false): Reservation {
    const { dispatchConcurrency: size, maxDispatchDepth } = this.#limits;
    const depth = this.depth + 1;
    if (depth > maxDispatchDepth)
      return refuse(
        `dispatch depth limit reached: this session is at depth ${this.depth} of at most ${maxDispatchDepth}; do the task here, or hand it back to where this session's own task came from (maxDispatchDepth)`,
      );
    if (this.#running >= size)
      return refuse(
        `dispatch concurrency limit reached: ${this.#running} of ${size} children run${this.#nextStep(isBackground)} (dispatchConcurrency)`,
      );
    const left = this.#left - this.#used;
    if (left < 1) {
      return refuse(
        `dispatch tree limit reached: this session's share, ${this.#left} of ${TREE_SLOTS} children, is in use; ${this.#running > 0 ? "wait until a child has ended and call again, or do the task here" : "do the task here"}`,
      );
    }
    const free = size - this.#running;
    const share = Math.max(0, Math.floor((left - free) / 2));
    this.#used += 1 + share;
    this.#running += 1;
    if (isBackground) this.#background += 1;
    return { ok: true, share, depth, release: this.#releaseOf(share, isBackground) };
  }

  /** What to do where all places are taken: those of tasks are not the caller's to wait for within one program. */
  #nextStep(isBackground: boolean): string {
    const { dispatchConcurrency: size } = this.#limits;
    if (isBackground) return `; ${FREE_A_SLOT}`;
    const others = size - this.#background;
    const paced = `parallel(thunks, { limit: ${others} }) in a ptc_workflow, lower while other programs run children`;
    if (this.#background === 0) return `; wait until one has ended and call again, or use ${paced}`;
    const held = `, ${this.#background} of them in the background; ${FREE_A_SLOT}`;
    return others > 0 ? `${held}. Others fit with ${paced}` : held;
  }

  #releaseOf(share: number, isBackground: boolean): Release {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#used -= 1 + share;
      this.#running -= 1;
      if (isBackground) this.#background -= 1;
    };
  }
}

const FREE_A_SLOT = "wait for a task or end one (ptc_task_list, ptc_task_stop), then call again";

const refuse = (refusal: string): Reservation => ({ ok: false, refusal });

/** A whole number written in digits only. */
function digits(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}
