/**
 * `crash [--seed N] [--each N] [--random N] [--round N] [--minutes N]`: kills real pis in the middle of background tasks,
 * resumes them, and prints how often and with what result. Exits with 1 when anything was lost, doubled or left.
 */

import { parseArgs } from "node:util";
import { countRows, CrashLab } from "../tests/faults/crash/lab.ts";
import { planCrashes } from "../tests/faults/crash/plan.ts";
import type { RoundReport } from "../tests/faults/crash/round.ts";

const option = (value: string) => ({ type: "string", default: value }) as const;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg, index) => index > 0 || arg !== "--"),
  options: {
    seed: option(String(Date.now() % 1_000_000)),
    each: option("10"),
    random: option("130"),
    minutes: option("120"),
    round: { type: "string" },
  },
});

function say({ plan, problems, lastStep }: RoundReport): void {
  if (problems.length === 0) return;
  console.log(`round ${plan.round} of seed ${values.seed} (${JSON.stringify(plan)}, after ${lastStep}):`);
  for (const problem of problems) console.log(`  ${problem}`);
}

const plans = planCrashes({
  seed: Number(values.seed),
  each: Number(values.each),
  random: Number(values.random),
}).filter(({ round }) => values.round === undefined || round === Number(values.round));
const interrupted = new AbortController();
// Rounds that are being played are played to their end, and what was played is counted.
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupted.abort());
const lab = await CrashLab.open();
const startedAt = performance.now();
const reports = await lab.play(plans, {
  onReport: say,
  signal: AbortSignal.any([AbortSignal.timeout(Number(values.minutes) * 60_000), interrupted.signal]),
});
await lab.close();
const seconds = (performance.now() - startedAt) / 1_000;
const line = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell, index) => String(cell)[index === 0 ? "padEnd" : "padStart"](index === 0 ? 26 : 13)).join(" | ")} |`;
console.log(line(["killed", "rounds", "killed again", "failed"]));
for (const { row, rounds, again, failed } of countRows(reports).toSorted((a, b) => a.rounds - b.rounds))
  console.log(line([row, rounds, again, failed]));
const failed = reports.filter(({ problems }) => problems.length > 0).length;
console.log(line(["all", reports.length, reports.filter(({ crashes }) => crashes > 1).length, failed]));
console.log(
  `seed ${values.seed}, ${reports.length} of ${plans.length} rounds in ${seconds.toFixed(0)} s, ${failed} failed`,
);
process.exitCode = failed > 0 || reports.length < plans.length ? 1 : 0;
