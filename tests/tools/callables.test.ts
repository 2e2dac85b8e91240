import { describe, expect, test } from "vitest";
import type { CallReply } from "../../src/program/outcome.ts";
import { createBindings, type ToolCaller } from "../../src/tools/callables.ts";

const signal = new AbortController().signal;
const tool = (name: string) => ({ name, description: "", parameters: {} });
const context = { signal, onUpdate: () => undefined };

/** What a call resolves to when pi answers with `outcome`. */
async function replyTo(outcome: unknown): Promise<CallReply> {
  const caller: ToolCaller = { tools: [tool("read")], executeTool: async () => outcome };
  const [binding] = createBindings(caller);
  if (!binding) throw new Error("read is not bound");
  return binding.call({}, context);
}

describe("the bindings", () => {
  test("are all callable tools but those that run programs, search or start children", () => {
    const names = [
      "read",
      "ptc_run_code",
      "ptc_workflow",
      "codemode",
      "tool_search",
      "ptc_subagent",
      "mcp__a-b__c",
    ];
    const caller: ToolCaller = { tools: names.map(tool), executeTool: async () => undefined };
    expect(createBindings(caller).map((binding) => binding.name)).toEqual(["read", "mcp__a-b__c"]);
  });

  test("pass name, arguments and signal to pi, and partial results on as text", async () => {
    const seen: unknown[] = [];
    const updates: string[] = [];
    const caller: ToolCaller = {
      tools: [tool("bash")],
      executeTool: async (name, args, options) => {
        seen.push(name, args, options.signal);
        options.onUpdate({
          content: [
            { type: "text", text: "half" },
            { type: "text", text: "way" },
          ],
        });
        options.onUpdate(null);
        return { result: { content: [] }, isError: false };
      },
    };
    await createBindings(caller)[0]?.call(
      { command: "ls" },
      { signal, onUpdate: (text) => updates.push(text) },
    );
    expect(seen).toEqual(["bash", { command: "ls" }, signal]);
    expect(updates).toEqual(["half\nway", ""]);
  });
});

describe("a call that succeeds", () => {
  test("gives content, details and structured content", async () => {
    const content = [
      { type: "text", text: "hi" },
      { type: "image", data: "AA==", mimeType: "image/png" },
    ];
    expect(
      await replyTo({ result: { content, details: { a: 1 }, structuredContent: [1] }, isError: false }),
    ).toEqual({
      ok: true,
      value: { content, details: { a: 1 }, structuredContent: [1] },
    });
  });

  test("has details null and no structured content where the tool gave none", async () => {
    for (const details of [undefined, null, "text", 5]) {
      expect(
        await replyTo({ result: { content: [{ type: "text", text: "" }], details }, isError: false }),
      ).toEqual({
        ok: true,
        value: { content: [{ type: "text", text: "" }], details: null },
      });
    }
  });

  test("keeps structured content that is null or false", async () => {
    expect(await replyTo({ result: { content: [], structuredContent: null }, isError: false })).toMatchObject(
      { value: { structuredContent: null } },
    );
    expect(
      await replyTo({ result: { content: [], structuredContent: false }, isError: false }),
    ).toMatchObject({ value: { structuredContent: false } });
  });

  test.each([
    undefined,
    null,
    5,
    {},
    { result: null },
    { result: {} },
    { result: { content: null } },
    { result: { content: "text" } },
  ])("without usable content has an empty array: %j", async (outcome) =>
    expect(await replyTo(outcome)).toEqual({ ok: true, value: { content: [], details: null } }),
  );

  test("drops what is no block and keeps block types it does not know", async () => {
    const content = [
      null,
      "text",
      [],
      { type: "text" },
      { type: "text", text: 5 },
      { type: "image", data: "AA==" },
      { type: "audio", data: "x" },
    ];
    expect(await replyTo({ result: { content }, isError: false })).toMatchObject({
      value: { content: [{ type: "audio", data: "x" }] },
    });
  });

  test("makes details with functions, cycles and throwing getters safe", async () => {
    const details: Record<string, unknown> = {
      close() {},
      get bad() {
        throw new Error("no");
      },
      ok: 1,
    };
    details["self"] = details;
    expect(await replyTo({ result: { content: [], details }, isError: false })).toMatchObject({
      ok: true,
      value: { details: { ok: 1, self: null, bad: null } },
    });
  });
});

describe("a call that fails", () => {
  test("carries the tool's own text, content, details and structured content", async () => {
    const result = {
      content: [
        { type: "text", text: "before" },
        { type: "text", text: "Command exited with code 3" },
      ],
      details: {},
      structuredContent: { exit_code: 3 },
    };
    expect(await replyTo({ result, isError: true })).toEqual({
      ok: false,
      failure: {
        message: "before\nCommand exited with code 3",
        content: result.content,
        details: {},
        structuredContent: { exit_code: 3 },
      },
    });
  });

  test("without text says which tool it was", async () => {
    expect(await replyTo({ result: {}, isError: true })).toMatchObject({
      ok: false,
      failure: { message: "read failed without a message", content: [] },
    });
  });

  test.each([
    ["a rejection of pi's", async () => Promise.reject(new Error("This extension ctx is stale"))],
    [
      "a throw",
      () => {
        throw new Error("This extension ctx is stale");
      },
    ],
  ])("by %s is a failure with its message", async (_what, executeTool) => {
    const caller: ToolCaller = {
      tools: [tool("read")],
      executeTool: executeTool as ToolCaller["executeTool"],
    };
    expect(await createBindings(caller)[0]?.call({}, context)).toEqual({
      ok: false,
      failure: {
        message: "This extension ctx is stale",
        content: [{ type: "text", text: "This extension ctx is stale" }],
        details: null,
      },
    });
  });

  test("because executeTool is missing is a failure", async () => {
    const caller = { tools: [tool("read")] } as unknown as ToolCaller;
    expect(await createBindings(caller)[0]?.call({}, context)).toMatchObject({ ok: false });
  });

  test("because the result throws at every touch is a failure", async () => {
    const evil = new Proxy(
      {},
      {
        get: () => {
          throw new Error("touched");
        },
      },
    );
    expect(await replyTo(evil)).toMatchObject({ ok: false, failure: { message: "touched" } });
    expect(await replyTo({ result: evil, isError: false })).toMatchObject({
      ok: false,
      failure: { message: "touched" },
    });
  });
});
