/**
 * `fuzz [target...] [--cases N] [--seed N] [--minutes N]`: tries many inputs on every reader of untrusted data and
 * prints what was tried. Exits with 1 when something broke, with the smallest input that does it.
 */

import { parseArgs } from "node:util";
import { fuzz } from "../tests/fuzz/target.ts";
import { FUZZ_TARGETS } from "../tests/fuzz/targets.ts";

const option = (value: string) => ({ type: "string", default: value }) as const;
const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((arg, index) => index > 0 || arg !== "--"),
  allowPositionals: true,
  options: {
    cases: option("100000"),
    seed: option(String(Date.now() % 1_000_000_000)),
    minutes: option("10"),
  },
});
const settings = {
  cases: Number(values.cases),
  seed: Number(values.seed),
  maxMs: Number(values.minutes) * 60_000,
};

for (const open of FUZZ_TARGETS) {
  const target = open();
  if (positionals.length > 0 && !positionals.some((part) => target.name.includes(part))) {
    target.close?.();
    continue;
  }
  const startedAt = performance.now();
  try {
    const cases = await fuzz(target, settings);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `fuzz ${target.name}: ${cases} cases, seed ${settings.seed}, ${seconds.toFixed(0)} s, 0 failed`,
    );
  } catch (error) {
    process.exitCode = 1;
    console.log(`fuzz ${target.name}: seed ${settings.seed}, 1 failed\n${(error as Error).message}`);
  } finally {
    target.close?.();
  }
}
