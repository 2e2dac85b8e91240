import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endReader, readRecordFile, recordText } from "../../src/tasks/record-file.ts";
import { check, endedRecord, recordOf, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
beforeEach(() => {
  place = new TaskPlace();
  mkdirSync(place.folder, { recursive: true });
});
afterEach(() => place.remove());

describe("the text of a record", () => {
  test("is read back as it was, and says near its beginning how the task stands", () => {
    const { id, ...rest } = endedRecord({ status: "failed", label: '"status":"running"' });
    const record = { ...rest, id };
    writeFileSync(place.at("x"), recordText(record));
    expect(readRecordFile(place.at("x"), id, check)).toEqual({
      kind: "record",
      record,
      stamp: expect.any(String),
    });
    expect(recordText(record).indexOf('"status":"failed"')).toBeLessThan(60);
  });
});

describe("how a task ended", () => {
  const read = (text: string | Uint8Array) => {
    writeFileSync(place.at("x"), text);
    return endReader()(place.at("x"));
  };

  test("is read from the first bytes of its file, however the rest looks", () => {
    for (const status of ["succeeded", "failed", "canceled", "lost"] as const) {
      expect(read(recordText(endedRecord({ status })))).toBe(status);
      expect(read(recordText(endedRecord({ status })).slice(0, 80))).toBe(status);
    }
  });

  test("cannot be told of a task that may change, of another form, or of no record", () => {
    for (const status of ["running", "stopping"] as const)
      expect(read(recordText(recordOf({ status })))).toBeUndefined();
    const { schema, status, ...rest } = endedRecord();
    for (const text of [
      JSON.stringify({ ...rest, schema, status }),
      JSON.stringify({ schema: 2, id: rest.id, status }),
      "",
      "garbage",
      '{"schema":1,"id":"',
      Buffer.from([0xff, 0]),
    ])
      expect(read(text)).toBeUndefined();
  });

  test("cannot be told of a folder, a link or nothing", () => {
    const readEnd = endReader();
    writeFileSync(place.at("good"), recordText(endedRecord()));
    symlinkSync(place.at("good"), place.at("link"));
    expect([place.folder, place.at("link"), place.at("none")].map(readEnd)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(readEnd(place.at("good"))).toBe("succeeded");
  });

  test("is each file's own, though all are read into the same bytes", () => {
    const readEnd = endReader();
    writeFileSync(place.at("one"), recordText(endedRecord({ status: "succeeded" })));
    writeFileSync(place.at("two"), "{}");
    expect([readEnd(place.at("one")), readEnd(place.at("two")), readEnd(place.at("one"))]).toEqual([
      "succeeded",
      undefined,
      "succeeded",
    ]);
  });
});
