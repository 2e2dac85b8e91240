/** Children in the background, played by a script (spec 3.1, 3.2; faults 26 and 27). */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { identifyProcess, presenceOf } from "../../src/base/process-identity.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import { answer, assistant, nextEnd, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
let tasks: SessionTasks;
beforeEach(() => {
  place = new TaskPlace();
  tasks = place.tasks();
});
afterEach(() => place.remove());

const START = {
  label: "look around",
  depth: 1,
  source: { kind: "model", callerId: "call-1" },
  parentTaskId: undefined,
} as const;
const notices = (): string[] => (existsSync(place.at("outbox")) ? readdirSync(place.at("outbox")) : []);
const recordOnDisk = (record: TaskRecord): TaskRecord => place.read(record.id);

describe("a task", () => {
  test("is on disk before it starts, and soon with the process that runs it", async () => {
    const steps: [string, number | undefined][] = [];
    tasks.onStep = (step, id) =>
      void steps.push([step, existsSync(place.at(`${id}.json`)) ? place.read(id).pid : undefined]);
    const record = await place.start(tasks, [{ hang: true }]);
    expect(steps.slice(0, 3)).toEqual([
      ["record-temp-written", undefined],
      ["record-renamed", undefined],
      ["child-spawned", undefined],
    ]);
    await vi.waitFor(() =>
      expect(recordOnDisk(record)).toMatchObject({ status: "running", pid: record.pid }),
    );
    expect(recordOnDisk(record)).toMatchObject({
      owner: tasks.owner,
      pidStartedAt: identifyProcess(record.pid as number)?.startedAt,
      outputBytes: 0,
    });
    expect(recordOnDisk(record)).not.toHaveProperty("reportChannel");
    expect([statSync(place.at(record.id)).mode & 0o777, place.disposed]).toEqual([0o700, 0]);
    expect(tasks.running().map((task) => task.record.id)).toEqual([record.id]);
  });

  test("that ends well has its output, usage, code and what it wrote to standard error, and is to be told", async () => {
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [assistant("first"), { err: "a hint" }, answer("last\n")]);
    const record = await ended;
    expect(recordOnDisk(record)).toEqual(record);
    expect(record).toMatchObject({
      id,
      status: "succeeded",
      outputBytes: 12,
      outputPreview: "first\n\nlast\n",
      usage: { input: 20, output: 10, cost: 0.5, turns: 2 },
      reportChannel: "opted-out",
      exitCode: 0,
    });
    expect(record.finishedAt).toBe(record.transitionAt);
    expect([
      readFileSync(place.at(id, "output.log"), "utf8"),
      readFileSync(place.at(id, "stderr.log"), "utf8"),
    ]).toEqual(["first\n\nlast\n", "a hint"]);
    expect([notices(), place.disposed, tasks.running()]).toEqual([[`${id}.json`], 1, []]);
    expect(record).not.toHaveProperty("errorMessage");
  });

  test("shows its output and its size while it runs", async () => {
    const record = await place.start(tasks, [assistant("so far"), { hang: true }]);
    await vi.waitFor(
      () => expect(tasks.find(record.id)).toMatchObject({ record: { outputBytes: 6, status: "running" } }),
      { timeout: 10_000 },
    );
    expect(tasks.output(record, { since: 0, maxBytes: 100 })).toMatchObject({ text: "so far" });
    expect(tasks.progressOf(record.id)).toMatchObject({ turns: 1, lastText: "so far" });
    expect(recordOnDisk(record).outputBytes).toBe(0);
  });

  test("that fails says why, keeps what it said and cost, and is to be told", async () => {
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [assistant("half"), { err: "the reason" }, { exit: 3 }]);
    expect(await ended).toMatchObject({
      status: "failed",
      exitCode: 3,
      outputPreview: "half",
      errorMessage: expect.stringContaining("the reason"),
      usage: { turns: 1 },
      reportChannel: "opted-out",
    });
    expect(notices()).toEqual([`${id}.json`]);
  });

  test("that is read-only, or has warnings, says so", async () => {
    const ended = nextEnd(tasks);
    await place.start(tasks, [answer("x")], { readOnly: true, warnings: ["a tool was dropped"] });
    expect(await ended).toMatchObject({ readOnlyTier: "enforced", warnings: ["a tool was dropped"] });
  });

  test("names the session its child kept", async () => {
    const ended = nextEnd(tasks);
    const record = await place.start(tasks, [{ sleepMs: 50 }, answer("x")]);
    mkdirSync(tasks.childSessionDir(record.id));
    writeFileSync(join(tasks.childSessionDir(record.id), "2026_x.jsonl"), "{}");
    expect(await ended).toMatchObject({
      sessionFile: join(tasks.childSessionDir(record.id), "2026_x.jsonl"),
    });
  });

  test("does not end because whoever is told of ends throws", async () => {
    tasks.onEnd = () => {
      throw new Error("stale");
    };
    const record = await place.start(tasks, [answer("x")]);
    expect(await tasks.idle(20_000)).toBe(true);
    expect(recordOnDisk(record).status).toBe("succeeded");
  });
});

