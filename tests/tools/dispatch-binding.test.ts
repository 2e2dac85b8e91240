/** `pi.dispatch` as a nested call of `ptc_subagent` (spec 2): never a rejection, and nothing a hook took out comes back. */

import { validateToolArguments } from "@earendil-works/pi-ai";
import { Type } from "typebox";
import { describe, expect, test, vi } from "vitest";
import type { DispatchResult } from "../../src/children/dispatch.ts";
import { renderDispatch } from "../../src/children/render-dispatch.ts";
import type { Json } from "../../src/program/outcome.ts";
import type { ToolCaller } from "../../src/tools/callables.ts";
import { ChildCosts } from "../../src/tools/child-costs.ts";
import { createDispatchBinding } from "../../src/tools/dispatch-binding.ts";
import { type ChildAccess, createSubagentTool } from "../../src/tools/subagent.ts";
import { asked } from "./fake-session.ts";

const RESULT: DispatchResult = {
  status: "fulfilled",
  text: "the answer is 42",
  started: true,
  agentName: "default",
  durationMs: 5,
  exitCode: 0,
  reportChannel: "tool",
  report: { summary: "sum 42", findings: [], files_touched: [] },
  stderr: "stderr 42",
  warnings: ["warned of 42"],
};
const FAILED: DispatchResult = {
  ...RESULT,
  status: "rejected",
  exitCode: 1,
  errorMessage: "the child exited with code 1: 42",
};

type Execute = ToolCaller["executeTool"];
/** What pi hands over of a call that ended with `result`; `text` is what the content says after all handlers. */
const outcome = (result: DispatchResult, text = renderDispatch(result)): object => ({
  result: { content: [{ type: "text", text }], details: { tool: "ptc_subagent", running: false, result } },
  isError: result.status === "rejected",
});

async function dispatch(executeTool: Execute, args: Json = { task: "x" }, onUpdate = (_text: string) => {}) {
  const [binding] = createDispatchBinding({ tools: [asked("ptc_subagent")], executeTool });
  const reply = await binding?.call(args, { signal: new AbortController().signal, onUpdate });
  if (!reply?.ok || !("raw" in reply)) throw new Error("a dispatch always comes to a value");
  return reply as typeof reply & { raw: Partial<DispatchResult> };
}

describe("the binding", () => {
  test("is there where the session can call ptc_subagent, takes no slot of calls and no time of the program", () => {
    const executeTool = (async () => undefined) as Execute;
    const bindings = createDispatchBinding({ tools: [asked("read"), asked("ptc_subagent")], executeTool });
    expect(bindings).toEqual([
      {
        name: "pi.dispatch",
        countsTime: false,
        call: expect.any(Function),
        preview: expect.any(Function),
      },
    ]);
    expect(createDispatchBinding({ tools: [asked("read")], executeTool })).toEqual([]);
  });

  test("calls ptc_subagent with what the program gave, its signal and a way to tell progress", async () => {
    const seen: string[] = [];
    const executeTool = vi.fn<Execute>(async (_name, _args, { signal, onUpdate }) => {
      onUpdate({ content: [{ type: "text", text: "turn 1: running bash" }] });
      expect(signal.aborted).toBe(false);
      return outcome(RESULT);
    });
    await dispatch(executeTool, { task: "x", agent: "scout" }, (text) => void seen.push(text));
    expect(executeTool).toHaveBeenCalledWith(
      "ptc_subagent",
      { task: "x", agent: "scout" },
      expect.anything(),
    );
    expect(seen).toEqual(["turn 1: running bash"]);
  });
});

test("what the children of a program cost is noted while they run and in the end", async () => {
  const costs = new ChildCosts();
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.25, turns: 1 };
  const executeTool: Execute = async (_name, _args, { onUpdate }) => {
    onUpdate({ content: [], details: { progress: { usage: { ...usage, cost: 0.125 } } } });
    expect(costs.total()).toBe(0.125);
    onUpdate(undefined);
    return outcome({ ...RESULT, usage });
  };
  const [binding] = createDispatchBinding({ tools: [asked("ptc_subagent")], executeTool }, costs);
  const context = { signal: new AbortController().signal, onUpdate: () => undefined };
  await binding?.call({ task: "x" }, context);
  expect(costs.total()).toBe(0.25);
});

function errorOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

