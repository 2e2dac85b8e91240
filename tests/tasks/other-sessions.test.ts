/** What a session sees of others of its project (spec 3.5). */

import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OtherSessions } from "../../src/tasks/other-sessions.ts";
import { createOwner } from "../../src/tasks/owner.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { sessionTasksFolder } from "../../src/tasks/task-paths.ts";
import { check, deadOwner, endedRecord, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
let others: OtherSessions;
beforeEach(() => {
  place = new TaskPlace();
  others = new OtherSessions(place.folder, check);
});
afterEach(() => place.remove());

const folderOf = (session: string): string => sessionTasksFolder(place.root, session);

function write(session: string, record: TaskRecord, isUntold = false): TaskRecord {
  place.write(record, folderOf(session));
  if (isUntold) {
    const outbox = join(folderOf(session), "outbox");
    mkdirSync(outbox, { recursive: true });
    writeFileSync(join(outbox, `${record.id}.json`), JSON.stringify({ schema: 1, id: record.id }));
  }
  return record;
}

async function seen(): Promise<string[]> {
  return (await others.open()).map(({ session, record: { id, status } }) => `${session} ${id} ${status}`);
}

describe("a list of what others have open", () => {
  test("has what runs there, what was cut off, and what was not told, and changes nothing", async () => {
    const [running, crashed, untold] = [
      write("two", recordOf({ owner: createOwner() })),
      write("two", recordOf({ owner: deadOwner() })),
      write("three", endedRecord({ owner: deadOwner(), status: "failed" }), true),
    ];
    write("two", endedRecord({ owner: deadOwner() }));
    place.write(recordOf({ owner: createOwner() }));
    const files = ["two", "three"].map((session) => readdirSync(folderOf(session)));
    expect((await seen()).toSorted()).toEqual(
      [`two ${running.id} running`, `two ${crashed.id} lost`, `three ${untold.id} failed`].toSorted(),
    );
    expect(["two", "three"].map((session) => readdirSync(folderOf(session)))).toEqual(files);
  });

  test("looks at the sessions that changed last, and is bounded", async () => {
    const past = Date.now() / 1_000 - 1_000;
    for (let count = 0; count < 25; count += 1) {
      for (let each = 0; each < 3; each += 1) write(`s${count}`, recordOf({ owner: createOwner() }));
      utimesSync(folderOf(`s${count}`), past + count, past + count);
    }
    const sessions = (await others.open()).map(({ session }) => session);
    expect([sessions.length, sessions[0], new Set(sessions).size]).toEqual([50, "s24", 17]);
  });

  test("is empty beside a folder that is no session's, and where nothing lies", async () => {
    expect(await seen()).toEqual([]);
    write("two", recordOf({ owner: createOwner() }));
    place.write(recordOf({ owner: createOwner() }), join(place.root, "pi-ptc-tasks-y"));
    others = new OtherSessions(join(place.root, "pi-ptc-tasks-x"), check);
    expect(await seen()).toEqual([]);
  });

  test("passes over what is no record", async () => {
    const { id } = write("two", recordOf({ owner: createOwner() }), true);
    writeFileSync(join(folderOf("two"), `${id}.json`), "{");
    expect(await seen()).toEqual([]);
  });
});

test("what was listed can be looked at, as it is then", async () => {
  const record = write("two", recordOf({ owner: createOwner() }));
  mkdirSync(join(folderOf("two"), record.id));
  writeFileSync(join(folderOf("two"), record.id, "output.log"), "so far");
  expect(others.look(record.id, { maxBytes: 100 })).toBeUndefined();
  await others.open();
  write("two", { ...record, status: "succeeded" });
  expect(others.look(record.id, { maxBytes: 100 })).toMatchObject({
    record: { status: "succeeded" },
    part: { ok: true, text: "so far" },
  });
});
