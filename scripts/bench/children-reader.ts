/**
 * `children/reader-*`: what it costs to take a child's output apart, beside `split` and `JSON.parse` of the same bytes
 * in memory; that the time grows with the bytes; and the memory a line without end takes.
 */

import { once } from "node:events";
import { spawn, spawnSync } from "node:child_process";
import { ChildFold } from "../../src/children/fold-events.ts";
import { LineReader } from "../../src/children/line-reader.ts";
import { figure, median, note } from "./figures.ts";

const MiB = 1_048_576;
/** What a read from a pipe gives at most. */
const CHUNK_BYTES = 65_536;
const BYTES = 64 * MiB;
const PAIRS = 7;
const ENDLESS_BYTES = 500 * MiB;
/** Argument that makes this file the process which reads a line without end. */
const ENDLESS = "endless-line";

export async function benchReader(): Promise<void> {
  for (const lines of [8, 100_000]) measureAgainstParse(lines);
  measureGrowth(8);
  measureGrowth(100_000);
  measureEndlessLine();
}

function measureAgainstParse(lines: number): void {
  const bytes = events(BYTES, lines);
  const ratios: number[] = [];
  const own: number[] = [];
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const floor = timeMs(() => parseAll(bytes));
    const read = timeMs(() => readAll(bytes));
    // The first pair warms both up.
    if (pair === 0) continue;
    ratios.push(read / floor);
    own.push(read);
  }
  note(`children/reader-64mib-${lines}-lines`, median(own), "ms");
  figure(`children/reader-vs-parse-${lines}-lines`, median(ratios), 1.5, "x");
}

/** Twice the bytes in lines twice as long, or in twice as many. */
function measureGrowth(lines: number): void {
  const half = events(BYTES / 2, lines);
  const wholes = { longer: events(BYTES, lines), more: events(BYTES, lines * 2) };
  for (const [name, whole] of Object.entries(wholes)) {
    const singles: number[] = [];
    const doubles: number[] = [];
    for (let pair = 0; pair <= PAIRS; pair += 1) {
      singles.push(cpuMs(() => readAll(half)));
      doubles.push(cpuMs(() => readAll(whole)));
    }
    // Processor time, and the least of each: what else the machine does only ever adds.
    const ratio = Math.min(...doubles) / Math.min(...singles);
    figure(`children/reader-doubled-${lines}-lines-${name}`, ratio, 2.3, "x");
  }
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

/** Prints by how many MiB this process grew. Real bytes through a real pipe: what reading leaves behind counts too. */
async function readEndlessLine(): Promise<void> {
  const writer = `
    const chunk = Buffer.alloc(${MiB}, "x");
    let left = ${ENDLESS_BYTES / MiB};
    const write = () => { if (left-- > 0) process.stdout.write(chunk, write); };
    write();`;
  const child = spawn(process.execPath, ["-e", writer], { stdio: ["ignore", "pipe", "inherit"] });
  const before = process.memoryUsage.rss();
  let peak = before;
  let skippedBytes = 0;
  const reader = new LineReader({
    onLine: () => undefined,
    onSkipped: (_reason, bytes) => (skippedBytes += bytes),
  });
  child.stdout.on("data", (chunk: Buffer) => {
    reader.push(chunk);
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  await once(child.stdout, "end");
  reader.end();
  if (skippedBytes !== ENDLESS_BYTES) throw new Error(`the reader counted ${skippedBytes} bytes`);
  console.log((peak - before) / MiB);
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

function timeMs(run: () => void): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}

function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

if (process.argv[1] === import.meta.filename && process.argv[2] === ENDLESS) await readEndlessLine();