describe("a program gets", () => {
  test("the whole result of a child", async () => {
    expect(await dispatch(async () => outcome(RESULT))).toEqual({ ok: true, raw: RESULT });
  });

  test("the result of a child that failed, which counts as a failed call", async () => {
    expect(await dispatch(async () => outcome(FAILED))).toEqual({
      ok: true,
      raw: FAILED,
      failed: FAILED.errorMessage,
    });
  });

  test.each<[string, unknown, string]>([
    [
      "a gate blocked",
      { result: { content: [{ type: "text", text: "no children" }], details: {} }, isError: true },
      "no children",
    ],
    [
      "pi refused for its arguments",
      { result: { content: [{ type: "text", text: "task: missing" }], details: {} }, isError: true },
      "task: missing",
    ],
    ["left nothing", undefined, "the dispatch was refused"],
    ["left an empty result", { result: {}, isError: true }, "the dispatch was refused"],
    ["left what is no outcome of pi's", { result: {} }, "the dispatch was refused"],
    [
      "left foreign details",
      { result: { content: [], details: { result: { status: 1 } } }, isError: true },
      "the dispatch was refused",
    ],
  ])("a refusal of a call that %s, and the run warns of it", async (_name, left, sentence) => {
    const reply = await dispatch(async () => left);
    expect(reply.raw).toMatchObject({ status: "rejected", started: false, text: "", reportChannel: "none" });
    expect(reply.raw.errorMessage).toContain(sentence);
    expect(reply).toMatchObject({ warning: expect.stringContaining("a dispatch was refused") });
  });

  test("a refusal in the words of its own call where pi's check of the arguments speaks of the tool's", async () => {
    const { parameters } = createSubagentTool(Type, {} as ChildAccess);
    const call = { type: "toolCall", id: "1", name: "ptc_subagent", arguments: { cwd: {}, agent: "nobody" } };
    const text = errorOf(() =>
      validateToolArguments({ name: "ptc_subagent", parameters } as never, call as never),
    );
    const left = { result: { content: [{ type: "text", text }], details: {} }, isError: true };
    const reply = await dispatch(async () => left, { cwd: {}, agent: "nobody" });
    expect(reply.raw).toMatchObject({ agentName: "nobody", started: false });
    expect(text).toContain("ptc_subagent");
    expect(reply.raw.errorMessage).toMatch(
      /^pi\.dispatch was given wrong arguments: [^\n]*task[^\n]*; cwd: [^\n]*string[^\n]*$/,
    );
  });

  test("a refusal where pi rejects, because the session was replaced", async () => {
    const reply = await dispatch(async () => {
      throw new Error("This extension ctx is stale");
    });
    expect(reply.raw).toMatchObject({
      status: "rejected",
      started: false,
      errorMessage: "This extension ctx is stale",
    });
  });
});

describe("what another extension rewrote", () => {
  test("stands in for the child's answer, and report, stderr and warnings are left out", async () => {
    const { raw } = await dispatch(async () => outcome(RESULT, "[redacted]"));
    expect(raw).toMatchObject({ status: "fulfilled", text: "[redacted]", exitCode: 0 });
    expect(Object.keys(raw)).not.toEqual(expect.arrayContaining(["report"]));
    expect(raw.warnings).toEqual([expect.stringContaining("rewrote")]);
    expect(JSON.stringify(raw)).not.toContain("42");
  });

  test("of a failure stands in for the message too", async () => {
    const reply = await dispatch(async () => outcome(FAILED, "[redacted]"));
    expect(reply.raw).toMatchObject({ status: "rejected", text: "[redacted]", errorMessage: "[redacted]" });
    expect(JSON.stringify(reply)).not.toContain("42");
  });

  test("of a refusal is its message, and stays a refusal", async () => {
    const refused: DispatchResult = { ...FAILED, started: false, text: "" };
    const { raw } = await dispatch(async () => outcome(refused, "[redacted]"));
    expect(raw).toMatchObject({ started: false, text: "", errorMessage: "[redacted]" });
  });

  test.each([{}, null, undefined, { redacted: true }])(
    "with other details, %j, is a child's answer still, of which nothing but the text is known",
    async (details) => {
      const content = [{ type: "text", text: "[redacted]" }];
      const left = { result: { content, details }, isError: false };
      const reply = await dispatch(async () => left, { task: "x", agent: "scout" });
      expect(reply).toEqual({
        ok: true,
        raw: {
          status: "fulfilled",
          text: "[redacted]",
          started: true,
          agentName: "scout",
          durationMs: expect.any(Number),
          reportChannel: "none",
          warnings: [expect.stringContaining("another extension")],
        },
      });
    },
  );

  test("of a child that failed, with other details, does not say that nothing was started", async () => {
    const reply = await dispatch(async (_name, _args, { onUpdate }) => {
      onUpdate({ content: [], details: { progress: { turns: 1 } } });
      return { result: { content: [{ type: "text", text: "[redacted]" }], details: {} }, isError: true };
    });
    expect(reply.raw).toMatchObject({ status: "rejected", started: true, errorMessage: "[redacted]" });
    expect(reply).not.toHaveProperty("warning");
  });

  test("to a failure is one, whatever the child said", async () => {
    const same = await dispatch(async () => ({ ...outcome(RESULT), isError: true }));
    expect(same.raw).toMatchObject({
      status: "rejected",
      started: true,
      text: RESULT.text,
      report: RESULT.report,
    });
    expect(same.failed).toContain("another extension");
    const { raw } = await dispatch(async () => ({ ...outcome(RESULT, "not allowed"), isError: true }));
    expect(raw).toMatchObject({ status: "rejected", text: "not allowed", errorMessage: "not allowed" });
  });

  test("of a background start leaves the id, where the structured content has it", async () => {
    const content = [{ type: "text", text: "Started background task 01A" }];
    const structuredContent = { status: "running", report_channel: "pending", task_id: "01A" };
    const left = { result: { content, details: {}, structuredContent }, isError: false };
    const { raw } = await dispatch(async () => left);
    expect(raw).toEqual({ taskId: "01A", label: "", status: "running" });
  });

  test("to nothing leaves nothing", async () => {
    const { raw } = await dispatch(async () => outcome(FAILED, ""));
    expect(raw).toMatchObject({ status: "rejected", text: "", errorMessage: "rejected" });
  });
});
