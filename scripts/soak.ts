/**
 * `soak [--programs N] [--played N] [--real N]`: thousands of programs on each vessel, and hundreds of children, in one pi
 * process each, and what that process holds before and after, beside a pi that calls the same tool itself. Exits with 1
 * when anything is left.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Step } from "../tests/fixtures/steps-script.ts";
import { PiHome, program as programCall } from "../tests/pi/real-pi.ts";
import { RpcPi } from "../tests/pi/rpc-pi.ts";
import { PI_CLI } from "./sandbox-home.ts";
import type { Gauge } from "./soak/gauge.ts";

const option = (value: string) => ({ type: "string", default: value }) as const;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg, index) => index > 0 || arg !== "--"),
  options: { programs: option("2000"), played: option("200"), real: option("20") },
});

/** Programs of one answer of the model. */
const AT_ONCE = 8;
/** Children of one program. */
const FAN_OUT = 4;
/** Before the first look, so that caches, compilers and spares are there. */
const WARM_UP = 80;
/** What pi and the session keep of thousands of results. */
const MAX_HEAP_MIB = 48;
/** By how much more than with direct calls the resident memory may grow: by this much, and this many times. */
const MORE_RESIDENT_MIB = 96;
const MORE_RESIDENT = 2;

type Calls = Extract<Step, object>;

/** One pi and what its model calls. */
interface Course {
  name: string;
  settings: object;
  warmUp: Calls;
  calls: Calls;
  /** Calls of one answer of the model. */
  atOnce: number;
}

const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);
const reading = (): { name: string; args: object } =>
  programCall(
    `const { content } = await tools.read({ path: "note.txt" }); console.log(content.length); return content[0].text`,
  );
/** `folder` tells the command which kind of child to be. */
const dispatching = (folder: "played" | "real"): { name: string; args: object } =>
  programCall(
    `const all = await Promise.all(Array.from({ length: ${FAN_OUT} }, () => tools["pi.dispatch"]({ task: "say done", cwd: "${folder}" })));
    const failed = all.find(({ status }) => status !== "fulfilled"); if (failed) throw new Error(failed.errorMessage); return all.length`,
  );
const fanOuts = (folder: "played" | "real", children: string): { name: string; args: object }[] =>
  times(Math.ceil(Number(children) / FAN_OUT), () => dispatching(folder));
const direct: Course = {
  name: "direct calls",
  settings: {},
  warmUp: times(WARM_UP, () => ({ name: "read", args: { path: "note.txt" } })),
  calls: times(Number(values.programs), () => ({ name: "read", args: { path: "note.txt" } })),
  atOnce: AT_ONCE,
};
const programs = (name: string, settings: object): Course => ({
  name,
  settings,
  warmUp: times(WARM_UP, reading),
  calls: times(Number(values.programs), reading),
  atOnce: AT_ONCE,
});

/** Children that play their part in a shell, and real pis. */
function writeCommand(home: PiHome): string {
  const path = join(home.home.root, "soak-child.sh");
  const usage = '{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"total":0.01}}';
  const message = `{"role":"assistant","stopReason":"stop","usage":${usage},"content":[{"type":"text","text":"done"}]}`;
  const lines = [
    "#!/bin/sh",
    `case "$PWD" in */real) exec '${process.execPath}' '${PI_CLI}' "$@";; esac`,
    "cat > /dev/null",
    `echo '{"type":"agent_start"}'`,
    `echo '{"type":"message_end","message":${message}}'`,
    `echo '{"type":"agent_settled","aborted":false}'`,
  ];
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o755 });
  return path;
}

