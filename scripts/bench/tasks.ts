/** `bench tasks`: what the store of background tasks costs beside the bare file system. */

import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as typebox from "typebox";
import * as typeboxCompile from "typebox/compile";
import * as typeboxValue from "typebox/value";
import { monotonicFactory } from "ulid";
import { Outbox } from "../../src/tasks/outbox.ts";
import { readOutput } from "../../src/tasks/output-window.ts";
import { createOwner } from "../../src/tasks/owner.ts";
import { moveTask, type TaskRecord, type TaskStatus } from "../../src/tasks/record.ts";
import { recordText } from "../../src/tasks/record-file.ts";
import { createRecordCheck } from "../../src/tasks/record-schema.ts";
import { type TaskQuery, TaskStore } from "../../src/tasks/task-store.ts";
import { TaskWriter } from "../../src/tasks/task-writer.ts";
import { figure, median, note } from "./figures.ts";

const RECORDS = 10_000;
const LIST_PAIRS = 25;
const FINISH_PAIRS = 100;
const TRANSITIONS = 1_000;
const BLOCK = 50;
const OUTPUT_BYTES = 1_200_000_000;
const WINDOW_BYTES = 65_536;
const WINDOW_READS = 50;
const MIB = 1_048_576;
/** Ends as they come in a session where most goes well. */
const ENDS: readonly TaskStatus[] = [
  "succeeded",
  "succeeded",
  "succeeded",
  "failed",
  "canceled",
  "succeeded",
  "lost",
];

const check = createRecordCheck({ typebox, typeboxCompile, typeboxValue });
const owner = createOwner();
const newId = monotonicFactory();

