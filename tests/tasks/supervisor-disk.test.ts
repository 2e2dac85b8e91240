/** Background children on a disk that refuses, and starts that come to nothing (spec 3.2; fault 26). */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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

describe("a task", () => {
  test("says while it runs, and to the person, that its output or standard error cannot be written", async () => {
    const problems: string[] = [];
    tasks.onProblem = (problem) => void problems.push(problem);
    const ended = nextEnd(tasks);
    const record = await place.start(tasks, [
      { until: join(place.root, "go") },
      assistant("half"),
      { err: "a hint" },
      { until: join(place.root, "end") },
      answer("x"),
    ]);
    const { id } = record;
    mkdirSync(place.at(id, "output.log"));
    mkdirSync(place.at(id, "stderr.log"));
    writeFileSync(join(place.root, "go"), "");
    const sentence = expect.stringMatching(/^output could not be written: /) as unknown;
    await vi.waitFor(
      () => expect(tasks.find(id)).toMatchObject({ record: { status: "running", warnings: [sentence] } }),
      { timeout: 10_000 },
    );
    writeFileSync(join(place.root, "end"), "");
    const { warnings } = await ended;
    expect(warnings).toEqual([
      sentence,
      expect.stringMatching(/^standard error could not be written: /),
      "7 bytes of output were left out",
    ]);
    expect(problems).toEqual([
      expect.stringMatching(`^task ${id}: output could`),
      expect.stringMatching(`^task ${id}: standard error could`),
    ]);
  });
});

describe("a start", () => {
  test("on a disk that turns read-only leaves no task that seems to run", async () => {
    const id = tasks.newId();
    let mend: (() => void) | undefined;
    tasks.onStep = (step) => {
      if (step === "record-renamed") mend ??= place.breakDisk();
    };
    const started = await tasks.start(place.plan([{ hang: true }], id), { ...START, taskId: id });
    const refusal = expect.stringContaining("could not be recorded, so nothing was started") as string;
    expect([started, place.disposed]).toEqual([{ refusal }, 1]);
    expect(tasks.find(id)).toMatchObject({ record: { status: "failed", errorMessage: refusal } });
    mend?.();
    await vi.waitFor(() => expect(place.read(id)).toMatchObject({ status: "failed" }), { timeout: 5_000 });
    // Whoever asked for it knows.
    expect([tasks.untold(), existsSync(place.at("outbox")) ? readdirSync(place.at("outbox")) : []]).toEqual([
      [],
      [],
    ]);
  });

  test("that is stopped before its child is there starts none", async () => {
    const id = tasks.newId();
    tasks.onStep = (step) => {
      if (step === "record-temp-written") void tasks.stop(id, "changed my mind", "person");
    };
    expect(await tasks.start(place.plan([{ hang: true }], id), { ...START, taskId: id })).toEqual({
      refusal: "the task was stopped before its child was started: changed my mind",
    });
    expect([place.disposed, tasks.running(), place.files()]).toEqual([1, [], []]);
  });
});
