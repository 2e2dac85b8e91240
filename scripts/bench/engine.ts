/** `bench engine`: programs on QuickJS against pi's own codemode in the same pi process, which runs on QuickJS as well. */

import { PiHome } from "../../tests/pi/real-pi.ts";
import { codemode, playBench, program } from "./bench-pi.ts";
import { figure, median, note } from "./figures.ts";
import type { CallRecord } from "./recorder.ts";
import { measureSpareMemory } from "./spare-memory.ts";

const PAIRS = 15;
const HEAVY_PAIRS = 5;
const SETTINGS = { engine: "quickjs" } as const;
const SEQUENTIAL = "for (let i = 0; i < 1000; i++) await tools.noop({}); return 1";
const ARITHMETIC = "let x = 1; for (let i = 0; i < 5000000; i++) x = (x * 31 + i) % 1000003; return x";

export async function benchEngine(): Promise<void> {
  const home = await PiHome.open();
  try {
    const small = repeat(PAIRS, [codemode("return 1"), program("return 1")]);
    ratio("return-1-spare", await playBench(home, { settings: SETTINGS, steps: small }), 0.12);
    const cold = { ...SETTINGS, limits: { spares: 0 } };
    ratio("return-1-cold", await playBench(home, { settings: cold, steps: small }), 1.2);
    const heavy = repeat(HEAVY_PAIRS, [codemode(SEQUENTIAL), program(SEQUENTIAL)]);
    ratio("1000-sequential", await playBench(home, { settings: SETTINGS, steps: heavy }), 0.35);
    const sums = repeat(HEAVY_PAIRS, [codemode(ARITHMETIC), program(ARITHMETIC)]);
    const [theirs, ours] = timesOf(await playBench(home, { settings: SETTINGS, steps: sums }));
    note("engine/arithmetic-codemode", median(theirs), "ms");
    note("engine/arithmetic", median(ours), "ms");
    figure("engine/idle-spare-memory", await measureSpareMemory(home, SETTINGS), 15, "MiB");
  } finally {
    home.close();
  }
}

/** Prints both medians and how they compare, and the same of the fastest, which a busy machine distorts least. */
function ratio(name: string, records: readonly CallRecord[], limit: number): void {
  const [theirs, ours] = timesOf(records);
  note(`engine/${name}-codemode`, median(theirs), "ms");
  note(`engine/${name}-ms`, median(ours), "ms");
  note(`engine/${name}-fastest`, Math.min(...ours) / Math.min(...theirs), "x");
  figure(`engine/${name}`, median(ours) / median(theirs), limit, "x");
}

function timesOf(records: readonly CallRecord[]): [codemode: number[], programs: number[]] {
  const of = (name: string): number[] =>
    records.filter((record) => record.name === name).map((record) => record.ms);
  return [of("codemode"), of("ptc_run_code")];
}

const repeat = <Item>(times: number, items: readonly Item[]): Item[] =>
  Array.from({ length: times }, () => items).flat();
