/** The limits of programs and children: names, defaults, and the range each accepts (spec 1.5). */

import { nearestName } from "./nearest-name.ts";

/** Limits of one session. Times in milliseconds, sizes in the unit of the name. */
export interface PtcConfig {
  /** Deadline of a program that names none. */
  timeoutMs: number;
  /** Longest deadline a program may ask for. */
  maxTimeoutMs: number;
  /** Time a program gets to unwind after a deadline or an abort. */
  graceMs: number;
  /** Most bytes of console lines, narration and value together. */
  maxOutputBytes: number;
  /** Largest frame between pi and a worker. */
  maxMessageBytes: number;
  /** Calls a program may have open; more wait inside the program. */
  maxPendingCalls: number;
  /** Calls that execute at once. */
  maxParallelSubCalls: number;
  /** Items `parallel` and `pipeline` accept. */
  maxItemsPerCall: number;
  /** Children at once in one session. */
  dispatchConcurrency: number;
  /** How deep children may start children. */
  maxDispatchDepth: number;
  /** Deadline of one child. */
  dispatchTimeoutMs: number;
  /** Turns a child may take; 0 = no bound. */
  maxChildTurns: number;
  /** US dollars a child may cost; 0 = no bound. */
  maxChildCostUsd: number;
  /** V8's old generation of a worker. */
  maxOldGenerationSizeMb: number;
  /** V8's young generation of a worker. */
  maxYoungGenerationSizeMb: number;
  /** Resident memory of a process worker. */
  maxMemoryMb: number;
  /** Programs that run at once. */
  poolSize: number;
  /** How long a program waits for its turn. */
  poolAcquireTimeoutMs: number;
  /** Workers booted ahead. */
  spares: number;
}

/** Range of one number; `integer` where it counts things or bytes. */
export interface NumberRange {
  default: number;
  min: number;
  max: number;
  integer: boolean;
}

/** Node clamps longer timers to 1 ms (its TIMEOUT_MAX). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const count = (value: number, min: number, max: number): NumberRange => ({
  default: value,
  min,
  max,
  integer: true,
});

/** Every limit with its default and accepted range. */
export const LIMIT_RANGES: Readonly<Record<keyof PtcConfig, NumberRange>> = Object.freeze({
  timeoutMs: count(120_000, 1, MAX_TIMER_MS),
  maxTimeoutMs: count(600_000, 1, MAX_TIMER_MS),
  graceMs: count(3_000, 0, 60_000),
  maxOutputBytes: count(67_108_864, 1_024, 536_870_912),
  maxMessageBytes: count(134_217_728, 65_536, 536_870_912),
  maxPendingCalls: count(128, 1, 10_000),
  maxParallelSubCalls: count(10, 1, 1_000),
  maxItemsPerCall: count(4_096, 1, 1_000_000),
  dispatchConcurrency: count(8, 1, 256),
  maxDispatchDepth: count(3, 0, 16),
  dispatchTimeoutMs: count(3_600_000, 1, MAX_TIMER_MS),
  maxChildTurns: count(0, 0, 100_000),
  maxChildCostUsd: { default: 0, min: 0, max: 1_000_000, integer: false },
  maxOldGenerationSizeMb: count(512, 16, 65_536),
  maxYoungGenerationSizeMb: count(64, 1, 4_096),
  maxMemoryMb: count(1_024, 64, 1_048_576),
  poolSize: count(4, 1, 64),
  poolAcquireTimeoutMs: count(30_000, 1, MAX_TIMER_MS),
  spares: count(1, 0, 16),
});

/** The limits of spec 1.5, frozen. */
export const DEFAULT_CONFIG: Readonly<PtcConfig> = Object.freeze(
  Object.fromEntries(
    Object.entries(LIMIT_RANGES).map(([key, range]) => [key, range.default]),
  ) as unknown as PtcConfig,
);

/** A sentence that says why `value` is not a limit `key` accepts, or undefined when it is one. `group` is where it was written. */
export function limitProblem(key: keyof PtcConfig, value: unknown, group = "limits"): string | undefined {
  return rangeProblem(`${group}.${key}`, LIMIT_RANGES[key], value);
}

/** A sentence that says why `value`, which the user knows as `name`, is not within `range`, or undefined when it is. */
export function rangeProblem(name: string, range: NumberRange, value: unknown): string | undefined {
  const wanted = `${range.integer ? "a whole number" : "a number"} from ${range.min} to ${range.max}`;
  if (typeof value !== "number" || !Number.isFinite(value))
    return `${name} is ${describe(value)}; it must be ${wanted}`;
  const fits = value >= range.min && value <= range.max && (!range.integer || Number.isInteger(value));
  return fits ? undefined : `${name} is ${value}; it must be ${wanted}`;
}

/** A sentence for each key of `overrides` that is unknown or out of range; `group` is where they were written. */
export function configProblems(group: string, overrides: Partial<PtcConfig> = {}): string[] {
  const known = Object.keys(LIMIT_RANGES);
  return Object.entries(overrides).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (known.includes(key)) return limitProblem(key as keyof PtcConfig, value, group) ?? [];
    const near = nearestName(key, known);
    const next =
      near === undefined ? `; known limits: ${known.join(", ")}` : ` (did you mean ${group}.${near}?)`;
    return [`${group}.${key} is unknown${next}`];
  });
}

/** The defaults with `overrides` on top. Throws a `TypeError` naming each key that is unknown or out of range. */
export function resolveConfig(overrides: Partial<PtcConfig> = {}): Readonly<PtcConfig> {
  const problems = configProblems("limits", overrides);
  if (problems.length > 0) throw new TypeError(problems.join("; "));
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  return Object.freeze({ ...DEFAULT_CONFIG, ...given });
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return String(value);
}
