/** Two pis in one folder, a clock that steps back, stops that race, and an output of 1.2 GB (spec 6, 26, 27 and 29). */

import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { answer, endedRecord, nextEnd, TaskPlace } from "../tasks/task-kit.ts";
import { TaskTools } from "../tools/task-tools.ts";
import { expectEnd } from "./processes.ts";
import { TaskHost } from "./task-hosts.ts";

let place: TaskPlace;
const hosts: TaskHost[] = [];
beforeEach(() => (place = new TaskPlace()));
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(hosts.splice(0).map((one) => one.end()));
  await place.remove();
});

function host(): TaskHost {
  const made = new TaskHost(place.root);
  hosts.push(made);
  return made;
}

async function started(by: TaskHost, steps: Parameters<TaskPlace["script"]>[0]): Promise<TaskRecord> {
  const { record, problem } = await by.order({ start: place.script(steps) });
  if (!record) throw new Error(problem);
  return record;
}

const ids = (records: readonly { id: string }[] = []): string[] => records.map(({ id }) => id).toSorted();

describe("two pis in one folder", () => {
  test("see each other's tasks, end and tell only their own, and take over once when one is killed", async () => {
    const [one, two, three] = [host(), host(), host()];
    const mine = await started(one, [{ hang: true }]);
    const theirs = await started(two, [{ sleepMs: 300 }, answer("from the second")]);
    await vi.waitFor(() => expect(place.read(mine.id).pid).toBe(mine.pid));
    for (const pi of [one, two, three])
      expect(ids((await pi.order({ list: true })).records)).toEqual(ids([mine, theirs]));
    expect((await one.order({ stop: theirs.id })).problem).toMatch(
      new RegExp(`belongs to another pi that is running \\(process ${two.pid}\\)`),
    );
    expect(await one.order({ recover: true })).toMatchObject({ warnings: [], untold: [] });
    await two.order({ idle: 20_000 });
    expect((await two.order({ list: true })).untold).toEqual([theirs.id]);
    expect((await one.order({ recover: true })).untold).toEqual([]);
    await one.end("SIGKILL");
    const taken = await Promise.all([two.order({ recover: true }), three.order({ recover: true })]);
    expect(taken.flatMap(({ untold }) => untold ?? []).filter((id) => id === mine.id)).toHaveLength(1);
    expect(place.read(mine.id)).toMatchObject({ status: "lost", stopReason: "lost_on_session_restart" });
    await expectEnd(mine.pid as number);
    expect((await two.order({ list: true })).records).toMatchObject([
      { id: theirs.id, status: "succeeded" },
      { id: mine.id, status: "lost" },
    ]);
  });

  test("a pi that is suspended keeps its tasks", async () => {
    const [one, two] = [host(), host()];
    const record = await started(one, [{ hang: true }]);
    process.kill(one.pid, "SIGSTOP");
    expect(await two.order({ recover: true })).toMatchObject({ warnings: [], untold: [] });
    process.kill(one.pid, "SIGCONT");
    expect((await one.order({ list: true })).records).toMatchObject([{ id: record.id, status: "running" }]);
    // Its child would outlive it: it does not watch its parent, as a real one does.
    await one.order({ close: true });
  });
});

describe("a clock that steps back", () => {
  test("by an hour while tasks run changes neither order nor ownership, and no task ends before it began", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const noon = Date.now();
    const tasks = place.tasks();
    const first = await place.start(tasks, [{ sleepMs: 300 }, answer("first")]);
    vi.setSystemTime(noon - 3_600_000);
    const second = await place.start(tasks, [answer("second")]);
    expect(second.id > first.id).toBe(true);
    const other = place.tasks();
    expect(await other.recover()).toEqual([]);
    expect(await tasks.idle(20_000)).toBe(true);
    for (const { id } of [first, second]) {
      const { startedAt, finishedAt = 0, durationMs = -1, transitionAt, status } = place.read(id);
      expect(status).toBe("succeeded");
      expect(finishedAt).toBeGreaterThanOrEqual(startedAt);
      expect(transitionAt).toBe(finishedAt);
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThan(60_000);
    }
    expect((await other.page({ limit: 10 })).records.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(tasks.untold().map(({ id }) => id)).toEqual([first.id, second.id]);
    await tasks.prune({ taskDays: 1, maxTasks: 500 });
    expect((await other.page({ limit: 10 })).records).toHaveLength(2);
  });
});

