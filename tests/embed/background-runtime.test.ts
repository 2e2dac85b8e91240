/** Background tasks of programs without a session (spec 7), with children that play a script. */

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ulid } from "ulid";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createBackgroundTaskRuntime,
  createBuiltinBindings,
  runPtcProgram,
  type TaskRecord,
} from "../../src/index.ts";
import { sessionTasksFolder } from "../../src/tasks/task-paths.ts";
import { answer, PlayRoom, SCRIPTED } from "../children/played-child.ts";
import { deadOwner, endedRecord, newId, recordOf, TaskPlace } from "../tasks/task-kit.ts";

type Runtime = ReturnType<typeof createBackgroundTaskRuntime>;

const room = new PlayRoom();
const { folder } = room;
let place: TaskPlace;
let go: string;
let number = 0;
const open: Runtime[] = [];

beforeEach(() => {
  place = new TaskPlace();
  const command = join(folder, "a pi");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${SCRIPTED}' "$@"\n`, { mode: 0o755 });
  number += 1;
  go = join(folder, `go-${number}`);
  vi.stubEnv("PI_PTC_COMMAND", command);
  vi.stubEnv("PTC_CHILD_SCRIPT", room.script([{ until: go }, answer("from the child")]));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((runtime) => runtime.close()));
  vi.unstubAllEnvs();
  await place.remove();
});
afterAll(() => room.close());

function runtimeWith(options: Parameters<typeof createBackgroundTaskRuntime>[0] = {}): Runtime {
  const runtime = createBackgroundTaskRuntime(options);
  open.push(runtime);
  return runtime;
}

const run = (code: string, more: object) =>
  runPtcProgram({
    code,
    cwd: folder,
    bindings: createBuiltinBindings({ cwd: folder, names: ["pi.dispatch"] }),
    ...more,
  });
const START = 'return tools["pi.dispatch"]({ task: "look around", background: true, label: "look" })';

describe("a program with a runtime", () => {
  test("starts tasks that outlive it, are read and followed through the runtime, and told of once", async () => {
    const ends: TaskRecord[] = [];
    const runtime = runtimeWith({ onEnd: (task) => ends.push(task) });
    const { value } = await run(START, { runtime });
    const { taskId } = value as { taskId: string };
    expect(value).toEqual({
      taskId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      label: "look",
      status: "running",
    });
    expect(await runtime.list()).toMatchObject({
      tasks: [{ id: taskId, status: "running", spawnSource: { kind: "program" } }],
      warnings: [],
    });
    expect(await runtime.output(taskId)).toMatchObject({ output: "", outputBytes: 0, nextOffset: 0 });
    writeFileSync(go, "");
    await vi.waitFor(() => expect(ends).toHaveLength(1), { timeout: 10_000 });
    expect(ends[0]).toMatchObject({ id: taskId, status: "succeeded", outputPreview: "from the child" });
    const page = await runtime.output(taskId, { sinceBytes: 5, maxBytes: 3 });
    expect(page).toMatchObject({
      output: "the",
      outputBytes: 14,
      nextOffset: 8,
      task: { status: "succeeded" },
    });
    expect(await runtime.output(taskId)).not.toHaveProperty("nextOffset");
    expect((await runtime.list({ status: ["running"] })).tasks).toEqual([]);
  });

  test("shares one counter with others, foreground and background, whatever its config says", async () => {
    const runtime = runtimeWith({ concurrency: 2 });
    const both = `return [await tools["pi.dispatch"]({ task: "a", background: true }), await tools["pi.dispatch"]({ task: "b", background: true })].map((r) => r.status)`;
    expect((await run(both, { runtime, config: { dispatchConcurrency: 8 } })).value).toEqual([
      "running",
      "running",
    ]);
    const one = 'return (await tools["pi.dispatch"]({ task: "c" })).errorMessage';
    expect((await run(one, { runtime, config: { dispatchConcurrency: 8 } })).value).toMatch(
      /^dispatch concurrency limit reached: 2 of 2/,
    );
    for (const { id } of (await runtime.list()).tasks)
      expect(await runtime.stop(id, "enough")).toMatchObject({ status: "stopping", stopReason: "enough" });
    await vi.waitFor(
      async () => expect((await runtime.list({ status: ["canceled"] })).tasks).toHaveLength(2),
      { timeout: 10_000 },
    );
    writeFileSync(go, "");
    expect((await run('return (await tools["pi.dispatch"]({ task: "c" })).text', { runtime })).value).toBe(
      "from the child",
    );
  });

  test("ends its foreground children with itself", async () => {
    const runtime = runtimeWith();
    const outcome = await run('tools["pi.dispatch"]({ task: "left behind" }); return 1', { runtime });
    expect([outcome.value, (await runtime.list()).tasks]).toEqual([1, []]);
  });

  test("that was closed gets no more children, and what ran is lost", async () => {
    const runtime = runtimeWith({ sessionDir: place.root, sessionId: "session-1" });
    const { value } = await run(START, { runtime });
    await runtime.close();
    await runtime.close();
    expect(place.read((value as { taskId: string }).taskId)).toMatchObject({
      status: "lost",
      stopReason: "session_ended_while_running",
    });
    for (const code of [START, 'return tools["pi.dispatch"]({ task: "c" })'])
      expect((await run(code, { runtime })).value).toMatchObject({
        status: "rejected",
        started: false,
        errorMessage: expect.stringContaining("closed"),
      });
  });
});

test("without a runtime a background child is refused", async () => {
  expect((await run(START, {})).value).toMatchObject({
    status: "rejected",
    started: false,
    errorMessage: expect.stringContaining("background"),
  });
});

