/**
 * Adds up what a child spent, each part once. pi puts the usage of calls a tool made onto the result message of
 * the tool the model called, so usage on the end of a call waits for that message and counts by itself only when
 * the message never comes (the child was stopped) or came before (the tool did not wait for its call).
 */

import type { ChildUsage } from "./dispatch.ts";

/** Tokens and cost of one answer, call or compaction. */
export type Spent = Omit<ChildUsage, "turns">;

/** No real number comes near; a made-up one must not make the sums infinite. */
const MAX_NUMBER = 1e15;
/** A child of ours has a handful of calls open. */
const MAX_CALLS = 10_000;

/** pi's `usage`; what is no number in it counts as 0. Undefined when it is no object. */
export function readSpent(value: unknown): Spent | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { input, output, cacheRead, cacheWrite, cost } = value as Record<string, unknown>;
  const total = typeof cost === "object" && cost !== null ? (cost as { total?: unknown }).total : cost;
  return {
    input: amount(input),
    output: amount(output),
    cacheRead: amount(cacheRead),
    cacheWrite: amount(cacheWrite),
    cost: amount(total),
  };
}

const amount = (value: unknown): number =>
  typeof value === "number" && value > 0 ? Math.min(value, MAX_NUMBER) : 0;

const nothing = (): Spent => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 });

function addTo(sum: Spent, more: Spent): void {
  sum.input += more.input;
  sum.output += more.output;
  sum.cacheRead += more.cacheRead;
  sum.cacheWrite += more.cacheWrite;
  sum.cost += more.cost;
}

/** The usage of one child. Fed in the order of its lines; `total()` may be asked for at any time. */
export class UsageCount {
  #turns = 0;
  #isEmpty = true;
  readonly #counted = nothing();
  /** By the call of the model's that it belongs to. */
  readonly #waiting = new Map<string, Spent>();
  /** Calls that tools made, and the call of the model's they belong to. */
  readonly #roots = new Map<string, string>();
  /** Calls of the model's whose message came. */
  readonly #closed = new Map<string, true>();

  /** False until a turn or usage was seen. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  get turns(): number {
    return this.#turns;
  }

  addTurn(spent: Spent | undefined): void {
    this.#turns += 1;
    this.#isEmpty = false;
    if (spent) this.add(spent);
  }

  add(spent: Spent): void {
    addTo(this.#counted, spent);
    this.#isEmpty = false;
  }

  callStarted(id: string, parentId?: string): void {
    // Ids of the model's calls may come again.
    if (parentId === undefined) this.#closed.delete(id);
    else {
      this.#roots.set(id, this.#roots.get(parentId) ?? parentId);
      forgetOldest(this.#roots);
    }
  }

  /** A call ended; `spent` is what its own result reports. */
  callEnded(id: string, parentId: string | undefined, spent: Spent | undefined): void {
    const root = parentId === undefined ? id : (this.#roots.get(parentId) ?? parentId);
    this.#roots.delete(id);
    if (!spent) return;
    if (parentId !== undefined && this.#closed.has(root)) {
      this.add(spent);
      return;
    }
    const waiting = this.#waiting.get(root) ?? nothing();
    addTo(waiting, spent);
    this.#waiting.set(root, waiting);
    this.#isEmpty = false;
    const oldest = forgetOldest(this.#waiting);
    if (oldest) this.add(oldest);
  }

  /** The result message of a call of the model's came, with the usage of all calls below. */
  callTold(id: string, spent: Spent | undefined): void {
    const whole = spent ?? this.#waiting.get(id);
    this.#waiting.delete(id);
    if (whole) this.add(whole);
    this.#closed.set(id, true);
    forgetOldest(this.#closed);
  }

  /** US dollars, as in `total()`. */
  get cost(): number {
    let cost = this.#counted.cost;
    for (const spent of this.#waiting.values()) cost += spent.cost;
    return cost;
  }

  total(): ChildUsage {
    const sum = { ...this.#counted };
    for (const spent of this.#waiting.values()) addTo(sum, spent);
    return { ...sum, turns: this.#turns };
  }
}

/** Takes the oldest entry out of a map that has become too large. */
function forgetOldest<V>(map: Map<string, V>): V | undefined {
  if (map.size <= MAX_CALLS) return undefined;
  for (const [key, value] of map) {
    map.delete(key);
    return value;
  }
  return undefined;
}