describe("stops that race with exits", () => {
  test("give each task one end, the one it earned, and free its place once", async () => {
    const tasks = place.tasks();
    const ends: TaskRecord[] = [];
    tasks.onEnd = (record) => void ends.push(record);
    const records: TaskRecord[] = [];
    for (let count = 0; count < 8; count += 1) records.push(await place.start(tasks, [answer("done")]));
    // Each child takes its time to start, so some are stopped before they answer, some while, and some after.
    const waits = [0, 100, 200, 250, 300, 350, 400, 500];
    const replies = await Promise.all(
      records.map(async ({ id }, index) => {
        await new Promise((resolve) => setTimeout(resolve, waits[index]));
        return tasks.stop(id, "race", "model");
      }),
    );
    expect(await tasks.idle(20_000)).toBe(true);
    expect([ids(ends), place.disposed]).toEqual([ids(records), records.length]);
    for (const [index, { id }] of records.entries()) {
      const record = place.read(id);
      expect(["succeeded", "canceled"]).toContain(record.status);
      expect(ends.find((end) => end.id === id)).toEqual(record);
      const reply = replies[index];
      if (reply?.ok === false)
        expect([record.status, reply.problem]).toEqual([
          "succeeded",
          expect.stringContaining("is succeeded already"),
        ]);
      expect(tasks.untold().some((one) => one.id === id)).toBe(record.status === "succeeded");
    }
  });
});

describe("an output of 1.2 GB", () => {
  const SIZE = 1_200_000_000;
  let tools: TaskTools;
  beforeEach(() => (tools = new TaskTools()));
  afterEach(() => tools.remove());

  /** Bytes that this process has read. */
  const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

  test.each([
    ["a window in the middle", { sinceBytes: 600_000_000, maxBytes: 65_536 }, "needle", 600_065_536],
    ["its beginning", { maxBytes: 1_000 }, "", 1_000],
    ["its end, without a window", {}, "the end", undefined],
  ])("is read for %s only there", async (_what, window, found, next) => {
    const record = endedRecord({ outputBytes: SIZE });
    tools.place.write(record);
    mkdirSync(tools.place.at(record.id));
    const descriptor = openSync(tools.place.at(record.id, "output.log"), "w");
    ftruncateSync(descriptor, SIZE);
    writeSync(descriptor, "needle", 600_000_000);
    writeSync(descriptor, "the end", SIZE - 7);
    closeSync(descriptor);
    await tools.call(tools.output, { taskId: record.id, maxBytes: 1 });
    const [before, memory] = [bytesRead(), process.memoryUsage.rss()];
    const { data, text } = await tools.call(tools.output, { taskId: record.id, ...window });
    expect(bytesRead() - before).toBeLessThan(1_048_576);
    expect(process.memoryUsage.rss() - memory).toBeLessThan(128 * 1_048_576);
    expect(data).toMatchObject({ output_bytes: SIZE, output_truncated: true });
    expect(data?.["output"]).toContain(found);
    expect(data?.["next_offset"]).toBe(next);
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
  });
});

test("a task of a pi in this process is told once, whoever recovers beside it", async () => {
  const [tasks, other] = [place.tasks(), place.tasks()];
  const ended = nextEnd(tasks);
  const { id } = await place.start(tasks, [answer("x")]);
  await ended;
  await other.recover();
  expect([tasks.untold().map((one) => one.id), other.untold()]).toEqual([[id], []]);
});
