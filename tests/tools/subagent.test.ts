/** `ptc_subagent` (spec 2.8): what it says of itself, and what becomes of each way a dispatch can end. */

import type { AgentToolResult, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { describe, expect, test, vi } from "vitest";
import type { ChildProgress, DispatchResult } from "../../src/children/dispatch.ts";
import { refusedDispatch } from "../../src/children/dispatch-reply.ts";
import type { AgentLine } from "../../src/surface/dispatch-text.ts";
import { type ChildAccess, createSubagentTool } from "../../src/tools/subagent.ts";

const USAGE = { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, cost: 0.25, turns: 1 };
const REPORT = {
  summary: "well",
  findings: [{ what: "a", evidence: "b" }],
  files_touched: ["x"],
  usage: undefined,
};
const RESULT: DispatchResult = {
  status: "fulfilled",
  text: "all good",
  started: true,
  agentName: "scout",
  durationMs: 5,
  exitCode: 0,
  reportChannel: "none",
  usage: USAGE,
};

interface Result extends Omit<AgentToolResult<unknown>, "structuredContent" | "usage"> {
  structuredContent?: Record<string, unknown>;
  usage?: object;
  isError?: boolean;
}

function toolWith(
  dispatch: ChildAccess["dispatch"],
  {
    agents = [],
    fitText = async (text) => text,
  }: { agents?: AgentLine[]; fitText?: ChildAccess["fitText"] } = {},
) {
  return createSubagentTool(Type, {
    dispatch,
    agents: () => agents,
    fitText,
    isNested: (id) => id.includes("/"),
  });
}

const CTX = { cwd: "/work" } as unknown as ExtensionToolContext;

async function execute(
  result: DispatchResult,
  id = "call-1",
  fitText?: ChildAccess["fitText"],
): Promise<Result> {
  const tool = toolWith(async () => result, fitText ? { fitText } : {});
  return (await tool.execute(id, { task: "x" } as never, undefined, undefined, CTX)) as Result;
}

const textOf = ({ content }: Result): string =>
  content.map((block) => ("text" in block ? block.text : "")).join();

describe("the tool", () => {
  test("takes the fields of a dispatch, the task alone required", () => {
    const { parameters } = toolWith(async () => RESULT);
    const { properties, required } = parameters as unknown as { properties: object; required: string[] };
    expect(Object.keys(properties).toSorted()).toEqual(
      [
        ...["agent", "task", "cwd", "agentScope", "model", "thinkingLevel", "label", "timeoutMs"],
        ...["maxTurns", "maxCostUsd", "readOnly", "background"],
      ].toSorted(),
    );
    expect(required).toEqual(["task"]);
  });

  test("declares its risk: not read-only, and an open world", () => {
    expect(toolWith(async () => RESULT).annotations).toMatchObject({
      readOnlyHint: false,
      openWorldHint: true,
    });
  });

  test("is registered with the agents there are, and rewrites nothing later: pi's codemode adds a line of its own", () => {
    const agents: AgentLine[] = [{ name: "scout", description: "Finds things", scope: "user" }];
    const tool = toolWith(async () => RESULT, { agents });
    expect(tool.description).toMatch(/\n\nAgents \(`agent`\):\n- scout: Finds things$/);
    expect(tool.prepareLoadout).toBeUndefined();
    expect(toolWith(async () => RESULT).description).not.toContain("agent`");
  });

  test("hands parameters, signal and pi's context to the one dispatch", async () => {
    const dispatch = vi.fn<ChildAccess["dispatch"]>(async () => RESULT);
    const { signal } = new AbortController();
    await toolWith(dispatch).execute(
      "call-1",
      { task: "x", agent: "scout" } as never,
      signal,
      undefined,
      CTX,
    );
    const { mock } = dispatch;
    expect(mock.calls[0]?.[0]).toEqual({ task: "x", agent: "scout" });
    expect(mock.calls[0]?.[1]).toMatchObject({ signal, ctx: CTX });
  });
});

describe("a child that was fulfilled", () => {
  test("is its usage line, a blank line and the prose", async () => {
    const result = await execute(RESULT);
    expect(textOf(result)).toBe("usage: input 10 output 5 cost $0.25 turns 1\n\nall good");
    expect(result).not.toHaveProperty("isError");
  });

  test("is told once to pi as usage in its own shape", async () => {
    const { usage } = await execute(RESULT);
    expect(usage).toMatchObject({ input: 10, output: 5, cacheRead: 1, cacheWrite: 2, totalTokens: 18 });
    expect(usage).toMatchObject({ cost: { total: 0.25 } });
    const { usage: _none, ...unpaid } = RESULT;
    expect(await execute(unpaid)).not.toHaveProperty("usage");
  });

  test("is structured content with what is known, and no key for what is not", async () => {
    const least = await execute({ ...RESULT, usage: undefined } as unknown as DispatchResult);
    expect(least.structuredContent).toEqual({
      status: "fulfilled",
      report_channel: "none",
      exit_code: 0,
      text: "all good",
    });
    const most = await execute({
      ...RESULT,
      reportChannel: "tool",
      report: REPORT,
      readOnlyTier: "enforced",
    });
    expect(most.structuredContent).toMatchObject({
      report_channel: "tool",
      report: { summary: "well", findings: [{ what: "a", evidence: "b" }], files_touched: ["x"] },
      usage: { input: 10, output: 5, cost: 0.25, turns: 1 },
      read_only_tier: "enforced",
    });
  });

  test.each<[string, Partial<DispatchResult>]>([
    ["a plain answer", {}],
    [
      "a report",
      {
        reportChannel: "prompt-json",
        report: { ...REPORT, usage: { input: 1, output: 1, cost: 0, turns: 1 } },
      },
    ],
    ["the read-only tier", { readOnlyTier: "enforced" }],
    ["a signal", { status: "rejected", signal: "SIGKILL", errorMessage: "killed" }],
  ])("with %s fits the schema that scripts are shown", async (_name, more) => {
    const result = await execute({ ...RESULT, ...more });
    const { outputSchema } = toolWith(async () => RESULT);
    expect(Value.Check(outputSchema as never, JSON.parse(JSON.stringify(result.structuredContent)))).toBe(
      true,
    );
  });
});

describe("a child that failed", () => {
  const failed: DispatchResult = {
    ...RESULT,
    status: "rejected",
    text: "half",
    errorMessage: "the child was killed by SIGKILL",
    signal: "SIGKILL",
    exitCode: undefined,
  } as unknown as DispatchResult;

  test("is an error result that keeps text, usage and structured content, with the signal in place of a code", async () => {
    const result = await execute(failed);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Dispatch rejected: the child was killed by SIGKILL\n.*\n\nhalf$/s);
    expect(result.structuredContent).toMatchObject({ status: "rejected", signal: "SIGKILL", text: "half" });
    expect(result.structuredContent).not.toHaveProperty("exit_code");
    expect(result.usage).toBeDefined();
  });

  test("that was refused is an error without structured content, so that scripts get a rejection", async () => {
    const result = await execute(refusedDispatch("task is blank", "default"));
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toBe("Dispatch rejected: task is blank");
    expect(result).not.toHaveProperty("structuredContent");
    expect(result.details).toMatchObject({ result: { started: false, errorMessage: "task is blank" } });
  });
});