/** Plays the course in one pi, and gives what that pi held before and after. */
async function play(home: PiHome, { settings, warmUp, calls, atOnce }: Course): Promise<[Gauge, Gauge]> {
  const gaugePath = join(home.home.root, "gauge.jsonl");
  writeFileSync(gaugePath, "");
  home.settings({ ...settings, command: writeCommand(home) });
  const inSteps = (all: Calls): Step[] => {
    const left = [...all];
    return times(Math.ceil(left.length / atOnce), () => left.splice(0, atOnce));
  };
  const steps = [...inSteps(warmUp), "warm", ...inSteps(calls), "done"];
  const pi = new RpcPi(home, {
    steps,
    extensions: ["../../scripts/soak/gauge.ts"],
    env: { FAUX_SCRIPT: join(import.meta.dirname, "soak/model-script.ts"), SOAK_GAUGE: gaugePath },
  });
  for (const expected of [warmUp, calls]) {
    const ends = await pi.prompt();
    const failed = ends.find(({ isError }) => isError);
    if (failed) throw new Error(`a call failed: ${failed.text}`);
    if (ends.length !== expected.length)
      throw new Error(`${ends.length} of ${expected.length} calls were made: ${pi.stderr}`);
    pi.events.length = 0;
    await pi.send({ type: "prompt", message: "/soak-gauge" });
  }
  if ((await pi.close()) !== 0) throw new Error(`pi failed: ${pi.stderr}`);
  if (pi.others().length > 0) throw new Error(`processes are left: ${pi.others().join()}`);
  const lines = readFileSync(gaugePath, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Gauge) as [Gauge, Gauge];
}

/** What a course may add to the heap and to the resident memory, in MiB. */
interface Growth {
  heapMiB: number;
  residentMiB: number;
}

/** Prints what changed; false when something is left. */
function report({ name, calls }: Course, [before, after]: [Gauge, Gauge], may: Growth): boolean {
  const problems: string[] = [];
  const counts = (["children", "threads", "descriptors", "timers", "tempFiles"] as const).map((what) => {
    // One spare or one compiler more or less is no leak.
    if (after[what] > before[what] + 2) problems.push(`${what} rose from ${before[what]} to ${after[what]}`);
    return `${what} ${before[what]} -> ${after[what]}`;
  });
  for (const what of ["heapMiB", "residentMiB"] as const) {
    if (after[what] > before[what] + may[what])
      problems.push(`${what} grew by more than ${may[what].toFixed(0)}`);
    counts.push(`${what} ${before[what].toFixed(0)} -> ${after[what].toFixed(0)}`);
  }
  console.log(`soak ${name}: ${calls.length} calls; ${counts.join(", ")}`);
  for (const problem of problems) console.log(`  ${problem}`);
  return problems.length === 0;
}

const home = await PiHome.open();
writeFileSync(join(home.home.agentDir, "settings.json"), withSetting({ compaction: { enabled: false } }));
writeFileSync(join(home.home.cwd, "note.txt"), "a note\n");
for (const folder of ["played", "real"]) mkdirSync(join(home.home.cwd, folder));
const courses: Course[] = [
  programs("programs in processes", { isolation: "process" }),
  programs("programs in threads", { isolation: "thread" }),
  programs("programs in QuickJS", { engine: "quickjs" }),
  {
    name: `${values.played} played and ${values.real} real children`,
    settings: {},
    warmUp: [dispatching("played"), dispatching("real")],
    calls: [...fanOuts("played", values.played), ...fanOuts("real", values.real)],
    // Eight children at once, as many as a session may have.
    atOnce: 8 / FAN_OUT,
  },
];
const [before, after] = await play(home, direct);
const grown = after.residentMiB - before.residentMiB;
const may: Growth = { heapMiB: MAX_HEAP_MIB, residentMiB: MORE_RESIDENT * grown + MORE_RESIDENT_MIB };
report(direct, [before, after], { heapMiB: Infinity, residentMiB: Infinity });
for (const course of courses) if (!report(course, await play(home, course), may)) process.exitCode = 1;
home.close();

/** pi's settings with one more; the packages in them stay. */
function withSetting(more: object): string {
  const path = join(home.home.agentDir, "settings.json");
  return JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), ...more });
}
