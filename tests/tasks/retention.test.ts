/** Old finished tasks are pruned (spec 3.2). */

import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ulid } from "ulid";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOwner } from "../../src/tasks/owner.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { pruneTasks, sessionFolders } from "../../src/tasks/retention.ts";
import { deadOwner, endedRecord, recordOf, TaskPlace } from "./task-kit.ts";

const DAY = 86_400_000;
let place: TaskPlace;
const owner = createOwner();
beforeEach(() => (place = new TaskPlace()));
afterEach(() => place.remove());

/** A task that began and ended so many days ago. */
function aged(days: number, more: Partial<TaskRecord> = {}): TaskRecord {
  const then = Date.now() - days * DAY;
  const record = endedRecord({
    id: ulid(then),
    createdAt: then,
    startedAt: then,
    transitionAt: then,
    owner,
    ...more,
  });
  place.write(record);
  place.writeOutput(record.id, "text");
  return record;
}

async function prune(
  retention: { taskDays?: number; maxTasks?: number },
  untold: TaskRecord[] = [],
): Promise<number> {
  const settings = { taskDays: 30, maxTasks: 500, ...retention };
  return pruneTasks(place.store(), settings, { owner, untold: new Set(untold.map(({ id }) => id)) });
}

const left = (): string[] => readdirSync(place.folder).filter((name) => name.endsWith(".json"));
const files = (...records: TaskRecord[]): string[] => records.map(({ id }) => `${id}.json`).toSorted();

test("tasks that ended too long ago go, with their output, and the young stay", async () => {
  const [old, , young] = [aged(40), aged(31), aged(29)];
  expect(await prune({})).toBe(2);
  expect([left(), existsSync(place.at(old.id))]).toEqual([files(young), false]);
  expect(readdirSync(place.folder).toSorted()).toEqual([young.id, `${young.id}.json`]);
});

test("what counts is the end, not the start", async () => {
  const long = aged(40, { transitionAt: Date.now() - DAY });
  place.write({ ...long, finishedAt: Date.now() - DAY });
  expect([await prune({}), left()]).toEqual([0, files(long)]);
});

test("of too many the oldest go", async () => {
  const records = Array.from({ length: 8 }, (_, index) => aged(10 - index));
  expect(await prune({ maxTasks: 3 })).toBe(5);
  expect(left()).toEqual(files(...records.slice(-3)));
});

test.each([Number.NaN, 0, -1, undefined as never])("a bound that is %s deletes nothing", async (bound) => {
  const records = [aged(4_000), aged(1)];
  expect(await prune({ taskDays: bound, maxTasks: bound })).toBe(0);
  expect(left()).toEqual(files(...records));
});

test("tasks that run, or were not told yet, are not surplus", async () => {
  const running = recordOf({ id: ulid(Date.now() - 9 * DAY), owner });
  place.write(running);
  const abandoned = recordOf({ id: ulid(Date.now() - 9 * DAY), owner: deadOwner() });
  place.write(abandoned);
  const untold = aged(8);
  aged(7);
  expect(await prune({ maxTasks: 1 }, [untold])).toBe(1);
  expect(left().toSorted()).toEqual(files(running, abandoned, untold));
});

test("what is too old goes even untold, but nothing that runs", async () => {
  const untold = aged(40);
  place.writeNotice(untold.id);
  const running = aged(40, { status: "running", owner });
  expect(await prune({}, [untold])).toBe(1);
  expect(left()).toEqual(files(running));
  expect(existsSync(place.at("outbox"))).toBe(false);
});

test("tasks of another living pi stay, those of a dead one go", async () => {
  const alive = aged(40, { owner: createOwner() });
  aged(40, { owner: deadOwner() });
  aged(40, { owner: deadOwner(), status: "running" });
  expect([await prune({}), left()]).toEqual([2, files(alive)]);
});

test("files that are no records stay", async () => {
  const id = ulid(Date.now() - 40 * DAY);
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(place.at(`${id}.json`), "garbage");
  writeFileSync(place.at("notes.txt"), "mine");
  expect([await prune({ maxTasks: 1 }), readdirSync(place.folder).toSorted()]).toEqual([
    0,
    [`${id}.json`, "notes.txt"],
  ]);
});

test("what crashed writes and dead owners left goes once it is old, in the outbox too", async () => {
  mkdirSync(place.at("outbox"), { recursive: true });
  const old = [".1-abc.tmp", "outbox/.1-abc.tmp", ".beat-x", ".ended-x"];
  const young = [".2-abc.tmp", "outbox/.2-abc.tmp", ".beat-y", ".ended-y", "keep.tmp", ".keep"];
  const past = new Date(Date.now() - 40 * DAY);
  for (const name of [...old, ...young]) writeFileSync(place.at(name), "");
  for (const name of [...old, "keep.tmp", ".keep"]) utimesSync(place.at(name), past, past);
  const beat = ".beat-z";
  writeFileSync(place.at(beat), "");
  utimesSync(place.at(beat), new Date(Date.now() - DAY), new Date(Date.now() - DAY));
  await prune({});
  expect(existsSync(place.at(beat))).toBe(false);
  for (const name of old) expect([name, existsSync(place.at(name))]).toEqual([name, false]);
  for (const name of young) expect([name, existsSync(place.at(name))]).toEqual([name, true]);
});

test("a session folder that is empty goes; a link to one is not followed", async () => {
  mkdirSync(place.folder, { recursive: true });
  mkdirSync(join(place.root, "elsewhere"));
  symlinkSync(join(place.root, "elsewhere"), join(place.root, "tasks", "link"));
  writeFileSync(join(place.root, "tasks", "file"), "");
  expect(sessionFolders(join(place.root, "tasks"))).toEqual([place.folder]);
  expect(sessionFolders(join(place.root, "none"))).toEqual([]);
  await prune({});
  expect(existsSync(place.folder)).toBe(false);
});
