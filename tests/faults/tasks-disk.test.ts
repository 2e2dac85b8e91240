/** Task files that are none, and disks that refuse (spec 6, 24 and 26): nothing else stops, and no result is lost. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import type { TaskStepKind } from "../../src/tasks/task-store.ts";
import {
  answer,
  assistant,
  deadOwner,
  endedRecord,
  newId,
  nextEnd,
  recordOf,
  TaskPlace,
} from "../tasks/task-kit.ts";
import { TaskHost } from "./task-hosts.ts";

let place: TaskPlace;
let tasks: SessionTasks;
const hosts: TaskHost[] = [];
beforeEach(() => {
  place = new TaskPlace();
  tasks = place.tasks();
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.end()));
  await place.remove();
});

const START = {
  label: "look around",
  depth: 1,
  source: { kind: "model", callerId: "call-1" },
  parentTaskId: undefined,
} as const;
const notices = (): string[] => readdirSync(place.at("outbox"));

function hostWith(limits: string): TaskHost {
  const host = new TaskHost(place.root, limits);
  hosts.push(host);
  return host;
}

describe("files that are no records", () => {
  const spoil: [name: string, make: (path: string) => void][] = [
    ["half-written", (path) => writeFileSync(path, JSON.stringify(recordOf()).slice(0, 150))],
    ["empty", (path) => writeFileSync(path, "")],
    ["a directory", (path) => mkdirSync(path)],
    ["a symlink", (path) => symlinkSync("/etc/passwd", path)],
    ["another program's JSON", (path) => writeFileSync(path, '{"name":"x","dependencies":{}}')],
    [
      "an id with ../",
      (path) => writeFileSync(path, JSON.stringify({ ...recordOf(), id: "../../../etc/passwd" })),
    ],
    ["a future schema version", (path) => writeFileSync(path, JSON.stringify({ ...recordOf(), schema: 2 }))],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["too large", (path) => writeFileSync(path, "x".repeat(16_777_217))],
  ];

  test("of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are", async () => {
    mkdirSync(place.at("outbox"), { recursive: true });
    const bad = spoil.map(([, make]) => {
      const id = newId();
      make(place.at(`${id}.json`));
      make(place.at("outbox", `${newId()}.json`));
      return id;
    });
    const [running, ended] = [recordOf({ owner: deadOwner() }), endedRecord({ owner: deadOwner() })];
    for (const record of [running, ended]) place.write(record);
    place.writeNotice(ended.id);
    const warnings = await tasks.recover();
    for (const id of bad) {
      expect(warnings.filter((warning) => warning.includes(`${id}.json`))).toHaveLength(1);
      expect(tasks.find(id)).toEqual({ ok: false, problem: expect.stringContaining(`${id}.json`) });
      expect(await tasks.stop(id, "x", "model")).toMatchObject({ ok: false });
    }
    expect(tasks.untold().map(({ id }) => id)).toEqual([running.id, ended.id].toSorted());
    const fresh = nextEnd(tasks);
    const { id } = await place.start(tasks, [answer("x")]);
    expect(await fresh).toMatchObject({ status: "succeeded" });
    await tasks.prune({ taskDays: 1, maxTasks: 1 });
    const page = await tasks.page({ limit: 100 });
    expect(page.records.map((record) => record.id)).toContain(id);
    expect(page.warnings).toHaveLength(bad.length);
    for (const one of bad) expect(readdirSync(place.folder)).toContain(`${one}.json`);
  });
});

describe("a disk that refuses", () => {
  test("before the start starts no child and gives the place back", async () => {
    writeFileSync(join(place.root, "tasks"), "in the way");
    const id = tasks.newId();
    const started = await tasks.start(place.plan([{ hang: true }], id), { ...START, taskId: id });
    expect(started).toEqual({
      refusal: expect.stringMatching(
        /^the task could not be recorded, so nothing was started: .*(ENOTDIR|EEXIST)/,
      ),
    });
    expect([place.disposed, tasks.running(), tasks.find(id).ok]).toEqual([1, [], false]);
  });

  const moments: [step: TaskStepKind, hadEnd: boolean][] = [
    ["child-spawned", false],
    ["output-appended", false],
    ["outbox-written", true],
    ["record-temp-written", true],
    ["record-renamed", true],
  ];

  test.each(moments)(
    "from %s on holds neither end nor place up, and gets everything once it takes writes again",
    async (moment) => {
      const problems: string[] = [];
      tasks.onProblem = (problem) => void problems.push(problem);
      const ended = nextEnd(tasks);
      let mend: (() => void) | undefined;
      let isOver = false;
      const record = await place.start(tasks, [assistant("half"), answer("the answer")]);
      const wanted = moment.startsWith("record-") ? () => isOver : () => true;
      tasks.onStep = (step) => {
        if (step === "outbox-written") isOver = true;
        if (step === moment && wanted()) mend ??= place.breakDisk();
      };
      if (moment === "child-spawned") mend = place.breakDisk();
      const end = await ended;
      expect(end).toMatchObject({ id: record.id, status: "succeeded", outputPreview: "half\n\nthe answer" });
      expect([place.disposed, tasks.running(), tasks.untold().map(({ id }) => id)]).toEqual([
        1,
        [],
        [record.id],
      ]);
      mend?.();
      await vi.waitFor(
        () => expect([place.read(record.id).status, notices()]).toEqual(["succeeded", [`${record.id}.json`]]),
        { timeout: 10_000 },
      );
      if (problems.length > 0)
        expect(place.read(record.id).warnings).toEqual(
          expect.arrayContaining([expect.stringContaining("could not be written")]),
        );
      await tasks.told([record.id]);
      expect(notices()).toEqual([]);
    },
  );

  test("while a notice is taken out leaves nothing to be told twice", async () => {
    const ended = nextEnd(tasks);
    const { id } = await place.start(tasks, [answer("x")]);
    await ended;
    const mend = place.breakDisk();
    await tasks.told([id]);
    expect(tasks.untold()).toEqual([]);
    mend();
    await vi.waitFor(() => expect(notices()).toEqual([]), { timeout: 10_000 });
  });

  test("to the end of the session does not hold it up, and the next recovery finds the task lost", async () => {
    const record = await place.start(tasks, [{ hang: true }]);
    await vi.waitFor(() => expect(place.read(record.id).pid).toBeGreaterThan(0));
    const mend = place.breakDisk();
    const startedAt = performance.now();
    await tasks.close();
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    mend();
    expect([place.read(record.id).status, place.disposed]).toEqual(["running", 1]);
    place.write({ ...place.read(record.id), owner: deadOwner() });
    const next = place.tasks();
    await next.recover();
    expect([place.read(record.id).status, next.untold().map(({ id }) => id)]).toEqual(["lost", [record.id]]);
  });
});

describe("a full disk", () => {
  test("that takes no record refuses the task, with its place given back", async () => {
    const host = hostWith("ulimit -f 0;");
    const { problem, disposed } = await host.order({ start: place.script([{ hang: true }]) });
    expect([problem, disposed]).toEqual([expect.stringContaining("nothing was started: "), 1]);
    expect((await host.order({ list: true })).records).toEqual([]);
    expect(place.files()).toEqual([]);
  });

  test("that takes a part of an output keeps it, says what is missing, and ends the task as it ended", async () => {
    // Blocks of 512 bytes: room for records, not for this output.
    const host = hostWith("ulimit -f 32;");
    const { record } = await host.order({ start: place.script([answer(`${"x".repeat(40_000)}END`)]) });
    const id = record?.id as string;
    await host.order({ idle: 20_000 });
    const { records, untold, disposed } = await host.order({ list: true });
    expect(records).toMatchObject([{ id, status: "succeeded", outputBytes: 16_384 }]);
    expect(records?.[0]?.outputPreview).toMatch(/xEND$/);
    expect(records?.[0]?.warnings?.join("\n")).toMatch(
      /output could not be written: .*EFBIG.*\n23619 bytes of output were left out/s,
    );
    expect([untold, disposed]).toEqual([[id], 1]);
    expect([statSync(place.at(id, "output.log")).size, place.read(id).status]).toEqual([16_384, "succeeded"]);
  });

  test("that takes no end of a record keeps it in memory, tells of it, and writes it when there is room", async () => {
    const host = hostWith("");
    const { record } = await host.order({ start: [{ sleepMs: 500 }, answer("y".repeat(2_000))] });
    const id = record?.id as string;
    await vi.waitFor(() => expect(place.read(id).pid).toBeGreaterThan(0));
    execFileSync("prlimit", ["--pid", String(host.pid), "--fsize=1024:unlimited"]);
    await host.order({ idle: 20_000 });
    const { records, untold, problems, disposed } = await host.order({ list: true });
    expect(records).toMatchObject([{ id, status: "succeeded" }]);
    expect([untold, problems, disposed]).toEqual([
      [id],
      [
        expect.stringMatching(/ output could not be written: EFBIG/),
        expect.stringMatching(/ could not be written to disk, which is tried again: EFBIG/),
      ],
      1,
    ]);
    expect(place.read(id).status).toBe("running");
    execFileSync("prlimit", ["--pid", String(host.pid), "--fsize=unlimited:unlimited"]);
    await vi.waitFor(() => expect(place.read(id).status).toBe("succeeded"), { timeout: 10_000 });
    expect(readdirSync(place.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(readFileSync(place.at(`${id}.json`), "utf8")).toContain("is tried again");
  });
});
