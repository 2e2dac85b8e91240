/**
 * Arguments before pi validates them. pi coerces: `"1000"` would become 1000, `true` 1, a `Map` `{}`. What has
 * to be refused with a sentence of ours is carried past the validation in keys that no schema names.
 */

import { jsonProblem } from "../base/plain-json.ts";

/** The added keys. */
export interface CarriedArguments {
  /** A `timeoutMs` that is no finite number, for the runner to refuse. */
  givenTimeout?: unknown;
  /** Why `args` is refused. */
  argsProblem?: string;
}

/** Carries a `timeoutMs` that is no finite number. `null` is absent. */
export function carryTimeout(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { timeoutMs, ...rest } = given;
  if (timeoutMs === undefined || timeoutMs === null || Number.isFinite(timeoutMs)) return given;
  // pi clones arguments: only plain values survive.
  const plain =
    typeof timeoutMs === "string" || typeof timeoutMs === "number" || typeof timeoutMs === "boolean";
  return {
    ...rest,
    givenTimeout: plain
      ? timeoutMs
      : Array.isArray(timeoutMs)
        ? "an array"
        : `a value of type ${typeof timeoutMs}`,
  };
}

/** Checks `args` for plain JSON. JSON text of an object, which models send, is taken as it. */
export function carryArgs(given: unknown): unknown {
  if (!isObject(given) || given["args"] === undefined || given["args"] === null) return given;
  const { args: raw, ...rest } = given;
  const args = parsed(raw);
  const problem = isObject(args) ? jsonProblem(args, "args") : `args is ${kindOf(args)}`;
  if (problem !== undefined)
    return { ...rest, argsProblem: `${problem}; args must be an object of plain JSON` };
  return { ...rest, args };
}

/** Lets a program run whose model left out the `description`, which only people read. */
export function carryDescription(given: unknown): unknown {
  if (!isObject(given) || (given["description"] ?? undefined) !== undefined) return given;
  return { ...given, description: "" };
}

/** Takes `meta` sent as JSON text, and phases sent as plain names. */
export function carryMeta(given: unknown): unknown {
  if (!isObject(given)) return given;
  const meta = parsed(given["meta"]);
  if (!isObject(meta)) return given;
  const { phases } = meta;
  if (!Array.isArray(phases)) return { ...given, meta };
  return {
    ...given,
    meta: {
      ...meta,
      phases: phases.map((phase: unknown) => (typeof phase === "string" ? { name: phase } : phase)),
    },
  };
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    // It is refused as the text it is.
    return value;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "number" ? String(value) : `a ${typeof value}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
