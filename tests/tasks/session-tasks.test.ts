/** The door to a session's tasks: whose they are, what is still to be told, and what a session leaves (spec 3.2 to 3.5). */

import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { ulid } from "ulid";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createOwner } from "../../src/tasks/owner.ts";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import { sessionTasksFolder } from "../../src/tasks/task-paths.ts";
import { answer, deadOwner, endedRecord, newId, nextEnd, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
beforeEach(() => (place = new TaskPlace()));
afterEach(() => place.remove());

const untold = (tasks: SessionTasks): string[] => tasks.untold().map(({ id }) => id);
const notices = (): string[] => (existsSync(place.at("outbox")) ? readdirSync(place.at("outbox")) : []);

describe("asking for a task", () => {
  test("that is none names the value and what an id looks like", () => {
    for (const id of ["", "1", "../../etc/passwd", "01j9z3t5w8q4n7k2m6p0r1s5vx"])
      expect(place.tasks().find(id)).toEqual({
        ok: false,
        problem: expect.stringMatching(
          `taskId ${JSON.stringify(id).replaceAll(".", "\\.")} is no task id; ids look like [0-9A-Z]{26}`,
        ),
      });
  });

  test("that is unknown, or whose file is broken, says so", () => {
    const [unknown, broken] = [newId(), newId()];
    place.write({ id: broken });
    expect(place.tasks().find(unknown)).toEqual({
      ok: false,
      problem: `there is no task ${unknown} in this session; call ptc_task_list for those there are`,
    });
    expect(place.tasks().find(broken)).toEqual({
      ok: false,
      problem: expect.stringContaining(place.at(`${broken}.json`)),
    });
  });

  test("of another session is found once it is known to have been started there, beside this one only", () => {
    const tasks = place.tasks();
    const other = sessionTasksFolder(place.root, "session-2");
    const record = endedRecord();
    place.write(record, other);
    expect(tasks.find(record.id)).toMatchObject({ ok: false });
    tasks.others.know(
      new Map([
        [record.id, other],
        ["../../x", other],
      ]),
    );
    expect(tasks.find(record.id)).toEqual({ ok: true, record });
    expect(tasks.find("../../x")).toMatchObject({ ok: false });
    tasks.others.know(new Map([[record.id, "/elsewhere/tasks/session-2"]]));
    expect(tasks.find(record.id)).toMatchObject({ ok: false });
  });
});

describe("a stop", () => {
  test("of another living pi's task is refused in a sentence, and nothing is written", async () => {
    const record = recordOf({ owner: createOwner() });
    place.write(record);
    expect(await place.tasks().stop(record.id, "x", "model")).toEqual({
      ok: false,
      problem: `task ${record.id} belongs to another pi that is running (process ${process.pid}); stop it there`,
    });
    expect([place.read(record.id), readdirSync(place.folder)]).toEqual([record, [`${record.id}.json`]]);
  });

  test("of a dead pi's task says that it is lost, and makes it so", async () => {
    const record = recordOf({ owner: deadOwner() });
    place.write(record);
    const tasks = place.tasks();
    expect(await tasks.stop(record.id, "x", "model")).toEqual({
      ok: false,
      problem: `task ${record.id} belonged to a pi that is gone, so it is lost`,
    });
    expect([place.read(record.id).status, untold(tasks)]).toEqual(["lost", [record.id]]);
  });

  test.each(["succeeded", "failed", "canceled", "lost"] as const)(
    "of a task that is %s names the state",
    async (status) => {
      const record = endedRecord({ status });
      place.write(record);
      expect(await place.tasks().stop(record.id, "x", "model")).toEqual({
        ok: false,
        problem: `task ${record.id} is ${status} already; there is nothing to stop`,
      });
    },
  );

  test("of what is no task is refused", async () => {
    expect(await place.tasks().stop("nonsense", "x", "model")).toMatchObject({
      ok: false,
      problem: expect.stringContaining('"nonsense"'),
    });
    expect(await place.tasks().stop(newId(), "x", "model")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("there is no task"),
    });
  });
});