export async function benchTasks(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "ptc-bench-tasks-"));
  try {
    const full = join(root, "tasks", "full");
    fill(full, RECORDS);
    await benchList(full);
    await benchFinish(full, join(root, "tasks", "empty"));
    await benchTransitions(root);
    benchWindow(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const storeIn = (folder: string): TaskStore => new TaskStore({ folder, check });

async function benchList(folder: string): Promise<void> {
  const cold: [name: string, limit: number, query: TaskQuery][] = [
    ["list-cold", 1.5, { limit: 100 }],
    ["list-cold-failed", 8, { statuses: ["failed"], limit: 100 }],
    ["list-cold-running-of-none", 8, { statuses: ["running"], limit: 100 }],
  ];
  for (const [name, limit, query] of cold) {
    const ours: number[] = [];
    const readdir: number[] = [];
    for (let pair = 0; pair < LIST_PAIRS; pair += 1) {
      readdir.push(await timed(() => readdirSync(folder)));
      ours.push(await timed(() => storeIn(folder).page(query)));
    }
    note("tasks/readdir-10000", median(readdir), "ms");
    note(`tasks/${name}`, median(ours), "ms");
    compare(name, { ours, theirs: readdir, limit });
  }
  const store = storeIn(folder);
  const queries = [{ limit: 100 }, { statuses: ["running"] as const, limit: 100 }];
  for (const [index, query] of queries.entries()) {
    await store.page(query);
    const warm: number[] = [];
    for (let round = 0; round < LIST_PAIRS; round += 1) warm.push(await timed(() => store.page(query)));
    figure(`tasks/list-warm${index === 0 ? "" : "-running-of-none"}`, median(warm), 5, "ms");
  }
}

/** A task with output and notice, from its last state while it runs to its end on disk. */
async function benchFinish(full: string, empty: string): Promise<void> {
  const among: number[] = [];
  const alone: number[] = [];
  const [inFull, inEmpty] = [writerIn(full), writerIn(empty)];
  for (let pair = 0; pair < FINISH_PAIRS; pair += 1) {
    const order = pair % 2 === 0 ? [inFull, inEmpty] : [inEmpty, inFull];
    for (const writer of order) {
      const record = recordOf("running");
      await writer.record(record);
      (writer === inFull ? among : alone).push(await timed(() => writer.record(moved(record, "succeeded"))));
    }
  }
  note("tasks/finish-alone", median(alone), "ms");
  compare("finish-among-10000", { ours: among, theirs: alone, limit: 1.2 });
}

/** In small blocks, so that what else the disk does meets both. */
async function benchTransitions(root: string): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  const plain = join(root, "bare");
  mkdirSync(plain);
  const writer = writerIn(join(root, "tasks", "ours"));
  const ways = [
    async () => ours.push(await timed(() => ourTransitions(writer))),
    async () => bare.push(await timed(() => bareTransitions(plain))),
  ];
  for (let block = 0; block < TRANSITIONS / BLOCK; block += 1)
    for (const way of block % 2 === 0 ? ways : ways.toReversed()) await way();
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  note("tasks/1000-bare-writes", sum(bare), "ms");
  note("tasks/1000-transitions", sum(ours), "ms");
  compare("transitions-over-bare", { ours, theirs: bare, limit: 1.3 });
}

/** Tasks that the model stops: start and end. No notice is due, so each is one write. */
async function ourTransitions(writer: TaskWriter): Promise<void> {
  for (let done = 0; done < BLOCK; done += 2) {
    const running = recordOf("running");
    await writer.record(running);
    await writer.record(moved(running, "canceled", { stoppedBy: "model" }));
  }
}

/** The same files: each is made once and replaced once. */
async function bareTransitions(folder: string): Promise<void> {
  for (let done = 0; done < BLOCK; done += 2) {
    const record = recordOf("running");
    await bareWrite(folder, record);
    await bareWrite(folder, moved(record, "canceled", { stoppedBy: "model" }));
  }
}

async function bareWrite(folder: string, record: TaskRecord): Promise<void> {
  const path = join(folder, `${record.id}.json`);
  const file = await open(`${path}.tmp`, "wx", 0o600);
  await file.writeFile(JSON.stringify(record));
  await file.sync();
  await file.close();
  await rename(`${path}.tmp`, path);
}

function benchWindow(root: string): void {
  const path = join(root, "output.log");
  const descriptor = openSync(path, "w");
  ftruncateSync(descriptor, OUTPUT_BYTES);
  closeSync(descriptor);
  const times: number[] = [];
  let mostRead = 0;
  for (let round = 0; round < WINDOW_READS; round += 1) {
    const since = Math.floor((OUTPUT_BYTES / WINDOW_READS) * round);
    const before = bytesRead();
    const startedAt = performance.now();
    const part = readOutput(
      path,
      round % 2 === 0 ? { since, maxBytes: WINDOW_BYTES } : { maxBytes: WINDOW_BYTES },
    );
    times.push(performance.now() - startedAt);
    mostRead = Math.max(mostRead, bytesRead() - before);
    if (!part.ok || part.end - part.start !== WINDOW_BYTES) throw new Error("the window was not read");
  }
  figure("tasks/window-of-1.2-GB", median(times), 20, "ms");
  figure("tasks/window-of-1.2-GB-read", mostRead / MIB, 1, "MiB");
}

/** Bytes this process has read, from whatever it was; what reading this costs is part of it. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

function writerIn(folder: string): TaskWriter {
  const store = storeIn(folder);
  return new TaskWriter({ store, outbox: new Outbox(store), onProblem: (problem) => console.error(problem) });
}

function fill(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let index = 0; index < count; index += 1) {
    const record = {
      ...moved(recordOf("running"), "succeeded"),
      status: ENDS[index % ENDS.length] as TaskStatus,
    };
    writeFileSync(join(folder, `${record.id}.json`), recordText(record));
  }
}

function recordOf(status: TaskStatus): TaskRecord {
  const now = Date.now();
  return {
    schema: 1,
    id: newId(),
    status,
    label: "Review the changes of the last three commits",
    agentName: "reviewer",
    depth: 1,
    createdAt: now,
    startedAt: now,
    transitionAt: now,
    outputBytes: 0,
    spawnSource: { kind: "model", callerId: "call_0123456789abcdef" },
    owner,
    pid: process.pid,
    pidStartedAt: owner.startedAt,
  };
}

function moved(record: TaskRecord, to: TaskStatus, change: object = {}): TaskRecord {
  const end = { outputBytes: 4_096, outputPreview: "x".repeat(2_048), reportChannel: "none" } as const;
  const movement = moveTask(record, to, Date.now(), { ...(to === "succeeded" ? end : {}), ...change });
  if (!movement.ok) throw new Error(movement.problem);
  return movement.record;
}

async function timed(run: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** The median of the pairs, and the fastest of each beside it, which a busy machine distorts least. */
function compare(
  name: string,
  { ours, theirs, limit }: { ours: readonly number[]; theirs: readonly number[]; limit: number },
): void {
  const ratios = ours.map((value, index) => value / (theirs[index] as number));
  figure(`tasks/${name}`, median(ratios), limit, "x");
  note(`tasks/${name}-fastest`, Math.min(...ours) / Math.min(...theirs), "x");
}
