/** When the model is told of ends in the session that started them (spec 3.5). */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NOTICE_ENTRY } from "../../src/tasks/told.ts";
import { endedRecord } from "../tasks/task-kit.ts";
import { type Draft, idsOf, NoticeSession } from "./notice-session.ts";

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

describe("an idle session", () => {
  test("is woken by one message for all that ended together, and hears of it once", async () => {
    const records = Array.from({ length: 20 }, () => session.end());
    await soon();
    expect(session.sent).toHaveLength(1);
    const [{ message, options }] = session.sent as [NoticeSession["sent"][number]];
    expect(options).toEqual({ triggerTurn: true });
    expect(message).toMatchObject({
      customType: NOTICE_ENTRY,
      display: true,
      details: { taskIds: records.map(({ id }) => id) },
    });
    expect(message.content).toContain("<bg-task-notifications ");
    session.enter(message);
    session.answer();
    session.settled();
    await soon(10_000);
    expect([session.sent.length, session.untold]).toEqual([1, []]);
  });

  test("is not woken during a compaction, but after it", async () => {
    session.isIdle = false;
    session.end();
    await soon(5_000);
    expect(session.sent).toEqual([]);
    session.isIdle = true;
    await soon(1_000);
    expect(session.sent).toHaveLength(1);
  });

  test.each(["steer", "quiet"] as const)("is not woken where the user wants %s", async (notify) => {
    session.notify = notify;
    session.end();
    await soon(5_000);
    expect(session.sent).toEqual([]);
  });

  test("is not woken by what is patient, which goes with the first prompt, also after a reload", async () => {
    session.untold = [endedRecord({ status: "lost" })];
    for (const { id } of session.untold) session.tasks.patient.add(id);
    for (const isReload of [false, true]) {
      session.notices.opened(session.ctx as never, isReload);
      await soon(5_000);
      expect(session.sent).toEqual([]);
    }
    expect(idsOf([session.prompt()])).toEqual(session.untold.map(({ id }) => id));
  });

  test("is woken by what ended while the extension was reloaded", async () => {
    session.untold = [endedRecord()];
    session.notices.opened(session.ctx as never, true);
    await soon();
    expect(session.sent).toHaveLength(1);
  });

  test.each(["steer", "quiet"] as const)(
    "is not woken by what ended before a reload that takes the setting %s away",
    async (notify) => {
      session.notify = notify;
      const { id } = session.end();
      session.notices.close();
      session.notify = "wake";
      const reloaded = session.reloaded();
      reloaded.opened(session.ctx as never, true);
      await soon(5_000);
      expect(session.sent).toEqual([]);
      session.end();
      await soon();
      expect(idsOf(session.sent.map(({ message }) => message))[0]).toBe(id);
    },
  );

  test("is not woken once it is closed", async () => {
    session.end();
    session.notices.close();
    await soon(5_000);
    expect(session.sent).toEqual([]);
  });

  test("that was replaced meanwhile breaks nothing", async () => {
    session.end();
    session.branch = undefined as never;
    await soon(5_000);
    expect(session.sent).toEqual([]);
  });
});

describe("a run", () => {
  test("takes what ended before it along with its prompt, but not with a message that woke it", () => {
    const { id } = session.end();
    expect(session.prompt("custom")).toBeUndefined();
    expect(idsOf([session.prompt()])).toEqual([id]);
  });

  test("is told at the end of a turn that goes on, after what others put there", () => {
    const { id } = session.end();
    const theirs = { type: "custom", customType: "theirs" };
    const result = session.turn({ entries: [theirs] });
    expect(result?.entries?.[0]).toBe(theirs);
    expect(idsOf(result?.entries?.slice(1))).toEqual([id]);
    expect(result).not.toHaveProperty("continue");
    session.enter(...(result?.entries?.slice(1) as unknown as Draft[]));
    expect(session.turn()).toBeUndefined();
  });

  test("is not told at a turn that is its last, or was aborted", () => {
    session.end();
    expect(session.turn({ toolResults: [] })).toBeUndefined();
    expect(session.turn({ outcome: "aborted" })).toBeUndefined();
  });

  test("that would end goes on for what ended meanwhile", async () => {
    expect(await session.settle()).toBeUndefined();
    const { id } = session.end();
    const result = await session.settle();
    expect([idsOf(result?.entries), result?.continue]).toEqual([[id], true]);
  });

  test("that would end goes on for a notice that was not answered yet", async () => {
    session.end();
    session.enter(...(session.turn()?.entries as unknown as Draft[]));
    expect(await session.settle()).toEqual({ continue: true });
    session.answer();
    expect(await session.settle()).toBeUndefined();
    expect(session.untold).toEqual([]);
  });

  test.each(["aborted", "error"])("that was %s does not go on", async (outcome) => {
    session.end();
    expect(await session.settle({ outcome })).toBeUndefined();
  });

  test.each([
    ["steer", true, true, false],
    ["quiet", false, false, false],
  ] as const)(
    "tells where the user wants %s: with a prompt %s, at a turn %s, at its end %s",
    async (notify, atPrompt, atTurn, atEnd) => {
      session.notify = notify;
      session.end();
      expect([
        session.prompt() !== undefined,
        session.turn() !== undefined,
        (await session.settle()) !== undefined,
      ]).toEqual([atPrompt, atTurn, atEnd]);
    },
  );

  test("with too much for one message is told the rest at its boundaries", () => {
    for (let count = 0; count < 60; count += 1)
      session.end(endedRecord({ outputPreview: "x".repeat(2_048), outputBytes: 2_048 }));
    const first = session.prompt() as Draft;
    session.enter(first);
    const rest = session.turn()?.entries as unknown as Draft[];
    expect(rest.length).toBeGreaterThanOrEqual(1);
    expect([...first.details.taskIds, ...idsOf(rest)]).toEqual(session.untold.map(({ id }) => id));
  });
});

describe("after an abort", () => {
  test("nothing wakes the session; what is left goes with the next prompt", async () => {
    const { id } = session.end();
    session.settled(true);
    await soon(10_000);
    expect(session.sent).toEqual([]);
    expect(idsOf([session.prompt()])).toEqual([id]);
  });

  test("a message that pi dropped is told with the next prompt", async () => {
    const { id } = session.end();
    await soon();
    expect(session.sent).toHaveLength(1);
    session.settled(true);
    await soon(10_000);
    expect(session.sent).toHaveLength(1);
    expect(idsOf([session.prompt()])).toEqual([id]);
  });

  test("of a message whose run pi could not even prepare, it is told with the next prompt", async () => {
    const { id } = session.end();
    await soon();
    expect(session.sent).toHaveLength(1);
    expect(idsOf([session.prompt()])).toEqual([id]);
  });

  test("what ends later wakes the session again, and takes the rest along", async () => {
    const first = session.end();
    session.settled(true);
    await soon(1_000);
    const second = session.end();
    await soon();
    expect(idsOf(session.sent.map(({ message }) => message))).toEqual([first.id, second.id]);
  });
});