describe("a stop", () => {
  test("goes through stopping to canceled, keeps the first reason, and is not told to the model that asked", async () => {
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [assistant("half"), { hang: true }]);
    await vi.waitFor(() => expect(tasks.find(id)).toMatchObject({ record: { outputBytes: 4 } }), {
      timeout: 10_000,
    });
    expect(await tasks.stop(id, "not needed", "model")).toMatchObject({
      ok: true,
      fromStatus: "running",
      record: { status: "stopping", stopReason: "not needed" },
    });
    expect(await tasks.stop(id, "other", "person")).toMatchObject({
      ok: true,
      fromStatus: "stopping",
      record: { stopReason: "not needed", stoppedBy: "model" },
    });
    const record = await ended;
    expect(record).toMatchObject({
      status: "canceled",
      stopReason: "not needed",
      outputPreview: "half",
      usage: { turns: 1 },
    });
    expect(record).not.toHaveProperty("reportChannel");
    expect([notices(), place.disposed]).toEqual([[], 1]);
    expect(await tasks.stop(id, "again", "model")).toEqual({
      ok: false,
      problem: `task ${id} is canceled already; there is nothing to stop`,
    });
    expect(recordOnDisk(record)).toEqual(record);
  });

  test("by a person is told", async () => {
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [{ hang: true }]);
    await tasks.stop(id, "panel", "person");
    expect(await ended).toMatchObject({ status: "canceled", stoppedBy: "person" });
    expect(notices()).toEqual([`${id}.json`]);
  });

  // A grandchild that holds the pipe puts the child's exit a second before its result.
  test.each([
    ["succeeded", [answer("done")], 0],
    ["failed", [assistant("half")], 3],
  ] as const)("that comes after the exit changes nothing of a task that %s", async (status, steps, code) => {
    const ended = nextEnd(tasks);
    const record = await place.start(tasks, [
      ...steps,
      { helper: { seconds: 3, holds: true } },
      { exit: code },
    ]);
    await vi.waitFor(
      () =>
        expect(presenceOf({ pid: record.pid as number, startedAt: record.pidStartedAt as string })).toBe(
          "gone",
        ),
      { timeout: 10_000 },
    );
    await tasks.stop(record.id, "late", "model");
    expect(await ended).toMatchObject({ status, exitCode: code });
    expect(notices()).toEqual([`${record.id}.json`]);
  });

  test("of many at once ends each", async () => {
    const records = [];
    for (let count = 0; count < 4; count += 1) records.push(await place.start(tasks, [{ hang: true }]));
    await Promise.all(records.map(({ id }) => tasks.stop(id, "all", "model")));
    expect(await tasks.idle(20_000)).toBe(true);
    for (const record of records) expect(recordOnDisk(record).status).toBe("canceled");
    expect(place.disposed).toBe(4);
  });
});

describe("the end of a session", () => {
  test("stops what runs and marks it lost; what was being stopped is canceled", async () => {
    const [running, stopping] = [
      await place.start(tasks, [assistant("half"), { hang: true }]),
      await place.start(tasks, [{ hang: true }]),
    ];
    await vi.waitFor(() => expect(tasks.find(running.id)).toMatchObject({ record: { outputBytes: 4 } }), {
      timeout: 10_000,
    });
    await tasks.stop(stopping.id, "not needed", "model");
    await tasks.close();
    expect(recordOnDisk(running)).toMatchObject({
      status: "lost",
      stopReason: "session_ended_while_running",
      errorMessage: "session_ended_while_running",
      outputPreview: "half",
    });
    expect(recordOnDisk(running)).not.toHaveProperty("reportChannel");
    expect(recordOnDisk(stopping)).toMatchObject({ status: "canceled" });
    expect([notices(), place.disposed]).toEqual([[`${running.id}.json`], 2]);
    for (const { pid, pidStartedAt } of [running, stopping])
      expect(presenceOf({ pid: pid as number, startedAt: pidStartedAt as string })).toBe("gone");
  });

  test("that waited long enough loses the rest with its own reason, and new tasks may start", async () => {
    const record = await place.start(tasks, [{ hang: true }]);
    expect(await tasks.idle(10)).toBe(false);
    await tasks.loseAll("still running");
    expect(recordOnDisk(record)).toMatchObject({ status: "lost", stopReason: "still running" });
    const ended = nextEnd(tasks);
    await place.start(tasks, [answer("x")]);
    expect(await ended).toMatchObject({ status: "succeeded" });
  });

  test("lets nothing start any more, and gives the place back", async () => {
    const id = tasks.newId();
    const starting = tasks.start(place.plan([{ hang: true }], id), { ...START, taskId: id });
    const closing = tasks.close();
    expect(await starting).toEqual({ refusal: expect.stringContaining("session is ending") });
    await closing;
    const late = tasks.newId();
    expect(await tasks.start(place.plan([{ hang: true }], late), { ...START, taskId: late })).toEqual({
      refusal: expect.stringContaining("ending"),
    });
    expect([place.disposed, readdirSync(place.folder)]).toEqual([2, []]);
  });
});

describe("a start that fails", () => {
  test.each([
    ["command", { command: "/nowhere/pi" }],
    ["folder", { cwd: "/nowhere/at-all" }],
  ])("for want of a %s leaves no task and gives the place back", async (_what, more) => {
    const id = tasks.newId();
    const started = await tasks.start(place.plan([], id, more), { ...START, taskId: id });
    expect(started).toEqual({ refusal: expect.stringContaining("could not be started") });
    expect([place.disposed, place.files(), tasks.running(), tasks.find(id).ok]).toEqual([1, [], [], false]);
  });
});

test("tasks that end together each have their record and notice", async () => {
  const records = [];
  for (let count = 0; count < 5; count += 1)
    records.push(await place.start(tasks, [answer(`answer ${count}`)]));
  expect(await tasks.idle(20_000)).toBe(true);
  expect(records.map((record) => recordOnDisk(record).outputPreview)).toEqual(
    [0, 1, 2, 3, 4].map((index) => `answer ${index}`),
  );
  expect(notices()).toEqual(records.map(({ id }) => `${id}.json`));
  expect(tasks.untold().map(({ id }) => id)).toEqual(records.map(({ id }) => id));
});
