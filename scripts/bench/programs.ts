/** `bench programs`: the costs of one program, paired with pi's own codemode in the same pi process. */

import { PiHome } from "../../tests/pi/real-pi.ts";
import type { Step } from "../../tests/fixtures/steps-script.ts";
import { codemode, playBench, program } from "./bench-pi.ts";
import { figure, median, note } from "./figures.ts";
import { measureRoundTrips } from "./floor.ts";
import type { CallRecord } from "./recorder.ts";
import { measureSpareMemory } from "./spare-memory.ts";
import { measureStart } from "./start.ts";

const PAIRS = 15;
const HEAVY_PAIRS = 5;

const SEQUENTIAL = "for (let i = 0; i < 1000; i++) await tools.noop({}); return 1";
const PARALLEL = "await Promise.all(Array.from({ length: 1000 }, () => tools.noop({}))); return 1";
/** The loop of the arithmetic figure: five million steps of integer arithmetic. */
const ARITHMETIC = "let x = 1; for (let i = 0; i < 5000000; i++) x = (x * 31 + i) % 1000003; return x";
const ONE_STRING = 'return "x".repeat(10485760)';
const MANY_OBJECTS = "return Array.from({ length: 330000 }, (_, i) => ({ id: i, name: 'name ' + i }))";
const logLines = (count: number): string =>
  `for (let i = 0; i < ${count}; i++) console.log("line number " + i); return 1`;

type NodeVessel = "process" | "thread";

interface Limits {
  spare: number;
  noSpare: number;
  addedUs: number;
  addedTimes: number;
  sequential: number;
  parallel: number;
  spareMiB: number;
}

const LIMITS: Record<NodeVessel, Limits> = {
  process: {
    spare: 0.15,
    noSpare: 0.65,
    addedUs: 200,
    addedTimes: 4,
    sequential: 0.3,
    parallel: 0.2,
    spareMiB: 32,
  },
  thread: {
    spare: 0.05,
    noSpare: 0.65,
    addedUs: 150,
    addedTimes: 3,
    sequential: 0.25,
    parallel: 0.2,
    spareMiB: 20,
  },
};

export async function benchPrograms(): Promise<void> {
  const home = await PiHome.open();
  try {
    for (const vessel of ["process", "thread"] as const) {
      await benchSmall(home, vessel);
      await benchCalls(home, vessel);
      await benchOutput(home, vessel);
      const { spareMiB } = LIMITS[vessel];
      figure(
        `programs/${vessel}/idle-spare-pss`,
        await measureSpareMemory(home, { isolation: vessel }),
        spareMiB,
        "MiB",
      );
    }
  } finally {
    home.close();
  }
  await measureStart();
}

async function benchSmall(home: PiHome, vessel: NodeVessel): Promise<void> {
  const area = `programs/${vessel}`;
  const steps = repeat(PAIRS, [codemode("return 1"), program("return 1")]);
  const warm = await playBench(home, { settings: { isolation: vessel }, steps });
  const theirs = median(ofCodemode(warm));
  note(`${area}/codemode-return-1`, theirs, "ms");
  note(`${area}/return-1`, median(ofPrograms(warm)), "ms");
  figure(`${area}/return-1-spare`, median(ofPrograms(warm)) / theirs, LIMITS[vessel].spare, "x");
  const cold = await playBench(home, { settings: { isolation: vessel, limits: { spares: 0 } }, steps });
  note(`${area}/return-1-without-spare-ms`, median(ofPrograms(cold)), "ms");
  figure(
    `${area}/return-1-without-spare`,
    median(ofPrograms(cold)) / median(ofCodemode(cold)),
    LIMITS[vessel].noSpare,
    "x",
  );
}

async function benchCalls(home: PiHome, vessel: NodeVessel): Promise<void> {
  const area = `programs/${vessel}`;
  const limits = LIMITS[vessel];
  const settings = { isolation: vessel };
  const hostLoop = (parallel: boolean): Step => [{ name: "host_loop", args: { parallel } }];
  const round = [program("return 1"), program(SEQUENTIAL), codemode(SEQUENTIAL), hostLoop(false)];
  const sequential = columns(await playBench(home, { settings, steps: repeat(HEAVY_PAIRS, round) }), 4);
  const [small, ours, theirs, host] = sequential.map(median) as [number, number, number, number];
  note(`${area}/1000-sequential`, ours, "ms");
  note(`${area}/1000-sequential-host-alone`, host, "ms");
  note(`${area}/floor-round-trip`, (await measureRoundTrips(vessel)) * 1000, "us");
  figure(`${area}/added-per-call`, ours - small - host, limits.addedUs, "us");
  figure(`${area}/call-over-host`, (ours - small) / host, limits.addedTimes, "x");
  figure(`${area}/1000-sequential-over-codemode`, ours / theirs, limits.sequential, "x");
  const pair = [program(PARALLEL), codemode(PARALLEL), program(ARITHMETIC), codemode(ARITHMETIC)];
  const parallel = columns(await playBench(home, { settings, steps: repeat(HEAVY_PAIRS, pair) }), 4);
  const [oursAll, theirsAll, oursMath, theirsMath] = parallel.map(median) as [number, number, number, number];
  note(`${area}/1000-parallel`, oursAll, "ms");
  figure(`${area}/1000-parallel-over-codemode`, oursAll / theirsAll, limits.parallel, "x");
  figure(`${area}/arithmetic-over-codemode`, oursMath / theirsMath, 0.1, "x");
}

async function benchOutput(home: PiHome, vessel: NodeVessel): Promise<void> {
  const area = `programs/${vessel}`;
  const settings = { isolation: vessel };
  const steps = repeat(3, [program(ONE_STRING), program(MANY_OBJECTS)]);
  const records = await playBench(home, { settings, steps });
  const stalls = [0, 1].map((column) =>
    median(records.filter((_, index) => index % 2 === column).map((record) => record.stallMs)),
  );
  figure(`${area}/10-MiB-string-stall`, stalls[0] as number, 60, "ms");
  figure(`${area}/330000-objects-stall`, stalls[1] as number, 60, "ms");
  const logs = repeat(3, [program(logLines(50_000)), program(logLines(100_000))]);
  const logged = await playBench(home, { settings, steps: logs });
  const [half, full] = columns(logged, 2).map(median) as [number, number];
  note(`${area}/100000-log-lines`, full, "ms");
  figure(`${area}/log-lines-linear`, full / half, 2.3, "x");
  figure(
    `${area}/100000-log-lines-memory`,
    Math.max(...logged.map((record) => record.growthMiB)),
    100,
    "MiB",
  );
}

const repeat = <Item>(times: number, items: readonly Item[]): Item[] =>
  Array.from({ length: times }, () => items).flat();
const times = (records: readonly CallRecord[], name: string): number[] =>
  records.filter((record) => record.name === name).map((record) => record.ms);
const ofCodemode = (records: readonly CallRecord[]): number[] => times(records, "codemode");
const ofPrograms = (records: readonly CallRecord[]): number[] => times(records, "ptc_run_code");

/** Times of calls made in rounds of `width`, one list a place in the round. */
function columns(records: readonly CallRecord[], width: number): number[][] {
  return Array.from({ length: width }, (_, column) =>
    records.filter((_record, index) => index % width === column).map((record) => record.ms),
  );
}