describe("what is still to be told", () => {
  test("is what ended here, until it was told", async () => {
    const tasks = place.tasks();
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [answer("x")]);
    expect([untold(tasks), tasks.isUntold(id)]).toEqual([[], false]);
    await ended;
    expect([untold(tasks), tasks.isUntold(id), notices()]).toEqual([[id], true, [`${id}.json`]]);
    await tasks.told([id, newId()]);
    await tasks.told([id]);
    expect([untold(tasks), tasks.isUntold(id), notices()]).toEqual([[], false, []]);
    await tasks.recover();
    expect(untold(tasks)).toEqual([]);
  });

  test("is not what was told already, though its notice cannot be taken out", async () => {
    const tasks = place.tasks();
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [answer("x")]);
    await ended;
    const notice = place.at("outbox", `${id}.json`);
    rmSync(notice);
    mkdirSync(notice);
    await tasks.told([id]);
    await tasks.recover();
    expect([untold(tasks), notices()]).toEqual([[], [`${id}.json`]]);
    rmdirSync(notice);
  });

  test("is also what a dead pi left, oldest first", async () => {
    const records = [
      endedRecord({ owner: deadOwner() }),
      endedRecord({ owner: deadOwner(), status: "failed" }),
      recordOf({ owner: deadOwner() }),
    ];
    for (const record of records) place.write(record);
    for (const { id } of records.slice(0, 2)) place.writeNotice(id);
    const tasks = place.tasks();
    const ended = nextEnd(tasks);
    // Ids of one millisecond are in the order of their makers only.
    const madeAt = Date.now();
    await vi.waitUntil(() => Date.now() > madeAt, { interval: 1 });
    const own = await place.start(tasks, [answer("x")]);
    await ended;
    expect(await tasks.recover()).toEqual([]);
    const left = records.map(({ id }) => id);
    expect([untold(tasks), [...tasks.patient].toSorted()]).toEqual([[...left, own.id], left]);
  });

  test("is also what a dead pi left on a disk that refuses the notice", async () => {
    const record = recordOf({ owner: deadOwner() });
    place.write(record);
    writeFileSync(place.at("outbox"), "in the way");
    const tasks = place.tasks();
    await tasks.recover();
    expect(untold(tasks)).toEqual([record.id]);
  });

  test("is not what another living pi tells", async () => {
    const record = endedRecord({ owner: createOwner() });
    place.write(record);
    place.writeNotice(record.id);
    const tasks = place.tasks();
    await tasks.recover();
    expect([untold(tasks), tasks.isUntold(record.id)]).toEqual([[], true]);
  });

  test("is not a stop that the model asked for", async () => {
    const tasks = place.tasks();
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [{ hang: true }]);
    await tasks.stop(id, "x", "model");
    await ended;
    expect(untold(tasks)).toEqual([]);
  });
});

test("a session that has tasks shows those in other containers that it lives, until it ends", async () => {
  const tasks = place.tasks();
  const beat = place.at(`.beat-${tasks.owner.id}`);
  await tasks.recover();
  expect(existsSync(place.folder)).toBe(false);
  const ended = nextEnd(tasks);
  const { owner } = await place.start(tasks, [answer("x")]);
  expect([owner.place, existsSync(beat)]).toEqual([expect.any(String), true]);
  await ended;
  await tasks.close();
  expect(existsSync(beat)).toBe(false);
  const heir = place.tasks();
  await heir.recover();
  expect([untold(heir).length, existsSync(place.at(`.beat-${heir.owner.id}`))]).toEqual([1, true]);
});

describe("a session that ends", () => {
  test("leaves what was not told to whoever opens it next, though this process goes on", async () => {
    const first = place.tasks();
    const { id } = await place.start(first, [{ hang: true }]);
    await first.close();
    const [second, third] = [place.tasks(), place.tasks()];
    await Promise.all([second.recover(), third.recover()]);
    expect([...untold(second), ...untold(third)]).toEqual([id]);
    expect(second.find(id)).toMatchObject({
      record: { status: "lost", stopReason: "session_ended_while_running" },
    });
    await second.told([id]);
    await third.told([id]);
    expect(notices()).toEqual([]);
  });

  test("with nothing left to tell leaves no file", async () => {
    const tasks = place.tasks();
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [answer("x")]);
    await ended;
    await tasks.told([id]);
    await tasks.close();
    expect(readdirSync(place.folder).toSorted()).toEqual([id, `${id}.json`, "outbox"].toSorted());
  });

  test("can be closed twice", async () => {
    const tasks = place.tasks();
    await tasks.close();
    await tasks.close();
    expect(existsSync(place.folder)).toBe(false);
  });
});

describe("waiting", () => {
  test("ends at once without tasks, with the last task, or in time", async () => {
    const tasks = place.tasks();
    expect(await tasks.idle(0)).toBe(true);
    await place.start(tasks, [answer("a")]);
    await place.start(tasks, [{ sleepMs: 200 }, answer("b")]);
    expect(await tasks.idle(20_000)).toBe(true);
    expect(tasks.running()).toEqual([]);
    await place.start(tasks, [{ hang: true }]);
    expect(await tasks.idle(5)).toBe(false);
  });
});

describe("pruning", () => {
  test("goes through the sessions of the folder, and keeps what they have not told", async () => {
    const then = Date.now() - 86_400_000;
    const other = sessionTasksFolder(place.root, "session-2");
    const old = [ulid(then), ulid(then + 1), ulid(then + 2)].map((id) =>
      endedRecord({ id, owner: deadOwner() }),
    );
    for (const record of old) place.write(record, other);
    const mine = endedRecord({ owner: deadOwner() });
    place.write(mine);
    await place.tasks().prune({ taskDays: 30, maxTasks: 2 });
    expect(readdirSync(other).toSorted()).toEqual(old.slice(1).map(({ id }) => `${id}.json`));
    expect(place.read(mine.id)).toEqual(mine);
  });

  test("never rejects", async () => {
    writeFileSync(`${place.root}/tasks`, "in the way");
    await expect(place.tasks().prune({ taskDays: 1, maxTasks: 1 })).resolves.toBeUndefined();
  });
});

test("whoever listens may throw", async () => {
  const tasks = place.tasks();
  const told = vi.fn<() => void>();
  tasks.onStep = () => {
    throw new Error("mine");
  };
  tasks.onEnd = () => {
    told();
    throw new Error("mine");
  };
  tasks.onProblem = () => {
    throw new Error("mine");
  };
  await place.start(tasks, [answer("x")]);
  expect(await tasks.idle(20_000)).toBe(true);
  expect(told).toHaveBeenCalledOnce();
});
