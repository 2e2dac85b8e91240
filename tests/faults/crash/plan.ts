/** Which crashes are played. Everything random comes from a seed, so a round can be played again. */

import type { TaskStepKind } from "../../../src/tasks/task-store.ts";

/** When a pi is killed: by itself, at the n-th time of a step, or from outside, so long after so many steps. */
export type CrashMoment =
  | { kind: "named"; step: TaskStepKind; occurrence: number }
  | { kind: "random"; afterSteps: number; delayMs: number };

/** One round: a pi with tasks, killed and resumed. */
export interface CrashPlan {
  round: number;
  /** Its row in the table of counts. */
  row: string;
  tasks: number;
  /** The parent's run goes on until its children end; otherwise it is idle by then. */
  isBusy: boolean;
  /** The last child ends with an error of its model. */
  lastFails: boolean;
  moment: CrashMoment;
  /** The pi that resumes the session is killed too, where it gets so far. */
  again?: CrashMoment;
}

/** Steps with the name each has in the issue. */
export const NAMED_POINTS: Readonly<Record<TaskStepKind, string>> = {
  "record-temp-written": "after temp write",
  "record-renamed": "after rename",
  "child-spawned": "after spawn",
  "output-appended": "mid-output",
  "outbox-written": "after outbox write",
  "notice-in-branch": "after the boundary entry",
  "outbox-removing": "before outbox removal",
};
export const IN_COMMAND = "in a child's command";
export const RANDOM = "random moment";
const STEPS = Object.keys(NAMED_POINTS) as TaskStepKind[];
/** Those that a pi reaches when it takes over what a dead one left. */
const IN_RECOVERY = STEPS.filter((step) => step !== "child-spawned" && step !== "output-appended");
/** How often each is reached in the life of one task that ends well. */
const TIMES: Readonly<Record<TaskStepKind, number>> = {
  "record-temp-written": 3,
  "record-renamed": 3,
  "child-spawned": 1,
  "output-appended": 3,
  "outbox-written": 1,
  "notice-in-branch": 1,
  "outbox-removing": 1,
};
/** Two writes of the record, the start, and the first output. */
const STEPS_BEFORE_COMMANDS = 6;
const STEPS_A_TASK = Object.values(TIMES).reduce((sum, times) => sum + times, 0);

/** `each` rounds for every named point and `random` rounds at random moments, mixed. */
export function planCrashes(options: { seed: number; each: number; random: number }): CrashPlan[] {
  const points: PointKind[] = [...STEPS, IN_COMMAND];
  const named = points.flatMap((point) => Array.from({ length: options.each }, (): PointKind => point));
  const wanted: PointKind[] = [...named, ...Array.from({ length: options.random }, (): PointKind => RANDOM)];
  const random = randomFrom(options.seed);
  const order = wanted.map((point) => ({ point, key: random() })).toSorted((a, b) => a.key - b.key);
  return order.map(({ point }, round) => planRound(round, point, randomFrom(options.seed + 1 + round)));
}

type PointKind = TaskStepKind | typeof IN_COMMAND | typeof RANDOM;

function planRound(round: number, point: PointKind, random: () => number): CrashPlan {
  const upTo = (count: number): number => 1 + Math.floor(random() * count);
  const tasks = upTo(3);
  const lastFails = random() < 0.25;
  const row = point === RANDOM || point === IN_COMMAND ? point : NAMED_POINTS[point];
  const plan = { round, row, tasks, isBusy: random() < 0.5, lastFails };
  const moment = momentOf(point, { tasks, lastFails }, random);
  if (random() > 1 / 3) return { ...plan, moment };
  const again: CrashMoment =
    random() < 0.5
      ? {
          kind: "named",
          step: IN_RECOVERY[upTo(IN_RECOVERY.length) - 1] as TaskStepKind,
          occurrence: upTo(2),
        }
      : randomMoment(STEPS_A_TASK, random);
  return { ...plan, moment, again };
}

function momentOf(
  point: PointKind,
  { tasks, lastFails }: Pick<CrashPlan, "tasks" | "lastFails">,
  random: () => number,
): CrashMoment {
  if (point === RANDOM) return randomMoment(STEPS_A_TASK * tasks, random);
  if (point === IN_COMMAND)
    return { kind: "random", afterSteps: STEPS_BEFORE_COMMANDS * tasks, delayMs: random() * 250 };
  const missing = point === "output-appended" && lastFails ? 1 : 0;
  const times = TIMES[point] * tasks - missing;
  return { kind: "named", step: point, occurrence: 1 + Math.floor(random() * times) };
}

/** Half of them close to a step, half anywhere until the next. */
function randomMoment(steps: number, random: () => number): CrashMoment {
  const afterSteps = Math.floor(random() * steps);
  return { kind: "random", afterSteps, delayMs: random() * (random() < 0.5 ? 30 : 1_000) };
}

/** Numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
