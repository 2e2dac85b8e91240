/** What a branch shows of its tasks (spec 3.5): told is in the branch and answered without an error. */

import { describe, expect, test } from "vitest";
import { type BranchEntry, LOOK_ENTRY, NOTICE_ENTRY, readBranch, START_ENTRY } from "../../src/tasks/told.ts";
import { newId } from "./task-kit.ts";

const [A, B] = [newId(), newId()];
const FOLDER = "/s/tasks/one";
let count = 0;
const entry = (type: string, more: object): BranchEntry => ({ type, id: `e${(count += 1)}`, ...more });
const started = (taskId: unknown, folder: unknown = FOLDER): BranchEntry =>
  entry("custom", { customType: START_ENTRY, data: { taskId, folder } });
const notice = (...taskIds: string[]): BranchEntry =>
  entry("custom_message", {
    customType: NOTICE_ENTRY,
    content: taskIds.map((id) => `<x task-id="${id}">`).join(),
    details: { batchId: "b", taskIds },
  });
const answered = (stopReason = "stop"): BranchEntry =>
  entry("message", { message: { role: "assistant", stopReason } });
const prompt = (): BranchEntry => entry("message", { message: { role: "user" } });
const compaction = (firstKept: BranchEntry | undefined): BranchEntry =>
  entry("compaction", { firstKeptEntryId: firstKept?.id });

function read(...entries: BranchEntry[]) {
  const { told, unanswered, started: starts } = readBranch(entries);
  return { told: [...told], unanswered: [...unanswered], started: [...starts] };
}

describe("an end", () => {
  test("is told by a notice and a later answer", () => {
    expect(read(prompt(), notice(A), answered())).toMatchObject({ told: [A], unanswered: [] });
    expect(read(notice(A, B), prompt(), answered("toolUse"))).toMatchObject({ told: [A, B] });
  });

  test("is not told before an answer, nor by one that came earlier", () => {
    expect(read(answered(), notice(A))).toMatchObject({ told: [], unanswered: [A] });
    expect(read(answered(), notice(A), prompt())).toMatchObject({ told: [], unanswered: [A] });
  });

  test.each(["error", "aborted"])("is not told by an answer that ended as %s, but by the next", (reason) => {
    expect(read(notice(A), answered(reason))).toMatchObject({ told: [], unanswered: [A] });
    expect(read(notice(A), answered(reason), prompt(), answered())).toMatchObject({
      told: [A],
      unanswered: [],
    });
  });

  test("is told by a look at it and a later answer", () => {
    const look = (taskId: unknown): BranchEntry =>
      entry("custom", { customType: LOOK_ENTRY, data: { taskId } });
    expect(read(look(A))).toMatchObject({ told: [], unanswered: [A] });
    expect(read(look(A), answered(), look(B), look("../x"), look(5))).toMatchObject({
      told: [A],
      unanswered: [B],
    });
  });

  test("is not told by results of tools", () => {
    expect(
      read(notice(A), entry("message", { message: { role: "toolResult", toolName: "x" } })),
    ).toMatchObject({ unanswered: [A] });
  });

  test("stays told when its notice comes again", () => {
    expect(read(notice(A), answered(), notice(A))).toMatchObject({ told: [A], unanswered: [] });
  });

  test("is each task's own", () => {
    expect(read(notice(A), answered(), notice(B))).toMatchObject({ told: [A], unanswered: [B] });
    expect(read()).toEqual({ told: [], unanswered: [], started: [] });
  });
});

describe("a compaction", () => {
  test("of a told notice repeats nothing", () => {
    const last = prompt();
    expect(read(notice(A), answered(), last, compaction(last))).toMatchObject({ told: [A], unanswered: [] });
  });

  test("that dropped a notice before it was answered leaves it to be told again", () => {
    const last = prompt();
    expect(read(notice(A), last, compaction(last), answered())).toMatchObject({ told: [], unanswered: [] });
    expect(read(notice(A), last, compaction(last), notice(A), answered())).toMatchObject({ told: [A] });
  });

  test("that kept the notice changes nothing", () => {
    const kept = notice(A);
    expect(read(prompt(), kept, compaction(kept))).toMatchObject({ told: [], unanswered: [A] });
    expect(read(prompt(), kept, compaction(kept), answered())).toMatchObject({ told: [A] });
  });

  test("that does not say what it kept has dropped all before it", () => {
    expect(read(notice(A), compaction(undefined), answered())).toMatchObject({ told: [], unanswered: [] });
    const unknown = entry("compaction", { firstKeptEntryId: "nowhere" });
    expect(read({ ...notice(A), id: undefined } as never, unknown, answered())).toMatchObject({ told: [] });
  });
});

describe("entries that others wrote", () => {
  test.each([
    undefined,
    null,
    "text",
    5,
    [],
    {},
    { taskIds: A },
    { taskIds: [5, null, {}] },
    { taskIds: { length: 1 } },
  ])("with the details %j tell nothing", (details) => {
    const forged = entry("custom_message", { customType: NOTICE_ENTRY, content: `task-id="${A}"`, details });
    expect(read(forged, answered())).toMatchObject({ told: [], unanswered: [] });
  });

  test.each([undefined, "", "something else", [], [{ type: "text", text: "hello" }], 5])(
    "that name a task in their details but not in what the model sees (%j) tell nothing",
    (content) => {
      const forged = entry("custom_message", {
        customType: NOTICE_ENTRY,
        content,
        details: { taskIds: [A] },
      });
      expect(read(forged, answered())).toMatchObject({ told: [], unanswered: [] });
    },
  );

  test("of other types, or not shown to the model, tell nothing", () => {
    const details = { taskIds: [A] };
    const content = `task-id="${A}"`;
    expect(
      read(
        entry("custom", { customType: NOTICE_ENTRY, content, details }),
        entry("custom_message", { customType: "other", content, details }),
        answered(),
      ),
    ).toMatchObject({ told: [] });
  });

  test("may hold the notice as parts of a message", () => {
    const parts = entry("custom_message", {
      customType: NOTICE_ENTRY,
      content: [{ type: "text", text: `task-id="${A}"` }],
      details: { taskIds: [A] },
    });
    expect(read(parts, answered())).toMatchObject({ told: [A] });
  });

  test.each([null, 5, "x", {}, { role: 5 }, { role: "assistant" }])(
    "with the message %j break nothing",
    (message) => {
      expect(() => read(notice(A), entry("message", { message }))).not.toThrow();
    },
  );
});

describe("a start", () => {
  test("is read with the folder that holds the task", () => {
    expect(read(started(A), started(B, "/s/tasks/two"))).toMatchObject({
      started: [
        [A, FOLDER],
        [B, "/s/tasks/two"],
      ],
    });
  });

  test.each([
    ["../x", FOLDER],
    [5, FOLDER],
    [A, undefined],
    [A, "/etc"],
    [A, "relative/tasks/x"],
    [A, "/s/tasks/x/../../../etc"],
  ])("of %j in %j is none", (taskId, folder) => {
    expect(read(started(taskId, folder ?? null))).toMatchObject({ started: [] });
  });

  test("in an entry of another shape is none", () => {
    for (const data of [undefined, null, "x", []])
      expect(read(entry("custom", { customType: START_ENTRY, data }))).toMatchObject({ started: [] });
  });
});
