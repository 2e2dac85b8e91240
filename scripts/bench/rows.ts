/** `bench rows`: what one redraw costs, what a hundred updates a second cost, and what is left running after them. */

import { setTimeout as sleep } from "node:timers/promises";
import type { SubCallRecord } from "../../src/program/outcome.ts";
import { Pulse } from "../../src/render/pulse.ts";
import { finalDetails, partialDetails } from "../../src/tools/program-details.ts";
import { piRow, type RowSample, useTheme } from "../rows/pi-row.ts";
import { OUTCOME } from "../rows/program-samples.ts";
import { figure, median, note } from "./figures.ts";

const WIDTH = 120;
const REDRAWS = 300;
const CALLS = 10_000;
const VALUE_BYTES = 1_048_576;
const UPDATES_PER_SECOND = 100;
const WARM_UPDATES = 1_500;
const WINDOWS = 3;
const WINDOW_SECONDS = 3;
const TITLE = {
  tool: "ptc_run_code",
  description: "Scan every file of the repository for 漢字",
  source: "x\ny\nz\nw",
} as const;

/** A value of 1 MiB of JSON whose view fills its bound: wide, deep, with texts of several scripts. */
function bigValue() {
  const leaf = (at: number) => ({
    file: `src/模块/file-${at}.ts`,
    line: at,
    tags: ["a", "b", "c"],
    note: "é".repeat(60),
  });
  const groups: Record<string, ReturnType<typeof leaf>[]> = {};
  let size = 0;
  for (let group = 0; size < VALUE_BYTES; group += 1) {
    const items = Array.from({ length: 40 }, (_, at) => leaf(group * 40 + at));
    groups[`group ${group}`] = items;
    size += Buffer.byteLength(JSON.stringify(items));
  }
  return groups;
}

const calls = (count: number, openFrom = count): SubCallRecord[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: id % 3 === 0 ? "bash" : "read",
    args: `src/模块/file-${id}.ts`,
    status: id >= openFrom ? "running" : id % 50 === 0 ? "error" : "ok",
    startedMs: id,
    ...(id >= openFrom ? { partial: "compiling…" } : { durationMs: 12 }),
    ...(id % 50 === 0 ? { error: "Command exited with code 1" } : {}),
  }));

export async function benchRows(): Promise<void> {
  useTheme("dark");
  const timersBefore = liveTimers();
  redraws();
  await updates();
  figure("rows/timers-left", liveTimers() - timersBefore, 0, "");
}

/** Timers that keep a process alive, and those that do not. */
const liveTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate").length;

function redraws(): void {
  const value = bigValue();
  const outcome = {
    ...OUTCOME,
    value,
    subCalls: calls(CALLS),
    calls: { total: CALLS, failed: 200 },
    warnings: ["a"],
  };
  const making = timed(20, () => finalDetails(TITLE, outcome, { warnings: [], childCost: 1 }));
  note("rows/making-details", median(making), "ms");
  const details = finalDetails(TITLE, outcome, { warnings: [], childCost: 1 });
  for (const [name, given] of [
    ["10000-calls-1-MiB", details],
    // More than any details of ours hold: what an old or foreign writer might have left.
    ["10000-records-in-details", { ...details, subCalls: calls(CALLS) }],
  ] as const)
    for (const isExpanded of [false, true]) {
      const row = piRow(sample(given, { isExpanded }));
      const result = { content: [], isError: false };
      const times = timed(REDRAWS, () => {
        row.updateResult({ ...result, details: { ...given } });
        row.render(WIDTH);
      });
      figure(`rows/redraw-${name}${isExpanded ? "-expanded" : ""}`, median(times), 2, "ms");
      note(`rows/redraw-${name}-slowest`, Math.max(...times.slice(20)), "ms");
    }
}

const sample = (details: unknown, more: Partial<RowSample> = {}): RowSample => ({
  name: "bench",
  tool: "program",
  args: { description: TITLE.description, code: "" },
  result: { content: [], details },
  ...more,
});

function timed(times: number, run: () => void): number[] {
  return Array.from({ length: times }, () => {
    const startedAt = performance.now();
    run();
    return performance.now() - startedAt;
  });
}

/** A running program's updates as a session makes them, with the shimmer beside them. */
async function updates(): Promise<void> {
  const pulse = new Pulse();
  const end = pulse.begin("bench");
  const subCalls = calls(200, 150);
  const row = piRow(sample(undefined, { isPartial: true }), pulse);
  let at = 0;
  const update = (): void => {
    at += 1;
    const progress = {
      subCalls,
      calls: { total: CALLS, failed: 40 },
      phases: ["Read"],
      narrations: [`file ${at}`],
      logs: [],
      elapsedMs: at * 10,
    };
    row.updateResult({ content: [], details: partialDetails(TITLE, progress), isError: false }, true);
    row.render(WIDTH);
  };
  // As in a session that has run for a while: what is being compiled is no cost of rows.
  for (let warm = 0; warm < WARM_UPDATES; warm += 1) update();
  const shares: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) shares.push(await shareOfCore(update));
  figure(`rows/${UPDATES_PER_SECOND}-updates-a-second`, median(shares), 10, "%");
  end();
  row.updateResult({
    content: [],
    details: finalDetails(TITLE, OUTCOME, { warnings: [], childCost: 0 }),
    isError: false,
  });
  pulse.close();
}

/** Share of one core in percent, all threads of the process together, at the rate that is asked for. */
async function shareOfCore(update: () => void): Promise<number> {
  let done = 0;
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const timer = setInterval(() => {
    done += 1;
    update();
  }, 1_000 / UPDATES_PER_SECOND);
  await sleep(WINDOW_SECONDS * 1_000);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  // The timer of a busy machine comes late, so the share is scaled to the full rate.
  return ((user + system) / 1e4 / seconds) * (UPDATES_PER_SECOND / (done / seconds));
}
