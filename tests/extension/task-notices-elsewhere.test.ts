/** When the model is told of ends on other branches, and where there is no screen (spec 3.5, 3.6). */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BranchEntry, NOTICE_ENTRY, START_ENTRY } from "../../src/tasks/told.ts";
import { endedRecord, recordOf } from "../tasks/task-kit.ts";
import { type Draft, FOLDER, idsOf, NoticeSession } from "./notice-session.ts";

const OTHER = "/s/tasks/two";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

let session: NoticeSession;
beforeEach(() => {
  session = new NoticeSession();
  session.notices.opened(session.ctx as never, false);
});

const soon = (ms = 150) => vi.advanceTimersByTimeAsync(ms);

describe("another branch", () => {
  const started = (id: string, folder = FOLDER): BranchEntry => ({
    type: "custom",
    id: `s${id}`,
    customType: START_ENTRY,
    data: { taskId: id, folder },
  });

  test("that lacks the notice of a task started on it is told there once", async () => {
    const record = endedRecord();
    session.elsewhere.set(`${OTHER} ${record.id}`, record);
    session.branch = [started(record.id, OTHER)];
    session.notices.branchChanged(session.ctx as never);
    await soon(5_000);
    expect(session.sent).toEqual([]);
    const message = session.prompt() as Draft;
    expect(idsOf([message])).toEqual([record.id]);
    session.enter(message);
    session.answer();
    expect(session.prompt()).toBeUndefined();
  });

  test("that has it, answered or not, is told nothing again", () => {
    const record = endedRecord();
    session.elsewhere.set(`${FOLDER} ${record.id}`, record);
    const notice = {
      type: "custom_message",
      id: "n",
      customType: NOTICE_ENTRY,
      content: record.id,
      details: { taskIds: [record.id] },
    };
    for (const branch of [
      [started(record.id), notice],
      [started(record.id), notice, { type: "message", id: "m", message: { role: "assistant" } }],
    ]) {
      session.branch = branch;
      session.notices.branchChanged(session.ctx as never);
      expect(session.prompt()).toBeUndefined();
    }
  });

  test("is not told of tasks that run, that the model stopped, or that were not started on it", () => {
    const [running, stopped, foreign] = [
      recordOf(),
      endedRecord({ status: "canceled", stoppedBy: "model" }),
      endedRecord(),
    ];
    for (const record of [running, stopped, foreign]) session.elsewhere.set(`${FOLDER} ${record.id}`, record);
    session.branch = [started(running.id), started(stopped.id)];
    session.notices.branchChanged(session.ctx as never);
    expect(session.prompt()).toBeUndefined();
  });

  test("of the same session leaves to another living pi what that one has still to tell", () => {
    const record = endedRecord();
    session.elsewhere.set(`${FOLDER} ${record.id}`, record);
    session.waiting.add(record.id);
    session.branch = [started(record.id)];
    session.notices.branchChanged(session.ctx as never);
    expect(session.prompt()).toBeUndefined();
  });
});

describe("without a screen", () => {
  beforeEach(() => (session.ctx.hasUI = false));

  test("a run waits for tasks, says so on stderr, and is told of their ends", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    session.running = [{}, {}];
    session.tasks.idle = async () => (session.end(), session.end(), true);
    const result = await session.settle();
    expect([idsOf(result?.entries).length, result?.continue]).toEqual([2, true]);
    expect(said.mock.calls.map(([line]) => line)).toEqual([
      "waiting for 2 background tasks (at most 1000 ms)\n",
      "background tasks have ended\n",
    ]);
  });

  test("a run that ended in an error waits, too, but goes on for nothing; one that was aborted does not wait", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    let waited = 0;
    session.running = [{}];
    session.tasks.idle = async () => (session.end(), (waited += 1), true);
    expect(await session.settle({ outcome: "error" })).toBeUndefined();
    expect(waited).toBe(1);
    expect(await session.settle({ outcome: "aborted" })).toBeUndefined();
    expect(waited).toBe(1);
  });

  test("tasks that run too long are stopped and lost", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    session.running = [{}];
    await session.settle();
    expect(session.lostBecause).toEqual([expect.stringContaining("printWaitMs")]);
    expect(said.mock.calls.map(([line]) => line)).toEqual([
      "waiting for 1 background task (at most 1000 ms)\n",
      "background tasks were stopped and are lost\n",
    ]);
  });

  test("nothing is said and nothing waited for where nothing runs", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(await session.settle()).toBeUndefined();
    expect(said).not.toHaveBeenCalled();
  });

  test("no message is sent: there is no next prompt", async () => {
    session.end();
    await soon(5_000);
    expect(session.sent).toEqual([]);
  });
});