describe("a runtime", () => {
  test("with a folder finds its tasks again, recovers those of a dead process, and tells of each once", async () => {
    const [told, untold, running] = [
      endedRecord({ owner: deadOwner() }),
      endedRecord({ owner: deadOwner() }),
      recordOf({ owner: deadOwner() }),
    ];
    for (const record of [told, untold, running]) place.write(record);
    place.writeNotice(untold.id);
    const ends: string[] = [];
    const options = {
      sessionDir: place.root,
      sessionId: "session-1",
      onEnd: ({ id, status }: TaskRecord) => void ends.push(`${id} ${status}`),
    };
    const runtime = runtimeWith(options);
    expect((await runtime.list()).tasks.map(({ id }) => id)).toEqual([running.id, untold.id, told.id]);
    expect(ends).toEqual([`${untold.id} succeeded`, `${running.id} lost`]);
    await runtime.close();
    await runtimeWith(options).list();
    expect([ends.length, existsSync(place.at("outbox", `${untold.id}.json`))]).toEqual([2, false]);
  });

  test("without a folder leaves nothing behind", async () => {
    vi.stubEnv("TMPDIR", place.root);
    writeFileSync(go, "");
    const runtime = runtimeWith();
    await run(START, { runtime });
    expect(readdirSync(place.root).filter((name) => name.startsWith("pi-ptc-tasks-"))).toHaveLength(1);
    await runtime.close();
    expect(readdirSync(place.root).filter((name) => name.startsWith("pi-ptc-tasks-"))).toEqual([]);
  });

  test("tells of files that are no records", async () => {
    const problems: string[] = [];
    place.write({ id: newId() });
    const runtime = runtimeWith({
      sessionDir: place.root,
      sessionId: "session-1",
      onProblem: (problem) => problems.push(problem),
    });
    expect((await runtime.list()).warnings).toEqual([expect.stringContaining("is no task record")]);
    expect(problems).toHaveLength(1);
  });

  test("survives listeners that throw", async () => {
    place.write(recordOf({ owner: deadOwner() }));
    place.write({ id: newId() });
    const fail = (): never => {
      throw new Error("mine");
    };
    const runtime = runtimeWith({
      sessionDir: place.root,
      sessionId: "session-1",
      onEnd: fail,
      onProblem: fail,
    });
    expect((await runtime.list()).tasks).toMatchObject([{ status: "lost" }]);
  });

  test("keeps what is young where a bound is undefined, and prunes no folder but its own", async () => {
    const then = Date.now() - 40 * 86_400_000;
    const old = endedRecord({ id: ulid(then), startedAt: then, transitionAt: then, owner: deadOwner() });
    const young = endedRecord({ owner: deadOwner() });
    const other = sessionTasksFolder(place.root, "session-2");
    place.write(old, other);
    for (const record of [old, young]) place.write(record);
    const retention = { taskDays: undefined, maxTasks: undefined } as never;
    await runtimeWith({ sessionDir: place.root, sessionId: "session-1", retention }).close();
    expect(
      [place.at(`${old.id}.json`), place.at(`${young.id}.json`), join(other, `${old.id}.json`)].map(
        existsSync,
      ),
    ).toEqual([false, true, true]);
  });

  test("makes nothing on disk before its first task", async () => {
    const runtime = runtimeWith({ sessionDir: place.root, sessionId: "x" });
    await runtime.list();
    await runtime.close();
    expect(existsSync(join(place.root, "tasks"))).toBe(false);
  });
});

describe("bad input", () => {
  test.each([
    [{ concurrency: 0 }, "concurrency is 0; it must be a whole number from 1 to 256"],
    [{ concurrency: 1.5 }, "concurrency is 1.5; it must be"],
    [{ concurrency: "4" }, 'concurrency is "4"; it must be'],
    [{ sessionDir: "" }, 'sessionDir is ""; it must be'],
    [{ sessionId: 5 }, "sessionId is 5; it must be"],
    [{ retention: { taskDays: 0 } }, "retention.taskDays is 0; it must be a number from 1 to 3650"],
    [{ retention: { taskDays: Number.NaN } }, "retention.taskDays is NaN; it must be"],
    [{ retention: { maxTasks: -1 } }, "retention.maxTasks is -1; it must be a whole number from 1 to 100000"],
    [{ retention: { maxTasks: 1.5 } }, "retention.maxTasks is 1.5; it must be"],
    [{ retention: { taskDays: "7" } }, 'retention.taskDays is "7"; it must be'],
    [{ retention: null }, "retention is null; it must be an object"],
  ])("of %j is a TypeError", (options, sentence) => {
    expect(() => createBackgroundTaskRuntime(options as never)).toThrow(TypeError);
    expect(() => createBackgroundTaskRuntime(options as never)).toThrow(sentence);
  });

  test("of a query names the value and what is accepted", async () => {
    const runtime = runtimeWith();
    const id = newId();
    await expect(runtime.list({ limit: 0 })).rejects.toThrow(
      "limit is 0; it must be a whole number from 1 to 1000",
    );
    await expect(runtime.list({ status: ["done"] as never })).rejects.toThrow(
      'status is "done"; it must be one of running, stopping',
    );
    await expect(runtime.output(id)).rejects.toThrow(`there is no task ${id}`);
    await expect(runtime.output("../x")).rejects.toThrow('"../x" is no task id');
    await expect(runtime.output(id, { sinceBytes: -1 })).rejects.toThrow("sinceBytes is -1; it must be");
    await expect(runtime.output(id, { maxBytes: 0 })).rejects.toThrow("maxBytes is 0; it must be");
    await expect(runtime.stop(id)).rejects.toThrow(`there is no task ${id}`);
  });

  test("of a runtime that is none is a TypeError", async () => {
    for (const runtime of [{}, null, "x"])
      await expect(run("return 1", { runtime })).rejects.toThrow("createBackgroundTaskRuntime");
  });
});
