/** Fault 17: how a child may end, played by a real process. Whatever it does is a result, and nothing of it is left. */

import { afterAll, describe, expect, test } from "vitest";
import { startChild } from "../../src/children/start-child.ts";
import {
  answer,
  eventually,
  expectNoneMarked,
  marked,
  message,
  PlayRoom,
  SETTLED,
} from "../children/played-child.ts";
import type { ChildStep } from "../fixtures/scripted-child.ts";

const room = new PlayRoom();
afterAll(() => room.close());

const event = (type: string, more: object = {}): string => `${JSON.stringify({ type, ...more })}\n`;
const failed = (text: string): string =>
  message(text, { stopReason: "error", errorMessage: "529: overloaded", usage: null });
const RETRY =
  event("agent_end", { messages: [], willRetry: true }) + event("auto_retry_start", { attempt: 1 });

describe("a child that exits with 0", () => {
  test.each<[name: string, out: string, error: RegExp, text: string]>([
    ["a model error", failed("") + SETTLED, /^529: overloaded$/, ""],
    [
      "a model error after an answer",
      message("first") + failed("half") + SETTLED,
      /^529: overloaded$/,
      "half",
    ],
    [
      "an error that its retries did not mend",
      failed("") + RETRY + failed("") + SETTLED,
      /^529: overloaded$/,
      "",
    ],
    [
      "an answer cut at the model's limit",
      message("half", { stopReason: "length" }) + SETTLED,
      /cut off.*limit/,
      "half",
    ],
    ["an aborted run", message("half", { stopReason: "aborted" }) + SETTLED, /cut off.*aborted/, "half"],
    [
      "a call as its last word",
      message("half", { stopReason: "toolUse" }) + SETTLED,
      /cut off.*tool call/,
      "half",
    ],
    ["no text", message("") + SETTLED, /^dispatch produced no final text/, ""],
    ["no word at all", "", /^dispatch produced no final text/, ""],
    ["an answer, but no end of its run", message("half"), /cut off/, "half"],
    ["an end of a run that will be tried again", message("half") + RETRY, /cut off/, "half"],
  ])("after %s is rejected, with the reason and what it said", async (_name, out, error, text) => {
    const { result, disposed } = await room.say(out);
    expect(result).toMatchObject({ status: "rejected", started: true, exitCode: 0, text });
    expect(result.errorMessage).toMatch(error);
    expect(disposed).toBe(1);
  });

  test("after an error that a retry mended is fulfilled", async () => {
    const end = event("agent_end", { messages: [], willRetry: false });
    const { result } = await room.say(failed("") + RETRY + message("recovered") + end + SETTLED);
    expect(result).toMatchObject({ status: "fulfilled", text: "recovered", exitCode: 0 });
    expect(result).not.toHaveProperty("errorMessage");
  });

  test("goes on after one run had ended, and its last answer counts", async () => {
    const { result } = await room.play([
      { out: message("first") + SETTLED },
      { sleepMs: 50 },
      { out: event("agent_start") + message("second") + SETTLED },
    ]);
    expect(result).toMatchObject({ status: "fulfilled", text: "second", usage: { turns: 2 } });
  });
});

test("a child that a signal kills after its answer is rejected, names the signal and keeps the answer", async () => {
  const { result } = await room.play([answer("done"), { kill: "SIGKILL" }, { hang: true }]);
  expect(result).toMatchObject({ status: "rejected", signal: "SIGKILL", text: "done" });
  expect(result).not.toHaveProperty("exitCode");
});

/** A shell that ignores SIGTERM, with others below it, each in a group of its own. */
const STUBBORN: ChildStep = {
  shell: "trap '' TERM; setsid sh -c \"trap '' TERM; setsid sleep 60 & sleep 61 & wait\" & sleep 62 & wait",
};

describe("a child whose commands lead groups of their own", () => {
  const running = (marker: string): number => marked(marker).length;

  test("leaves none of them when it is told to stop and obeys", async () => {
    const { plan, disposed } = room.prepare([STUBBORN, STUBBORN, { out: message("half") }, { hang: true }]);
    const child = startChild(plan);
    await eventually(() => running(plan.marker) >= 11, "both trees stand");
    child.stop("that is enough");
    expect(await child.result).toMatchObject({
      status: "rejected",
      text: "half",
      errorMessage: "that is enough",
    });
    await expectNoneMarked(plan.marker);
    expect(disposed()).toBe(1);
  });

  test("leaves none of them when it dies by itself", async () => {
    const { plan } = room.prepare([STUBBORN, { sleepMs: 300 }, { kill: "SIGSEGV" }, { hang: true }]);
    const child = startChild(plan);
    expect(await child.result).toMatchObject({ status: "rejected", signal: "SIGSEGV" });
    await expectNoneMarked(plan.marker);
  });

  test("leaves none of them when pi kills it at its own exit", async () => {
    const { plan, disposed } = room.prepare([
      { ignore: "SIGTERM" },
      STUBBORN,
      { out: message("half") },
      { hang: true },
    ]);
    const child = startChild(plan);
    await eventually(() => running(plan.marker) >= 6, "the tree stands");
    child.kill();
    expect(await child.result).toMatchObject({ status: "rejected", signal: "SIGKILL" });
    await expectNoneMarked(plan.marker);
    expect(disposed()).toBe(1);
  });
});

test("the folder of a child may go while it runs", async () => {
  const { mkdirSync, rmdirSync, writeFileSync } = await import("node:fs");
  const [cwd, go] = [`${room.folder}/gone`, `${room.folder}/go`];
  mkdirSync(cwd);
  const { plan, record } = room.prepare([{ until: go }, answer("done")], { cwd });
  const child = startChild(plan);
  await eventually(() => record() !== undefined, "the child runs");
  rmdirSync(cwd);
  writeFileSync(go, "");
  expect(await child.result).toMatchObject({ status: "fulfilled", text: "done" });
});

test("stops and aborts that come again, or after the end, change nothing", async () => {
  const controller = new AbortController();
  const { plan, disposed } = room.prepare([{ out: message("half") }, { hang: true }]);
  const child = startChild(plan, { signal: controller.signal });
  await eventually(() => child.progress().turns === 1, "it has answered");
  for (const reason of ["first", "second"]) child.stop(reason);
  controller.abort();
  const result = await child.result;
  expect(result.errorMessage).toBe("first");
  child.stop("third");
  child.kill();
  expect(await child.result).toBe(result);
  expect(disposed()).toBe(1);
});
