/** The helpers of `ptc_workflow`: phases, narration, and two ways to run many things that settle all of them. */

import { errorText } from "../base/error-text.ts";
import type { Output } from "./output.ts";

/** One failed item of `parallel` or `pipeline`. */
interface ItemError {
  index: number;
  message: string;
  toolName?: string;
}

type Thunk = () => unknown;
type Stage = (previous: unknown, item: unknown, index: number) => unknown;

/** What the helpers need of the run. */
export interface WorkflowOptions {
  output: Output;
  /** Declared phases, in order; empty = no plan. */
  phases: readonly string[];
  maxItemsPerCall: number;
}

/** The globals `log phase parallel pipeline`. */
export function createWorkflowHelpers(
  options: WorkflowOptions,
): Record<string, (...args: never[]) => unknown> {
  const { output, maxItemsPerCall } = options;
  return {
    log: (text: unknown) => output.narrate(typeof text === "string" ? text : errorText(text)),
    phase: createPhase(output, options.phases),
    parallel: async (thunks: unknown, settings?: unknown) => {
      const list = checkItems("parallel", thunks, maxItemsPerCall);
      list.forEach((thunk, index) => {
        if (typeof thunk !== "function")
          throw new TypeError(`parallel: item ${index} is ${nameOf(thunk)}, not a function`);
      });
      const limit = checkLimit(settings, list.length);
      return settleAll("parallel", list as Thunk[], { limit, output }, (thunk) => thunk());
    },
    pipeline: async (items: unknown, ...stages: unknown[]) => {
      const list = checkItems("pipeline", items, maxItemsPerCall);
      if (stages.length === 0)
        throw new TypeError("pipeline: give at least one stage function after the items");
      stages.forEach((stage, index) => {
        if (typeof stage !== "function")
          throw new TypeError(`pipeline: stage ${index} is ${nameOf(stage)}, not a function`);
      });
      return settleAll("pipeline", list, { limit: list.length, output }, async (item, index) => {
        let value = item;
        for (const stage of stages as Stage[]) value = await stage(value, item, index);
        return value;
      });
    },
  };
}

function createPhase(output: Output, declared: readonly string[]): (title: unknown) => void {
  const plan = new Set(declared.map((name) => name.trim()));
  const warned = new Set<string>();
  return (title) => {
    if (typeof title !== "string" || title.trim() === "")
      throw new TypeError("phase: the title must be a string with text");
    output.phase(title);
    if (plan.size === 0 || plan.has(title.trim()) || warned.has(title)) return;
    warned.add(title);
    output.warn(`phase "${title}" is not listed in meta.phases (declared: ${declared.join(", ")})`);
  };
}

function checkItems(helper: string, items: unknown, max: number): unknown[] {
  if (!Array.isArray(items))
    throw new TypeError(`${helper}: the first argument is ${nameOf(items)}, not an array`);
  if (items.length > max) {
    throw new RangeError(
      `${helper}: ${items.length} items are more than ${max} (maxItemsPerCall); split the work into several calls`,
    );
  }
  return items;
}

function checkLimit(settings: unknown, count: number): number {
  if (settings === undefined || settings === null) return count;
  if (typeof settings !== "object")
    throw new TypeError(`parallel: the second argument is ${nameOf(settings)}, not {limit}`);
  const { limit } = settings as { limit?: unknown };
  if (limit === undefined) return count;
  if (!Number.isInteger(limit) || (limit as number) < 1) {
    const shown = typeof limit === "number" ? limit : nameOf(limit);
    throw new TypeError(`parallel: limit is ${shown}; it must be a whole number of 1 or more`);
  }
  return limit as number;
}

async function settleAll<Item>(
  helper: string,
  items: readonly Item[],
  { limit, output }: { limit: number; output: Output },
  run: (item: Item, index: number) => unknown,
): Promise<unknown[]> {
  const results: unknown[] = Array.from({ length: items.length }, () => null);
  const errors: ItemError[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await run(items[index] as Item, index);
      } catch (error) {
        errors.push(itemError(index, error));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  errors.sort((a, b) => a.index - b.index);
  Object.defineProperty(results, "errors", { value: errors, enumerable: false });
  if (errors.length > 0) {
    const first = errors[0] as ItemError;
    output.warn(
      `${helper}: ${errors.length} of ${items.length} items failed and are null; the first, item ${first.index}: ${first.message.slice(0, 200)}`,
    );
  }
  return results;
}

function itemError(index: number, thrown: unknown): ItemError {
  const message = messageOf(thrown);
  try {
    const toolName = (thrown as { toolName?: unknown } | null)?.toolName;
    if (typeof toolName === "string") return { index, message, toolName };
  } catch {
    // A thrown value may refuse to be read; its text is enough.
  }
  return { index, message };
}

/** An error's own message, without the class name that `errorText` puts before it. */
function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string" && thrown.message)
      return thrown.message;
  } catch {
    // A message that refuses to be read has a text all the same.
  }
  return errorText(thrown);
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise (wrap the call: () => tools.read(...))";
  if (value === undefined) return "undefined";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
