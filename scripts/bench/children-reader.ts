/**
 * `children/reader-*`: what it costs to take a child's output apart, beside `split` and `JSON.parse` of the same bytes
 * in memory; that the time grows with the bytes; and the memory a line without end takes.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ChildFold } from "../../src/children/fold-events.ts";
import { LineReader } from "../../src/children/line-reader.ts";
import { type ChildPlan, startChild } from "../../src/children/start-child.ts";
import { figure, median, note } from "./figures.ts";

const MiB = 1_048_576;
/** What a read from a pipe gives at most. */
const CHUNK_BYTES = 65_536;
const BYTES = 64 * MiB;
const PAIRS = 15;
/** Double the bytes, double the time; the rest is for what a measurement scatters. */
const GROWTH = 2.2;
const ENDLESS_BYTES = 500 * MiB;
/** Argument that makes this file the process which reads a line without end. */
const ENDLESS = "endless-line";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

export function benchReader(): void {
  for (const lines of [8, 100_000]) measureAgainstParse(lines);
  measureGrowth(8);
  measureGrowth(100_000);
  measureEndlessLine();
}

function measureAgainstParse(lines: number): void {
  const bytes = events(BYTES, lines);
  const pairs = measurePairs(
    () => parseAll(bytes),
    () => readAll(bytes),
  );
  note(`children/reader-64mib-${lines}-lines`, median(pairs.map(([, read]) => read)), "ms");
  const ratio = median(pairs.map(([floor, read]) => read / floor));
  figure(`children/reader-vs-parse-${lines}-lines`, ratio, 1.5, "x");
}

/** Twice the bytes in lines twice as long, or in twice as many. */
function measureGrowth(lines: number): void {
  const half = events(BYTES / 2, lines);
  const wholes = { longer: events(BYTES, lines), more: events(BYTES, lines * 2) };
  for (const [name, whole] of Object.entries(wholes)) {
    const pairs = measurePairs(
      () => readAll(half),
      () => readAll(whole),
    );
    const ratio = median(pairs.map(([single, double]) => double / single));
    figure(`children/reader-doubled-${lines}-lines-${name}`, ratio, GROWTH, "x");
  }
}

/** Processor time of the two in milliseconds, side by side, the first pair to warm up. Which goes first changes. */
function measurePairs(one: () => void, other: () => void): [one: number, other: number][] {
  const pairs = Array.from({ length: PAIRS + 1 }, (_, pair): [number, number] => {
    if (pair % 2 === 0) return [cpuMs(one), cpuMs(other)];
    const second = cpuMs(other);
    return [cpuMs(one), second];
  });
  return pairs.slice(1);
}

/** In a process of its own: here, memory that earlier figures left free would be used again unseen. */
function measureEndlessLine(): void {
  const args = [import.meta.filename, ENDLESS];
  const { stdout } = spawnSync(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  figure("children/reader-endless-line-memory", Number.parseFloat(stdout), 96, "MiB");
}

/** Prints by how many MiB this process grew at most while a child printed one. */
async function readEndlessLine(): Promise<void> {
  const writer = `
    const chunk = Buffer.alloc(${MiB}, "x");
    let left = ${ENDLESS_BYTES / MiB};
    const write = () => { if (left-- > 0) process.stdout.write(chunk, write); };
    write();`;
  const plan: ChildPlan = {
    command: process.execPath,
    args: ["-e", writer],
    cwd: process.cwd(),
    env: {},
    task: "print a line without end",
    agentName: "default",
    marker: `bench-${process.pid}`,
    reportExpected: false,
    readOnly: false,
    timeoutMs: 600_000,
    maxTurns: 0,
    maxCostUsd: 0,
    warnings: [],
    dispose: () => undefined,
  };
  const before = process.memoryUsage.rss();
  const result = await startChild(plan).result;
  const { warnings = [] } = result;
  if (!warnings.some((warning) => warning.includes(`${ENDLESS_BYTES} bytes`)))
    throw new Error(`the line was not read to its end: ${JSON.stringify(result)}`);
  console.log((peakBytes() - before) / MiB);
}

/** The peak that `resourceUsage` gives begins with that of the process which started this one. */
function peakBytes(): number {
  const kibibytes = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return Number(kibibytes) * 1_024;
}

/** Ends of tool calls, as pi prints them, of about `total` bytes together. */
function events(total: number, lines: number): Buffer {
  const frame = (index: number, text: string): string =>
    `${JSON.stringify({
      type: "tool_execution_end",
      toolCallId: `call_${index}`,
      toolName: "bash",
      result: {
        content: [{ type: "text", text }],
        structuredContent: { output: text.slice(0, 80), exit_code: 0, truncated: false },
      },
      isError: false,
      durationMs: index,
    })}\n`;
  const line = 'src/main.ts:12: const answer = "forty-two"; // naïve — see §4\n';
  const room = Math.max(0, total / lines - frame(lines, line).length);
  const text = line.repeat(Math.ceil(room / line.length) + 1).slice(0, room);
  return Buffer.from(Array.from({ length: lines }, (_, index) => frame(index, text)).join(""));
}

function readAll(bytes: Buffer): void {
  const fold = new ChildFold();
  const reader = new LineReader({
    onLine: (line) => fold.line(line),
    onSkipped: (reason, skipped) => fold.skipped(reason, skipped),
  });
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    reader.push(bytes.subarray(start, start + CHUNK_BYTES));
  reader.end();
}

function parseAll(bytes: Buffer): void {
  for (const line of bytes.toString().split("\n")) if (line !== "") JSON.parse(line);
}

function cpuMs(run: () => void): number {
  // What the one before left would be collected on this one's time.
  collect();
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

if (process.argv[1] === import.meta.filename && process.argv[2] === ENDLESS) await readEndlessLine();
