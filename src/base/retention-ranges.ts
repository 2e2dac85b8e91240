/** How long files are kept: names, defaults, and the range each accepts. */

import { type NumberRange, rangeProblem } from "./limits.ts";

/** Complete texts and ended tasks in days, and most ended tasks of a session. */
export interface RetentionConfig {
  outputDays: number;
  taskDays: number;
  maxTasks: number;
}

/** Every key with its default and accepted range. */
export const RETENTION_RANGES: Readonly<Record<keyof RetentionConfig, NumberRange>> = Object.freeze({
  outputDays: { default: 7, min: 1, max: 3_650, integer: false },
  taskDays: { default: 30, min: 1, max: 3_650, integer: false },
  maxTasks: { default: 500, min: 1, max: 100_000, integer: true },
});

/** A sentence that says why `value` is no retention, or undefined when it is one. Keys that are undefined are absent. */
export function retentionProblem(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `retention is ${JSON.stringify(value)}; it must be an object`;
  for (const [key, range] of Object.entries(RETENTION_RANGES)) {
    const days = (value as Record<string, unknown>)[key];
    const problem = days === undefined ? undefined : rangeProblem(`retention.${key}`, range, days);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The defaults with what is defined of `given` on top. */
export function resolveRetention(given: Partial<RetentionConfig> = {}): Readonly<RetentionConfig> {
  const { outputDays, taskDays, maxTasks } = RETENTION_RANGES;
  return Object.freeze({
    outputDays: given.outputDays ?? outputDays.default,
    taskDays: given.taskDays ?? taskDays.default,
    maxTasks: given.maxTasks ?? maxTasks.default,
  });
}
