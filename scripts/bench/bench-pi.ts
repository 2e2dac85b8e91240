/** A real pi for benches: this checkout installed, the scripted model at a model's pace, and the recorder. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PI_CLI } from "../sandbox-home.ts";
import type { PiHome } from "../../tests/pi/real-pi.ts";
import type { Step } from "../../tests/fixtures/steps-script.ts";
import type { CallRecord } from "./recorder.ts";

/** One session: what the model calls, and what `ptc.json` says. */
export interface BenchSession {
  settings: object;
  steps: Step[];
  paceMs?: number;
  extensions?: string[];
}

/**
 * pi's screen, RPC clients and child processes all take every event of a session; JSON mode does so too, and needs no
 * terminal. `BENCH_MODE=print` measures without events instead, which is kinder to tools that report often.
 */
const MODE = process.env["BENCH_MODE"] === "print" ? [] : ["--mode", "json"];

/**
 * Plays a session and returns a record for each call of the model, in order. Where codemode is offered our programs
 * are not: its calls are played in a pi of their own, started right before.
 */
export async function playBench(home: PiHome, session: BenchSession): Promise<CallRecord[]> {
  const isTheirs = (step: Step): boolean => namesOf(step).includes("codemode");
  const theirs = await playOne(home, {
    ...session,
    steps: session.steps.filter(isTheirs),
    settings: { ...session.settings, surfaceMode: "off" },
    args: ["--tools", "+codemode"],
  });
  const ours = await playOne(home, { ...session, steps: session.steps.filter((step) => !isTheirs(step)) });
  return session.steps.flatMap((step) => (isTheirs(step) ? theirs : ours).splice(0, namesOf(step).length));
}

const namesOf = (step: Step): string[] => (Array.isArray(step) ? step.map(({ name }) => name) : []);

async function playOne(home: PiHome, session: BenchSession & { args?: string[] }): Promise<CallRecord[]> {
  if (session.steps.length === 0) return [];
  const path = join(home.home.root, "records.jsonl");
  writeFileSync(path, "");
  home.settings(session.settings);
  const { args, env } = home.command({
    steps: session.steps,
    extensions: ["../../scripts/bench/recorder.ts", ...(session.extensions ?? [])],
    args: session.args,
    env: {
      FAUX_SCRIPT: join(import.meta.dirname, "paced-script.ts"),
      BENCH_RECORDS: path,
      BENCH_PACE_MS: String(session.paceMs ?? 300),
    },
  });
  const pi = spawn(process.execPath, [PI_CLI, ...args, ...MODE, "-p", "go"], {
    cwd: home.home.cwd,
    env: { ...home.home.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(pi, "close")) as [number];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const records = lines.map((line) => JSON.parse(line) as CallRecord);
  const failed = records.find((record) => record.isError);
  if (failed) throw new Error(`a measured call failed: ${failed.name}: ${failed.text}`);
  if (records.length === 0) throw new Error(`pi measured nothing (exit ${code})`);
  return records;
}

export const codemode = (code: string): Step => [{ name: "codemode", args: { code } }];
export const program = (code: string): Step => [
  { name: "ptc_run_code", args: { code, description: "bench" } },
];
