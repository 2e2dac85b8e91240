import { describe, expect, test } from "vitest";
import type { DispatchResult } from "../../src/children/dispatch.ts";
import { dispatchReply, refusedDispatch } from "../../src/children/dispatch-reply.ts";

const RESULT: DispatchResult = {
  status: "fulfilled",
  text: "done",
  started: true,
  agentName: "default",
  durationMs: 5,
  reportChannel: "none",
};

describe("what a program gets of a dispatch", () => {
  test("that was fulfilled is the result, plain, and nothing is said beside it", () => {
    expect(dispatchReply({ ...RESULT, exitCode: 0, report: undefined })).toEqual({
      ok: true,
      raw: { ...RESULT, exitCode: 0 },
    });
  });

  test("whose child failed is a value too, counted as a failed call, and no warning of the run", () => {
    const result: DispatchResult = { ...RESULT, status: "rejected", errorMessage: "it broke" };
    expect(dispatchReply(result)).toEqual({ ok: true, raw: result, failed: "it broke" });
  });

  test("that was refused is a warning of the run, for among many results it is easily overlooked", () => {
    const reply = dispatchReply(refusedDispatch("dispatch concurrency limit reached", "scout", 3));
    expect(reply).toMatchObject({
      ok: true,
      failed: "dispatch concurrency limit reached",
      warning: "a dispatch was refused: dispatch concurrency limit reached",
    });
  });
});

test("a refused dispatch says that nothing was started, who it was for, and why, even where the reason is empty", () => {
  expect(refusedDispatch("no", "scout", 3)).toEqual({
    status: "rejected",
    text: "",
    started: false,
    agentName: "scout",
    durationMs: 3,
    reportChannel: "none",
    errorMessage: "no",
  });
  expect(refusedDispatch("", "default").errorMessage).toBe("the dispatch was refused");
});
