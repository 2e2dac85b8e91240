/** What a pi does about tasks of a pi that is gone (spec 3.3; faults 25 and 26). */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/base/process-identity.ts";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import { beatPath, createOwner } from "../../src/tasks/owner.ts";
import { Outbox } from "../../src/tasks/outbox.ts";
import type { TaskOwner, TaskRecord } from "../../src/tasks/record.ts";
import { type Recovery, recoverTasks } from "../../src/tasks/recovery.ts";
import { TaskWriter } from "../../src/tasks/task-writer.ts";
import { deadOwner, endedRecord, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
beforeEach(() => (place = new TaskPlace()));
afterEach(() => place.remove());

/** One pi that starts. */
function pi(owner: TaskOwner = createOwner()) {
  const store = place.store();
  const outbox = new Outbox(store);
  const problems: string[] = [];
  const writer = new TaskWriter({ store, outbox, onProblem: (problem) => void problems.push(problem) });
  return {
    store,
    outbox,
    writer,
    owner,
    problems,
    recover: () => recoverTasks({ store, outbox, writer, owner, showLife: async () => undefined }),
  };
}

describe("a task whose pi is gone", () => {
  test.each(["running", "stopping"] as const)("is lost, with what it had said (%s)", async (status) => {
    const record = recordOf({ status, owner: deadOwner(), outputBytes: 0 });
    place.write(record);
    place.writeOutput(record.id, `${"x".repeat(3_000)}€`);
    const { recover, owner, outbox } = pi();
    const { lost, warnings } = await recover();
    expect(warnings).toEqual([]);
    expect(lost).toEqual([place.read(record.id)]);
    expect(place.read(record.id)).toMatchObject({
      id: record.id,
      status: "lost",
      owner,
      stopReason: "lost_on_session_restart",
      errorMessage: "lost_on_session_restart",
      outputBytes: 3_003,
      outputPreview: `${"x".repeat(2_045)}€`,
      label: record.label,
    });
    expect(place.read(record.id)).not.toHaveProperty("reportChannel");
    expect(outbox.ids()).toEqual([record.id]);
  });

  test("took until its last sign of life, whatever a clock or a file says", async () => {
    const now = Date.now();
    const minutes = (count: number): number => now - count * 60_000;
    const [silent, spoke, future, stepped, beaten] = [60, 60, 60, -60, 60].map((age) =>
      recordOf({
        owner: deadOwner(),
        createdAt: minutes(age),
        startedAt: minutes(age),
        transitionAt: minutes(age),
      }),
    ) as [TaskRecord, TaskRecord, TaskRecord, TaskRecord, TaskRecord];
    for (const { id, ...rest } of [silent, spoke, future, stepped, beaten]) place.write({ id, ...rest });
    place.writeOutput(spoke.id, "text");
    const touch = (path: string, time: number): void => utimesSync(path, time / 1_000, time / 1_000);
    for (const { id } of [silent, spoke, stepped, beaten]) touch(place.at(`${id}.json`), minutes(59));
    touch(place.at(spoke.id, "output.log"), minutes(40));
    touch(place.at(`${future.id}.json`), minutes(-600));
    const beat = beatPath(place.folder, beaten.owner.id);
    writeFileSync(beat, "");
    touch(beat, minutes(10));
    const { lost } = await pi().recover();
    const tookMinutes = new Map(lost.map(({ id, durationMs = -1 }) => [id, Math.round(durationMs / 60_000)]));
    const took = [silent, spoke, future, stepped, beaten].map(({ id }) => tookMinutes.get(id));
    expect(took).toEqual([1, 20, 60, 0, 50]);
    for (const { finishedAt = 0 } of lost) expect(finishedAt).toBeGreaterThanOrEqual(now);
  });

  test("of several pis that start at once is taken over by one", async () => {
    const records = Array.from({ length: 5 }, () => recordOf({ owner: deadOwner() }));
    for (const record of records) place.write(record);
    const found = await Promise.all(Array.from({ length: 6 }, () => pi().recover()));
    const lost = found.flatMap((recovery) => recovery.lost.map(({ id }) => id));
    expect(lost.toSorted()).toEqual(records.map(({ id }) => id));
    for (const { id } of records) expect(place.read(id).status).toBe("lost");
  });

  test("that another pi lost, told of, and left, is not lost again", async () => {
    const record = recordOf({ owner: deadOwner() });
    place.write(record);
    const first = pi(deadOwner());
    const second = pi();
    // It reads the folder before the first writes.
    await second.store.unfinished();
    await first.recover();
    await first.outbox.remove(record.id);
    const read = second.store.unfinished.bind(second.store);
    second.store.unfinished = async () => ({ ...(await read()), records: [record] });
    expect((await second.recover()).lost).toEqual([]);
    expect(second.outbox.ids()).toEqual([]);
  });

  test("is recovered once more when the pi that took it over died before it wrote", async () => {
    const record = recordOf({ owner: deadOwner() });
    place.write(record);
    const half = deadOwner();
    mkdirSync(place.at(record.id));
    writeFileSync(place.at(record.id, `claim-${record.owner.id}.json`), JSON.stringify(half));
    expect((await pi().recover()).lost).toMatchObject([{ id: record.id }]);
  });

  test("is recovered though a bad file lies beside it", async () => {
    const record = recordOf({ owner: deadOwner() });
    const bad = recordOf();
    place.write(record);
    writeFileSync(place.at(`${bad.id}.json`), "{");
    const { lost, warnings } = await pi().recover();
    expect([lost.length, warnings]).toEqual([1, [expect.stringContaining(`${bad.id}.json is no JSON`)]]);
  });
});

describe("a task of a living pi", () => {
  test("is never touched, nor its notice", async () => {
    const other = createOwner();
    const running = recordOf({ owner: other });
    const ended = endedRecord({ owner: other });
    for (const record of [running, ended]) place.write(record);
    place.writeNotice(ended.id);
    const { recover, store, outbox } = pi();
    expect(await recover()).toMatchObject({ lost: [], warnings: [] });
    expect([place.read(running.id), place.read(ended.id), outbox.ids()]).toEqual([
      running,
      ended,
      [ended.id],
    ]);
    expect([store.own(running.id), store.own(ended.id)]).toEqual([undefined, undefined]);
  });
});

describe("a notice whose pi is gone", () => {
  test("is taken over by one pi, and the record stays as its owner wrote it", async () => {
    const record = endedRecord({ owner: deadOwner() });
    place.write(record);
    place.writeNotice(record.id);
    const pis = Array.from({ length: 5 }, () => pi());
    await Promise.all(pis.map(({ recover }) => recover()));
    const takers = pis.filter(({ store }) => store.own(record.id));
    expect(takers).toHaveLength(1);
    expect(takers[0]?.store.own(record.id)).toEqual({ ...record, owner: takers[0]?.owner });
    expect(place.read(record.id)).toEqual(record);
  });

  test("of a task that is no more is removed", async () => {
    const record = endedRecord();
    place.writeNotice(record.id);
    const { recover, outbox } = pi();
    expect((await recover()).warnings).toEqual([]);
    expect(outbox.ids()).toEqual([]);
  });

  test("of a task that cannot be read stays", async () => {
    const record = endedRecord();
    place.write({ id: record.id });
    place.writeNotice(record.id);
    const { recover, outbox } = pi();
    await recover();
    expect(outbox.ids()).toEqual([record.id]);
  });
});

describe.runIf(process.platform === "linux")("the child of a pi that is gone", () => {
  /** A process that stands for a child left alone. */
  async function orphan(marker: string, script = "exec sleep 60") {
    const child = spawn("sh", ["-c", script.replace(/^(trap '' TERM; )?/, "$1echo ready; ")], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, [RUN_MARKER]: marker },
    });
    await once(child.stdout, "data");
    const ended = once(child, "exit");
    const { startedAt } = identifyProcess(child.pid as number) ?? { startedAt: "" };
    return { pid: child.pid as number, pidStartedAt: startedAt, ended, kill: () => child.kill("SIGKILL") };
  }

  async function recovered(record: ReturnType<typeof recordOf>): Promise<Recovery> {
    place.write(record);
    const recovery = await pi().recover();
    await recovery.orphansEnded;
    return recovery;
  }

  test("is ended", async () => {
    const record = recordOf({ owner: deadOwner() });
    const { pid, pidStartedAt, ended } = await orphan(`above/${record.id}`);
    await recovered({ ...record, pid, pidStartedAt });
    expect(await ended).toEqual([null, "SIGTERM"]);
  });

  test("is ended though the pi died before it noted which process it was", async () => {
    const record = recordOf({ owner: deadOwner() });
    const { ended } = await orphan(record.id);
    await recovered(record);
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  test("is not a process with its id that started at another time, or that carries no mark of the task", async () => {
    const record = recordOf({ owner: deadOwner() });
    const [other, unmarked] = [await orphan("other"), await orphan("")];
    await recovered({ ...record, pid: other.pid, pidStartedAt: `${other.pidStartedAt}1` });
    await recovered({
      ...recordOf({ owner: deadOwner() }),
      pid: other.pid,
      pidStartedAt: other.pidStartedAt,
    });
    await recovered({
      ...recordOf({ owner: deadOwner() }),
      pid: unmarked.pid,
      pidStartedAt: unmarked.pidStartedAt,
    });
    for (const { pid, kill, ended } of [other, unmarked]) {
      expect(identifyProcess(pid)).toBeDefined();
      kill();
      expect(await ended).toEqual([null, "SIGKILL"]);
    }
  });

  test("that does not listen is killed", async () => {
    const record = recordOf({ owner: deadOwner() });
    const { pid, pidStartedAt, ended } = await orphan(record.id, "trap '' TERM; while :; do sleep 0.2; done");
    await recovered({ ...record, pid, pidStartedAt });
    expect(await ended).toEqual([null, "SIGKILL"]);
  });
});

describe("a disk that refuses the claim", () => {
  test("leaves the task to the next recovery, lost to this pi, and ends the child", async () => {
    const record = recordOf({ owner: deadOwner() });
    place.write(record);
    // A link in the place of the task's folder is refused whoever asks, also the superuser.
    symlinkSync(place.root, place.at(record.id));
    const { recover, store, outbox } = pi();
    const { lost, warnings } = await recover();
    expect([lost, outbox.ids()]).toEqual([[], []]);
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^task ${record.id} is lost, which could not be written to disk: `)),
    ]);
    expect(store.own(record.id)?.status).toBe("lost");
    expect(place.read(record.id)).toEqual(record);
    rmSync(place.at(record.id));
    expect((await pi().recover()).lost).toMatchObject([{ id: record.id, status: "lost" }]);
  });

  test("says so for a notice, which stays", async () => {
    const record = endedRecord({ owner: deadOwner() });
    place.write(record);
    place.writeNotice(record.id);
    symlinkSync(place.root, place.at(record.id));
    const { recover, outbox } = pi();
    expect((await recover()).warnings).toEqual([
      expect.stringContaining(`the notice of task ${record.id} could not be taken over`),
    ]);
    expect(outbox.ids()).toEqual([record.id]);
  });
});

test("a session without a folder has nothing to recover", async () => {
  expect(await pi().recover()).toMatchObject({ lost: [], warnings: [] });
  mkdirSync(place.folder, { recursive: true });
  renameSync(place.folder, `${place.folder}-away`);
  writeFileSync(place.folder, "");
  chmodSync(place.folder, 0o600);
  expect((await pi().recover()).warnings).toEqual([expect.stringContaining("cannot be read")]);
  expect(readdirSync(`${place.folder}-away`)).toEqual([]);
});
