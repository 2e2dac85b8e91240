/** A pi that dies while another one works on the same session (spec 3.3). */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identifyProcess } from "../../src/base/process-identity.ts";
import type { TaskOwner, TaskRecord } from "../../src/tasks/record.ts";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import { sessionTasksFolder } from "../../src/tasks/task-paths.ts";
import { deadOwner, newId, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
let tasks: SessionTasks;
beforeEach(() => {
  place = new TaskPlace();
  tasks = place.tasks();
});
afterEach(() => place.remove());

/** A task of another pi, and how to end that pi. */
async function taskOfOther(): Promise<{ record: TaskRecord; die: () => Promise<void> }> {
  const child = spawn("sleep", ["60"]);
  const found = identifyProcess(child.pid as number) as { pid: number; startedAt: string };
  const owner: TaskOwner = { id: newId(), ...found };
  const record = recordOf({ owner });
  place.write(record);
  const die = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { record, die };
}

test("its tasks are lost as soon as a list is asked for, told with the next run, and wake nobody", async () => {
  const { record, die } = await taskOfOther();
  await tasks.recover();
  await die();
  const ended: string[] = [];
  tasks.onEnd = ({ id, status }) => void ended.push(`${id} ${status}`);
  const pages = await Promise.all([1, 2].map(() => tasks.page({ limit: 10 })));
  for (const { records } of pages) expect(records).toMatchObject([{ id: record.id, status: "lost" }]);
  expect(place.read(record.id)).toMatchObject({ status: "lost", owner: tasks.owner });
  expect([ended, tasks.untold().map(({ id }) => id), [...tasks.patient]]).toEqual([
    [`${record.id} lost`],
    [record.id],
    [record.id],
  ]);
  expect((await tasks.page({ statuses: ["running"], limit: 10 })).records).toEqual([]);
});

test("its task is lost as soon as it is asked for, though it is written a moment later", async () => {
  const { record, die } = await taskOfOther();
  await die();
  place.writeOutput(record.id, "half");
  const written = Promise.withResolvers<void>();
  tasks.onEnd = () => written.resolve();
  const found = tasks.find(record.id);
  expect(found).toMatchObject({ record: { status: "lost", outputBytes: 4 } });
  await written.promise;
  expect(place.read(record.id)).toMatchObject({ status: "lost", outputPreview: "half" });
});

test("a file that is no record is told of once, however often tasks are taken over", async () => {
  const bad = newId();
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(place.at(`${bad}.json`), "{");
  const problems: string[] = [];
  tasks.onProblem = (problem) => void problems.push(problem);
  expect(await tasks.recover()).toHaveLength(1);
  for (let count = 0; count < 2; count += 1) {
    place.write(recordOf({ owner: deadOwner() }));
    await tasks.page({ limit: 10 });
  }
  expect([problems, tasks.untold().length]).toEqual([[], 2]);
});

test("of another session that this one was forked from is lost, and nothing is written there", async () => {
  const other = sessionTasksFolder(place.root, "session-2");
  const record = recordOf({ owner: deadOwner() });
  place.write(record, other);
  tasks.others.know(new Map([[record.id, other]]));
  expect(tasks.find(record.id)).toMatchObject({
    record: { status: "lost", stopReason: "lost_on_session_restart", owner: record.owner },
  });
  expect(await tasks.stop(record.id, "x", "model")).toEqual({
    ok: false,
    problem: `task ${record.id} belonged to a pi that is gone, so it is lost`,
  });
  const unread = place.tasks(other);
  await unread.recover();
  expect(unread.untold()).toMatchObject([{ id: record.id }]);
});
