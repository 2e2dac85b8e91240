/** The states of a task (spec 3.1). */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  endStatus,
  isAnnounced,
  isTerminal,
  moveTask,
  TASK_STATUSES,
  type TaskRecord,
  type TaskStatus,
} from "../../src/tasks/record.ts";
import { recordOf } from "./task-kit.ts";

/** Spec 3.1, word for word: from each status to those it may become. */
const ALLOWED: Record<TaskStatus, string[]> = {
  running: ["stopping", "succeeded", "failed", "canceled", "lost"],
  stopping: ["canceled", "succeeded", "failed", "lost"],
  succeeded: [],
  failed: [],
  canceled: [],
  lost: [],
};
const status = fc.constantFrom(...TASK_STATUSES);

describe("moving a task on", () => {
  test("works along the table and nowhere else, and a refusal names both statuses", () => {
    for (const from of TASK_STATUSES) {
      for (const to of TASK_STATUSES) {
        const record = recordOf({ status: from });
        const moved = moveTask(record, to, Date.now());
        expect([from, to, moved.ok]).toEqual([from, to, ALLOWED[from].includes(to)]);
        if (!moved.ok) expect(moved.problem).toBe(`task ${record.id} is ${from} and cannot become ${to}`);
      }
    }
  });

  test("ends once whatever comes, with times in order, also when the clock steps back", () => {
    const wish = fc.record({ to: status, stepMs: fc.integer({ min: -100_000, max: 100_000 }) });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 12 }), (wishes) => {
        let now = 1_000_000;
        let record: TaskRecord = recordOf({ createdAt: now, startedAt: now, transitionAt: now });
        let ends = 0;
        for (const { to, stepMs } of wishes) {
          now = Math.max(0, now + stepMs);
          const before = record;
          const moved = moveTask(record, to, now);
          if (moved.ok) {
            record = moved.record;
            if (isTerminal(to)) ends += 1;
          } else expect(record).toBe(before);
          expect(record.transitionAt).toBeGreaterThanOrEqual(before.transitionAt);
          expect(record.finishedAt === undefined).toBe(!isTerminal(record.status));
          if (record.finishedAt !== undefined) {
            expect(record.finishedAt).toBeGreaterThanOrEqual(record.startedAt);
            expect(record.durationMs).toBeGreaterThanOrEqual(0);
          }
        }
        expect(ends).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("takes along what comes with it, and the child's own time goes before the clock's", () => {
    const record = recordOf({ createdAt: 1_000, startedAt: 1_000, transitionAt: 1_000 });
    const moved = moveTask(record, "failed", 5_000, { errorMessage: "no", exitCode: 3 });
    expect(moved).toMatchObject({
      ok: true,
      record: {
        status: "failed",
        errorMessage: "no",
        exitCode: 3,
        transitionAt: 5_000,
        finishedAt: 5_000,
        durationMs: 4_000,
      },
    });
    expect(moveTask(record, "failed", 5_000, { durationMs: 3_900 })).toMatchObject({
      record: { durationMs: 3_900 },
    });
    expect(record.status).toBe("running");
  });
});

test("a task ends by what its child did, and by what brought it down only where that did", () => {
  expect(endStatus({ status: "fulfilled" })).toBe("succeeded");
  expect(endStatus({ status: "fulfilled" }, "stop")).toBe("succeeded");
  expect(endStatus({ status: "fulfilled" }, "loss")).toBe("succeeded");
  expect(endStatus({ status: "rejected" })).toBe("failed");
  expect(endStatus({ status: "rejected" }, "stop")).toBe("canceled");
  expect(endStatus({ status: "rejected" }, "loss")).toBe("lost");
});

test("every end is told, but a stop to the model that asked for it", () => {
  const told = (record: Parameters<typeof isAnnounced>[0]): boolean => isAnnounced(record);
  for (const ended of ["succeeded", "failed", "lost"] as const) {
    expect(told({ status: ended })).toBe(true);
    expect(told({ status: ended, stoppedBy: "model" })).toBe(true);
  }
  expect(told({ status: "canceled", stoppedBy: "person" })).toBe(true);
  expect(told({ status: "canceled", stoppedBy: "model" })).toBe(false);
  expect(told({ status: "running" })).toBe(false);
  expect(told({ status: "stopping", stoppedBy: "person" })).toBe(false);
});
