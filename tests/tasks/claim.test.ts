/** Two pis in one folder (spec 3.3; fault 26): of those that take over, one does. */

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimTask, isClaimed } from "../../src/tasks/claim.ts";
import { createOwner } from "../../src/tasks/owner.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { TaskPaths } from "../../src/tasks/task-paths.ts";
import { deadOwner, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
let paths: TaskPaths;
let record: TaskRecord;
beforeEach(() => {
  place = new TaskPlace();
  paths = new TaskPaths(place.folder);
  record = recordOf({ owner: deadOwner() });
});
afterEach(() => place.remove());

test("of many pis that come at once one gets the task, and keeps it", async () => {
  const pis = Array.from({ length: 20 }, createOwner);
  const answers = await Promise.all(pis.map((pi) => claimTask(paths, record, pi)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  const winner = answers.indexOf(true);
  const again = await Promise.all(pis.map((pi) => claimTask(paths, record, pi)));
  expect(again.map(Boolean).indexOf(true)).toBe(winner);
  expect(again.filter(Boolean)).toHaveLength(1);
  expect(readdirSync(place.at(record.id))).toHaveLength(1);
});

test("a pi that died while it took over is succeeded once more, by one of many", async () => {
  for (const dead of [deadOwner(), deadOwner(), deadOwner()])
    expect(await claimTask(paths, record, dead)).toBe(true);
  const pis = Array.from({ length: 10 }, createOwner);
  const answers = await Promise.all(pis.map((pi) => claimTask(paths, record, pi)));
  expect(answers.filter(Boolean)).toHaveLength(1);
});

test("each task is claimed by itself", async () => {
  const other = recordOf({ owner: record.owner });
  expect(await claimTask(paths, record, createOwner())).toBe(true);
  expect(await claimTask(paths, other, createOwner())).toBe(true);
});

test("a claim tells its owner that another pi has the task", async () => {
  expect(isClaimed(paths, record)).toBe(false);
  await claimTask(paths, record, createOwner());
  expect(isClaimed(paths, record)).toBe(true);
  expect(isClaimed(paths, recordOf({ id: record.id, owner: createOwner() }))).toBe(false);
});

test.each(["", "{", "null", "[]", '{"id":5,"pid":1,"startedAt":""}', '{"id":"x","pid":-1,"startedAt":""}'])(
  "a claim that holds %j holds nobody up",
  async (text) => {
    mkdirSync(place.at(record.id), { recursive: true });
    writeFileSync(place.at(record.id, `claim-${record.owner.id}.json`), text);
    const pis = Array.from({ length: 5 }, createOwner);
    const answers = await Promise.all(pis.map((pi) => claimTask(paths, record, pi)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  },
);

test("claims that name each other in a circle end", async () => {
  mkdirSync(place.at(record.id), { recursive: true });
  writeFileSync(place.at(record.id, `claim-${record.owner.id}.json`), JSON.stringify(record.owner));
  expect(await claimTask(paths, record, createOwner())).toBe(false);
});

test("a folder that is a link is refused", async () => {
  mkdirSync(place.folder, { recursive: true });
  symlinkSync(place.root, place.at(record.id));
  await expect(claimTask(paths, record, createOwner())).rejects.toThrow(/folder/);
});

test("an owner with an id that is a path claims inside the folder", async () => {
  const evil = recordOf({ owner: { ...deadOwner(), id: "../../../escaped" } });
  expect(await claimTask(paths, evil, createOwner())).toBe(true);
  expect(readdirSync(place.at(evil.id))).toEqual(["claim-escaped.json"]);
});