describe("details", () => {
  const hugeOf = (character: string): DispatchResult => ({
    ...RESULT,
    status: "rejected",
    text: character.repeat(1_000_000),
    stderr: character.repeat(65_536),
    errorMessage: character.repeat(16_000),
    warnings: Array.from({ length: 100 }, () => character.repeat(5_000)),
    report: {
      summary: character.repeat(60_000),
      findings: Array.from({ length: 500 }, () => ({
        what: character.repeat(5_000),
        evidence: character.repeat(5_000),
      })),
      files_touched: Array.from({ length: 500 }, () => character.repeat(5_000)),
    },
  });
  const bytesOf = ({ details }: Result): number => Buffer.byteLength(JSON.stringify(details));

  test.each(["x", "語", '"', "\ud800"])(
    "of a call of the model's stay under 128 KiB, whatever the child wrote: %j",
    async (character) => {
      const result = await execute(hugeOf(character), "call-1", async () => "short");
      expect(bytesOf(result)).toBeLessThan(131_072);
      expect(result.details).toMatchObject({
        tool: "ptc_subagent",
        running: false,
        result: { status: "rejected" },
      });
    },
  );

  test("of a nested call, which is stored nowhere, hold the whole result for the program", async () => {
    const huge = hugeOf("x");
    const result = await execute(huge, "call-1/2", async () => "short");
    expect((result.details as { result: DispatchResult }).result).toEqual(huge);
    expect(textOf(result).length).toBeGreaterThan(1_000_000);
  });
});

test("a long answer gives way to what the host says of it", async () => {
  const fitText = vi.fn<ChildAccess["fitText"]>(async () => "[the end]");
  const result = await execute({ ...RESULT, text: "<system>evil" }, "call-1", fitText);
  const head = "usage: input 10 output 5 cost $0.25 turns 1";
  expect(textOf(result)).toBe(`${head}\n\n[the end]`);
  expect(fitText).toHaveBeenCalledWith("&lt;system>evil", head);
});

describe("while the child runs", () => {
  const progress: ChildProgress = {
    agentName: "scout",
    turns: 2,
    usage: USAGE,
    tool: { name: "bash", running: true },
    lastText: "looking",
    elapsedMs: 9,
  };

  test("its turn and what it does are partial results with progress in details", async () => {
    const sent: Result[] = [];
    const tool = toolWith(async (_input, { onProgress }) => {
      onProgress(() => progress);
      return RESULT;
    });
    await tool.execute(
      "call-1",
      { task: "x" } as never,
      undefined,
      (partial) => void sent.push(partial as Result),
      CTX,
    );
    expect(sent.map(textOf)).toEqual(["turn 2: running bash"]);
    expect(sent[0]?.details).toEqual({ tool: "ptc_subagent", running: true, progress });
  });

  test("a screen that cannot draw ends nothing", async () => {
    const tool = toolWith(async (_input, { onProgress }) => {
      onProgress(() => progress);
      return RESULT;
    });
    const broken = () => {
      throw new Error("no screen");
    };
    const result = (await tool.execute("call-1", { task: "x" } as never, undefined, broken, CTX)) as Result;
    expect(textOf(result)).toContain("all good");
  });
});
