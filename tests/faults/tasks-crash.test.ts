/** A pi killed with SIGKILL in the middle of background tasks (spec 6, 25); `pnpm test:crash` plays many more rounds. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { CrashLab, countRows } from "./crash/lab.ts";
import { IN_COMMAND, NAMED_POINTS, planCrashes, RANDOM } from "./crash/plan.ts";

const SEED = 20_250_925;

let lab: CrashLab;

beforeAll(async () => {
  lab = await CrashLab.open();
});

afterAll(() => lab.close());

test("a session whose pi is killed at any point of a task's life strands, loses and doubles nothing", async () => {
  const reports = await lab.play(planCrashes({ seed: SEED, each: 1, random: 10 }));
  expect(reports.filter(({ problems }) => problems.length > 0)).toEqual([]);
  const rounds = countRows(reports).map(({ row, rounds: count }) => [row, count] as const);
  const expected = [...[...Object.values(NAMED_POINTS), IN_COMMAND].map((row) => [row, 1]), [RANDOM, 10]];
  expect(rounds.toSorted()).toEqual(expected.toSorted());
}, 600_000);
