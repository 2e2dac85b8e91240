/** What a trusted project may change of the user's settings: it may hold programs and children tighter, never looser. */

import { LIMIT_RANGES, type PtcConfig } from "./limits.ts";
import type { PtcSettings } from "./settings.ts";
import { showValue } from "./settings-file.ts";

/** Keys that say what is run, what a read-only child may do, or when files are deleted, those of other projects among them. */
const USER_ONLY = ["command", "childArgs", "readOnlyTools", "retention"] as const;
/** Limits of which 0 means that there is none. */
const ZERO_IS_NONE: ReadonlySet<keyof PtcConfig> = new Set(["maxChildTurns", "maxChildCostUsd"]);

/** The part of the project's valid entries that counts; what does not is reported. */
export function tightenOnly(
  project: Partial<PtcSettings>,
  user: Readonly<PtcSettings>,
  report: (problem: string) => void,
): Partial<PtcSettings> {
  const { limits, ...rest } = project;
  const kept: Partial<PtcSettings> = { ...rest };
  const refuse = (key: keyof PtcSettings, why: string): void => {
    report(`${key} is ${showValue(project[key])}; ${why}; ignored`);
    delete kept[key];
  };
  for (const key of USER_ONLY)
    if (kept[key] !== undefined) refuse(key, "a project may not set it, only your own ptc.json");
  if (kept.engine === "node" && user.engine === "quickjs")
    refuse("engine", 'a project may not leave your engine "quickjs"');
  if (kept.isolation === "thread" && user.isolation !== "thread")
    refuse("isolation", "a project may not leave a process of its own for a thread");
  if (limits) kept.limits = tightLimits(limits, user.limits, report);
  return kept;
}

function tightLimits(
  project: Partial<PtcConfig>,
  user: Readonly<PtcConfig>,
  report: (problem: string) => void,
): PtcConfig {
  const kept = { ...user };
  for (const [key, value] of Object.entries(project) as [keyof PtcConfig, number][]) {
    if (tighterLimit(key, value, user[key]) === value) kept[key] = value;
    else
      report(
        `limits.${key} is ${value}; a project may only lower your ${describeLimit(key, user[key])}; ignored`,
      );
  }
  return kept;
}

/** The one of two values of a limit that allows less. */
export const tighterLimit = (key: keyof PtcConfig, one: number, other: number): number =>
  sizeOf(key, one) <= sizeOf(key, other) ? one : other;

const sizeOf = (key: keyof PtcConfig, value: number): number =>
  value === 0 && ZERO_IS_NONE.has(key) ? Number.POSITIVE_INFINITY : value;

function describeLimit(key: keyof PtcConfig, value: number): string {
  return value === LIMIT_RANGES[key].default ? `${value}, the default` : String(value);
}
