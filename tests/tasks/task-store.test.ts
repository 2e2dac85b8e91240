/** Records on disk (spec 3.2; fault 24). */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { decodeTime, ulid } from "ulid";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TaskStore, type TaskStepKind } from "../../src/tasks/task-store.ts";
import { check, endedRecord, newId, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
beforeEach(() => (place = new TaskPlace()));
afterEach(() => place.remove());

const everything = { limit: 1_000 };

describe("a record", () => {
  test("is written whole, for its user only, and read back as it was", async () => {
    const record = endedRecord({
      label: "ä\n\u2028",
      report: { summary: "s", findings: [], files_touched: [] },
      reportChannel: "tool",
    });
    await place.store().save(record);
    expect(readdirSync(place.folder)).toEqual([`${record.id}.json`]);
    expect([
      statSync(place.folder).mode & 0o777,
      statSync(place.at(`${record.id}.json`)).mode & 0o777,
    ]).toEqual([0o700, 0o600]);
    expect(place.store().find(record.id)).toEqual({ kind: "found", record });
    expect(place.read(record.id)).toEqual(record);
  });

  test("tells when its text lies beside the old one, and when it took its place", async () => {
    const steps: [TaskStepKind, boolean][] = [];
    const record = recordOf();
    const onStep = (step: TaskStepKind): void =>
      void steps.push([step, existsSync(place.at(`${record.id}.json`))]);
    await new TaskStore({ folder: place.folder, check, onStep }).save(record);
    expect(steps).toEqual([
      ["record-temp-written", false],
      ["record-renamed", true],
    ]);
  });

  test("is saved though whoever watches the steps throws", async () => {
    const record = recordOf();
    const onStep = (): never => {
      throw new Error("mine");
    };
    await new TaskStore({ folder: place.folder, check, onStep }).save(record);
    expect(place.read(record.id)).toEqual(record);
  });

  test("of another pi is read anew when it changed, and gone when it is", async () => {
    const [store, other] = [place.store(), place.store()];
    const record = recordOf();
    await other.save(record);
    expect(store.find(record.id)).toMatchObject({ record: { status: "running" } });
    await other.save({ ...record, status: "failed" });
    expect(store.find(record.id)).toMatchObject({ record: { status: "failed" } });
    expect((await store.page(everything)).records).toMatchObject([{ status: "failed" }]);
    rmSync(place.at(`${record.id}.json`));
    expect(store.find(record.id)).toEqual({ kind: "absent" });
    expect(await store.page(everything)).toEqual({ records: [], warnings: [] });
  });

  test("of this pi is what this pi knows, whatever the disk says", async () => {
    const store = place.store();
    const record = recordOf();
    store.keep(record);
    await store.save(record);
    writeFileSync(place.at(`${record.id}.json`), "garbage");
    store.keep({ ...record, status: "stopping" });
    expect(store.find(record.id)).toMatchObject({ record: { status: "stopping" } });
    rmSync(place.at(`${record.id}.json`));
    expect(await store.page(everything)).toMatchObject({
      records: [{ id: record.id, status: "stopping" }],
      warnings: [],
    });
    rmSync(place.folder, { recursive: true });
    expect(await store.page(everything)).toMatchObject({ records: [{ id: record.id }], warnings: [] });
    store.forget(record.id);
    expect(store.find(record.id)).toEqual({ kind: "absent" });
  });

  test("is not looked for under an id that is none", () => {
    for (const id of ["../../etc/passwd", "", "x", "01J9Z3T5W8Q4N7K2M6P0R1S5VX/.."])
      expect(() => place.store().find(id)).toThrow(TypeError);
  });

  test("that is removed goes with its output, its notice and its child's session", async () => {
    const store = place.store();
    const record = endedRecord();
    await store.save(record);
    place.writeOutput(record.id, "text");
    place.writeNotice(record.id);
    mkdirSync(place.at(record.id, "session"));
    writeFileSync(place.at(record.id, "session", "x.jsonl"), "{}");
    expect(await store.remove(record.id)).toBe(true);
    expect(readdirSync(place.folder)).toEqual(["outbox"]);
    expect(readdirSync(place.at("outbox"))).toEqual([]);
    expect(store.find(record.id)).toEqual({ kind: "absent" });
  });

  test("that is removed takes nothing along that a link points to", async () => {
    const record = endedRecord();
    await place.store().save(record);
    mkdirSync(`${place.root}/precious`);
    writeFileSync(`${place.root}/precious/x`, "x");
    symlinkSync(`${place.root}/precious`, place.at(record.id));
    expect(await place.store().remove(record.id)).toBe(true);
    expect([existsSync(`${place.root}/precious/x`), readdirSync(place.folder)]).toEqual([true, []]);
  });
});

describe("a list", () => {
  test("is newest first, at most as long as asked for, and of the statuses asked for", async () => {
    const statuses = ["succeeded", "failed", "running", "succeeded", "lost", "running"] as const;
    const records = statuses.map((status) => recordOf({ status }));
    for (const record of records) place.write(record);
    const newest = records.toReversed();
    const store = place.store();
    expect((await store.page(everything)).records).toEqual(newest);
    expect((await store.page({ limit: 2 })).records).toEqual(newest.slice(0, 2));
    expect((await store.page({ statuses: ["running"], limit: 1 })).records).toEqual([newest[0]]);
    expect((await store.page({ statuses: ["succeeded", "lost"], limit: 10 })).records).toEqual([
      newest[1],
      newest[2],
      newest[5],
    ]);
    expect((await store.page({ statuses: ["canceled"], limit: 10 })).records).toEqual([]);
    expect((await store.unfinished()).records).toEqual([newest[0], newest[3]]);
    expect((await store.page(everything)).records).toEqual(newest);
    expect(store.ids()).toEqual(records.map(({ id }) => id));
  });

  test("of a session without tasks is empty", async () => {
    expect(await place.store().page(everything)).toEqual({ records: [], warnings: [] });
  });

  test("follows what other pis add, also within the same tick of the clock", async () => {
    const store = place.store();
    for (let count = 1; count <= 20; count += 1) {
      place.write(recordOf());
      expect((await store.page(everything)).records).toHaveLength(count);
    }
  });

  test("follows files that came while the clock stood in the future", async () => {
    const store = place.store();
    place.write(recordOf());
    const future = new Date(Date.now() + 3_600_000);
    utimesSync(place.folder, future, future);
    expect((await store.page(everything)).records).toHaveLength(1);
    place.write(recordOf());
    utimesSync(place.folder, future, future);
    expect((await store.page(everything)).records).toHaveLength(2);
  });

  test("of a folder that is none says so", async () => {
    mkdirSync(`${place.root}/tasks`);
    writeFileSync(place.folder, "a file");
    expect(await place.store().page(everything)).toEqual({
      records: [],
      warnings: [`${place.folder} cannot be read (ENOTDIR)`],
    });
  });
});

describe("a file that is no record", () => {
  const good = recordOf();
  const cases: [name: string, problem: string, make: (path: string, id: string) => void][] = [
    ["empty", "is empty", (path) => writeFileSync(path, "")],
    [
      "half-written",
      "is no JSON",
      (path, id) => writeFileSync(path, JSON.stringify(recordOf({ id })).slice(0, 100)),
    ],
    ["bytes", "is no JSON", (path) => writeFileSync(path, Buffer.from([0xff, 0, 0x80]))],
    ["null", "is no task record", (path) => writeFileSync(path, "null")],
    [
      "another program's JSON",
      "is no task record",
      (path) => writeFileSync(path, '{"name":"x","version":"1.0.0"}'),
    ],
    [
      "of a future version",
      "was written by a newer version (schema 2)",
      (path, id) => writeFileSync(path, JSON.stringify({ ...recordOf({ id }), schema: 2 })),
    ],
    [
      "with an id that leads elsewhere",
      "is no task record",
      (path) => writeFileSync(path, JSON.stringify({ ...good, id: "../../x" })),
    ],
    [
      "of another task",
      "holds the record of another task",
      (path) => writeFileSync(path, JSON.stringify(good)),
    ],
    ["a directory", "is", (path) => mkdirSync(path)],
    [
      "a link",
      "is a symbolic link",
      (path) => (
        writeFileSync(`${place.root}/elsewhere`, JSON.stringify(good)),
        symlinkSync(`${place.root}/elsewhere`, path)
      ),
    ],
    ["a dangling link", "is a symbolic link", (path) => symlinkSync("/nowhere", path)],
    ["a pipe", "is no regular file", (path) => execFileSync("mkfifo", [path])],
    ["nested without end", "is no", (path) => writeFileSync(path, "[".repeat(200_000))],
    [
      "too large",
      "has 16777217 bytes, more than 16777216",
      (path) => writeFileSync(path, " ".repeat(16_777_217)),
    ],
  ];

  test.each(cases)(
    "(%s) is told of with its path, left in place, and in nobody's way",
    async (_name, problem, make) => {
      const [older, newer] = [recordOf({ status: "failed" }), newId()];
      place.write(older);
      const path = place.at(`${newer}.json`);
      make(path, newer);
      const store = place.store();
      for (const query of [everything, { limit: 1 }, { limit: 5, statuses: ["failed"] as const }]) {
        const { records, warnings } = await store.page(query);
        expect(records).toEqual([older]);
        expect(warnings).toEqual([expect.stringContaining(`${path} ${problem}`)]);
        expect(warnings[0]).toMatch(/; it is left in place$/);
      }
      expect(store.find(newer)).toEqual({ kind: "unusable", problem: expect.stringContaining(problem) });
      expect(readdirSync(place.folder)).toContain(`${newer}.json`);
    },
  );

  test("is taken as one as soon as it is one", async () => {
    const record = recordOf();
    const store = place.store();
    place.write({ id: record.id });
    expect(store.find(record.id)).toMatchObject({ kind: "unusable" });
    place.write(record);
    expect(store.find(record.id)).toEqual({ kind: "found", record });
  });

  test("with another name is not looked at", async () => {
    mkdirSync(place.folder, { recursive: true });
    for (const name of ["x.json", ".1-2.tmp", `${newId().toLowerCase()}.json`, "outbox"])
      writeFileSync(place.at(name), "garbage");
    expect(await place.store().page(everything)).toEqual({ records: [], warnings: [] });
  });
});

test("a folder that was moved away and comes back is read again", async () => {
  const record = recordOf();
  place.write(record);
  const store = place.store();
  await store.page(everything);
  renameSync(place.folder, `${place.folder}-away`);
  expect((await store.page(everything)).records).toEqual([]);
  renameSync(`${place.folder}-away`, place.folder);
  expect((await store.page(everything)).records).toEqual([record]);
});

test("ids sort by the time of their start", () => {
  expect(ulid(1_000) < ulid(2_000)).toBe(true);
  expect(decodeTime(newId())).toBeGreaterThan(1_700_000_000_000);
});
