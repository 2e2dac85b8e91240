/** Records on disk are untrusted (spec 3.1, 3.2). */

import { expect, test } from "vitest";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { createRecordCheck, TASK_ID } from "../../src/tasks/record-schema.ts";
import { check as compiledCheck, endedRecord, newId, recordOf } from "./task-kit.ts";

/** Both ways to check, which must agree. */
const plainCheck = createRecordCheck({ typebox, typeboxValue });
function check(value: unknown): boolean {
  const answer = compiledCheck(value);
  expect(plainCheck(value)).toBe(answer);
  return answer;
}

const full = {
  ...endedRecord(),
  outputPreview: "text",
  stopReason: "x",
  stoppedBy: "person",
  errorMessage: "e",
  exitCode: 1,
  signal: "SIGKILL",
  parentTaskId: newId(),
  sessionFile: "/s.jsonl",
  pid: 5,
  pidStartedAt: "then",
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5, turns: 6 },
  report: {
    summary: "s",
    findings: [{ what: "w", evidence: "e" }],
    files_touched: ["f"],
    usage: { input: 1, output: 2, cost: 0, turns: 1 },
  },
  reportChannel: "tool",
  readOnlyTier: "enforced",
  warnings: ["w"],
};

test("a record passes with all its fields, with none that is optional, and with one that is not known yet", () => {
  expect(check(full)).toBe(true);
  expect(check(recordOf())).toBe(true);
  expect(check({ ...full, later: { x: 1 } })).toBe(true);
});

test.each([
  "schema",
  "id",
  "status",
  "label",
  "agentName",
  "depth",
  "createdAt",
  "startedAt",
  "transitionAt",
  "outputBytes",
  "spawnSource",
  "owner",
])("a record without %s is none", (key) => {
  const { [key as "id"]: _left, ...rest } = recordOf();
  expect(check(rest)).toBe(false);
});

test.each([
  { schema: 2 },
  { schema: "1" },
  { id: "../../etc/passwd" },
  { id: "01J9Z3T5W8Q4N7K2M6P0R1S5V" },
  { status: "done" },
  { label: 5 },
  { depth: -1 },
  { outputBytes: "12" },
  { createdAt: Infinity },
  { durationMs: Number.NaN },
  { owner: { id: "x", pid: 0, startedAt: "" } },
  { owner: { id: "x", pid: 1.5, startedAt: "" } },
  { owner: { id: "x", pid: 5 } },
  { owner: { id: "x", pid: 5, startedAt: "", place: 5 } },
  { pid: -1 },
  { pid: "5" },
  { spawnSource: { kind: "other", callerId: "x" } },
  { stoppedBy: "nobody" },
  { usage: { input: 1 } },
  { report: { summary: "s" } },
  { report: null },
  { reportChannel: "pending" },
  { readOnlyTier: "loose" },
  { warnings: "w" },
  { errorMessage: null },
])("one with %j is none", (field) => {
  expect(check({ ...full, ...field })).toBe(false);
});

test.each([null, undefined, 5, "text", [], {}, true])("%j is none", (value) => {
  expect(check(value)).toBe(false);
});

test("an id is a ULID and nothing else", () => {
  expect(TASK_ID.test(newId())).toBe(true);
  for (const id of [
    "",
    "01j9z3t5w8q4n7k2m6p0r1s5vx",
    "81J9Z3T5W8Q4N7K2M6P0R1S5VX",
    "01J9Z3T5W8Q4N7K2M6P0R1S5VX\n",
    "01J9Z3T5W8Q4N7K2M6P0R1S5VI",
    "../01J9Z3T5W8Q4N7K2M6P0R1S5",
  ])
    expect(TASK_ID.test(id)).toBe(false);
});
