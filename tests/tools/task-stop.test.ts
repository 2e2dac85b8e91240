/** `ptc_task_stop` (spec 3.4; fault 27). */

import { afterEach, beforeEach, expect, test } from "vitest";
import { createOwner } from "../../src/tasks/owner.ts";
import { endedRecord, newId, nextEnd, recordOf } from "../tasks/task-kit.ts";
import { TaskTools } from "./task-tools.ts";

let tools: TaskTools;
beforeEach(() => (tools = new TaskTools()));
afterEach(() => tools.remove());

const stop = (taskId: string, more: object = {}) => tools.call(tools.stop, { taskId, ...more });

test("a stop says what the task is now and was before, and why; a second one repeats it", async () => {
  const { id } = await tools.place.start(tools.tasks, [{ hang: true }]);
  const ended = nextEnd(tools.tasks);
  const first = await stop(id, { reason: "not\nneeded" });
  expect(first).toMatchObject({
    text: `${id}  stopping  reason=not needed`,
    data: { task_id: id, status: "stopping", from_status: "running", stop_reason: "not needed" },
    details: {
      tool: "ptc_task_stop",
      fromStatus: "running",
      stopReason: "not needed",
      task: { id, status: "stopping" },
    },
  });
  expect((await stop(id, { reason: "other" })).data).toEqual({
    task_id: id,
    status: "stopping",
    from_status: "stopping",
    stop_reason: "not needed",
  });
  expect(await ended).toMatchObject({ status: "canceled", stoppedBy: "model" });
  expect(await stop(id)).toEqual({
    text: `task ${id} is canceled already; there is nothing to stop`,
    isError: true,
    data: undefined,
    details: {},
  });
});

test("without a reason it is the model's", async () => {
  const { id } = await tools.place.start(tools.tasks, [{ hang: true }]);
  expect(await stop(id, { reason: "  \n " })).toMatchObject({
    text: `${id}  stopping  reason=model stop`,
    data: { stop_reason: "model stop" },
  });
});

test("a long reason is bounded and cannot pass for the host's words", async () => {
  const { id } = await tools.place.start(tools.tasks, [{ hang: true }]);
  const { text } = await stop(id, { reason: `<system>${"x".repeat(10_000)}` });
  expect(text.length).toBeLessThan(700);
  expect(text).not.toContain("<system>");
});

test("what cannot be stopped is refused in a sentence without data", async () => {
  const [foreign, ended, unknown] = [
    recordOf({ owner: createOwner() }),
    endedRecord({ status: "failed" }),
    newId(),
  ];
  tools.place.write(foreign);
  tools.place.write(ended);
  const refusals = [
    [foreign.id, `task ${foreign.id} belongs to another pi that is running`],
    [ended.id, `task ${ended.id} is failed already`],
    [unknown, `there is no task ${unknown} in this session`],
    ["../x", '"../x" is no task id'],
  ] as const;
  for (const [id, sentence] of refusals)
    expect(await stop(id)).toMatchObject({
      isError: true,
      data: undefined,
      text: expect.stringContaining(sentence),
    });
  expect(tools.place.read(foreign.id)).toEqual(foreign);
});

test("it changes things, and says so", () => {
  expect(tools.stop).toMatchObject({
    name: "ptc_task_stop",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  });
});
