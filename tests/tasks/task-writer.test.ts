/** What a pi knows comes to disk, in the order in which a crash loses nothing (spec 3.2; fault 26). */

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createOwner } from "../../src/tasks/owner.ts";
import { Outbox } from "../../src/tasks/outbox.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { type TaskStepKind, TaskStore } from "../../src/tasks/task-store.ts";
import { TaskWriter } from "../../src/tasks/task-writer.ts";
import { check, endedRecord, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
let steps: TaskStepKind[];
let problems: string[];
let store: TaskStore;
let outbox: Outbox;
let writer: TaskWriter;
const owner = createOwner();

beforeEach(() => {
  place = new TaskPlace();
  steps = [];
  problems = [];
  store = new TaskStore({ folder: place.folder, check, onStep: (step) => void steps.push(step) });
  outbox = new Outbox(store);
  writer = new TaskWriter({ store, outbox, onProblem: (problem) => void problems.push(problem) });
});
afterEach(async () => {
  await writer.end();
  await place.remove();
});

test("a record that does not end is written without a notice", async () => {
  const record = recordOf({ owner });
  expect(await writer.record(record)).toBe(true);
  expect([place.read(record.id), outbox.ids(), writer.unwritten]).toEqual([record, [], 0]);
});

test("an end is noted for telling before its record says that it ended", async () => {
  const record = endedRecord({ owner });
  expect(await writer.record(record)).toBe(true);
  expect(steps).toEqual(["outbox-written", "record-temp-written", "record-renamed"]);
  expect([place.read(record.id), outbox.ids()]).toEqual([record, [record.id]]);
});

test("an end that the model asked for is not noted for telling", async () => {
  await writer.record(endedRecord({ owner, status: "canceled", stoppedBy: "model" }));
  expect(outbox.ids()).toEqual([]);
});

test("what the model knows is taken out, and a later write does not bring it back", async () => {
  const record = endedRecord({ owner });
  await writer.record(record);
  expect(await writer.told(record.id)).toBe(true);
  expect([outbox.ids(), writer.isTold(record.id)]).toEqual([[], true]);
  await writer.record({ ...record, label: "again" });
  expect([outbox.ids(), place.read(record.id).label]).toEqual([[], "again"]);
});

test("a disk that refuses is told of, noted in the record, and given both when it takes them again", async () => {
  const mend = place.breakDisk();
  const record = endedRecord({ owner });
  expect(await writer.record(record)).toBe(false);
  expect(problems).toEqual([
    expect.stringMatching(
      new RegExp(`^task ${record.id} could not be written to disk, which is tried again: `),
    ),
  ]);
  expect([store.own(record.id)?.warnings, writer.unwritten]).toEqual([problems, 1]);
  mend();
  await vi.waitFor(() => expect(writer.unwritten).toBe(0), { timeout: 5_000 });
  expect([place.read(record.id).warnings, outbox.ids()]).toEqual([problems, [record.id]]);
  expect(steps).toEqual(["outbox-written", "record-temp-written", "record-renamed"]);
});

test("an end that was told while the disk refused leaves no notice behind", async () => {
  const mend = place.breakDisk();
  const record = endedRecord({ owner });
  await writer.record(record);
  mend();
  await writer.told(record.id);
  await vi.waitFor(() => expect(writer.unwritten).toBe(0), { timeout: 5_000 });
  expect([outbox.ids(), place.read(record.id).status]).toEqual([[], "succeeded"]);
});

test("a disk that refuses to the end leaves the record unwritten and holds nothing up", async () => {
  const mend = place.breakDisk();
  await writer.record(endedRecord({ owner }));
  const startedAt = performance.now();
  await writer.end();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(writer.unwritten).toBe(1);
  mend();
});

test("many refusals make no endless list in the record", async () => {
  const mend = place.breakDisk();
  const record: TaskRecord = recordOf({
    owner,
    warnings: Array.from({ length: 20 }, (_, index) => `warning ${index}`),
  });
  await writer.record(record);
  expect(store.own(record.id)?.warnings).toHaveLength(20);
  mend();
});

test("an owner whose task was taken, since its heartbeat failed it, stops writing", async () => {
  const record = recordOf({ owner });
  await writer.record(record);
  mkdirSync(place.at(record.id));
  writeFileSync(place.at(record.id, `claim-${owner.id}.json`), JSON.stringify(createOwner()));
  const taken = { ...record, status: "lost" as const, owner: createOwner() };
  place.write(taken);
  await writer.record({ ...record, status: "succeeded" });
  expect([place.read(record.id), outbox.ids(), store.own(record.id)]).toEqual([taken, [], undefined]);
  expect(readdirSync(place.folder).toSorted()).toEqual([record.id, `${record.id}.json`].toSorted());
});
