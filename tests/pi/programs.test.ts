/** The program tools inside a real pi, installed with `pi install`, with a scripted model and a second extension. */

import { Type } from "typebox";
import { Check } from "typebox/value";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programOutputSchema } from "../../src/tools/output-schema.ts";
import { PiHome, type Played, program, type ToolEnd } from "./real-pi.ts";

const EXTENSIONS = ["kit-extension.ts"];
/** What must not take pi along (issue 2, done when). */
const KILLERS = {
  array: "new Array(3e8).fill({})",
  blocking: "(await import('node:child_process')).execSync('sleep 600')",
  suicide: "console.log('last words'); process.kill(process.pid, 'SIGKILL')",
};

let pi: PiHome;
beforeAll(async () => {
  pi = await PiHome.open();
}, 60_000);
afterAll(() => pi.close());

const workflow = (script: string, more: object = {}, meta: object = {}) => ({
  name: "ptc_workflow",
  args: { meta: { name: "Sweep", description: "Sweeps", ...meta }, script, ...more },
});

/** Plays programs, one in each answer of the model, and gives their results by name. */
async function playAll(
  calls: Record<string, { name: string; args: object }>,
): Promise<{ played: Played; ends: Record<string, ToolEnd> }> {
  const played = await pi.play({ extensions: EXTENSIONS, steps: Object.values(calls).map((call) => [call]) });
  const ends = Object.fromEntries(
    Object.keys(calls).map((name, index) => [name, played.ends[index] as ToolEnd]),
  );
  return { played, ends };
}

describe("a session with programs", () => {
  let played: Played;
  let ends: Record<string, ToolEnd>;
  beforeAll(async () => {
    ({ played, ends } = await playAll({
      weigh: program(
        "const { structuredContent } = await tools.kit_weigh({ parcel: 'abc' }); console.log('weighed'); return structuredContent.grams",
      ),
      gate: program("return await tools.bash({ command: 'echo forbidden' })"),
      rewritten: program("return await tools.kit_secret({})"),
      mute: program("return await tools.kit_mute({})"),
      unseen: program("return [await tools.kit_unseen({}), await tools.kit_dashed_name({})]"),
      unknown: program("return await tools.kit_weight({})"),
      twice: program(
        "const both = await Promise.all([tools.kit_weigh({ parcel: 'a' }), tools.kit_weigh({ parcel: 'b' })]); return both.length",
      ),
      negative: program("return 1", { timeoutMs: -1 }),
      workflow: workflow(
        "phase('look'); log('looking'); phase('odd'); return args",
        { args: { a: [1] } },
        { phases: ["look", { name: "sweep" }] },
      ),
      helpers: workflow(`
        const all = await parallel([() => 1, () => tools.kit_fail({}), () => 3], { limit: 1 });
        const staged = await pipeline(["a", "b"], (previous, item, index) => [previous, index], (previous, item) => [previous, item]);
        return { args, all, errors: all.errors, listed: Object.keys(all).includes("errors"), staged }`),
      ...Object.fromEntries(
        Object.entries(KILLERS).map(([name, code]) => [name, program(code, { timeoutMs: 3_000 })]),
      ),
      after: program("return 'still here'"),
    }));
  }, 90_000);

  test("ends well, with nothing on stderr and the model's last word", () => {
    expect(played).toMatchObject({ code: 0, stderr: "" });
    const last = played.events.findLast((event) => event.type === "message_end") as unknown as {
      message: { content: { text: string }[] };
    };
    expect(last.message.content[0]?.text).toBe("done");
  });

  test("shows nested calls as events that carry the program's id", () => {
    const { id } = ends["weigh"] as ToolEnd;
    const nested = played.events.filter((event) => event.parentToolCallId === id);
    expect(nested.map((event) => [event.type, event.toolName, event.toolCallId])).toEqual([
      ["tool_execution_start", "kit_weigh", `${id}/1`],
      ["tool_execution_end", "kit_weigh", `${id}/1`],
    ]);
  });

  test("gives programs another extension's tool with its structured content", () => {
    expect(ends["weigh"]).toMatchObject({
      isError: false,
      text: "weighed\n300",
      result: { structuredContent: { ok: true, value: 300 } },
    });
  });

  test("hands the model what the program returned and logged, not what its calls gave", () => {
    const seen = played.requests[1]?.messages.find((message) => message.role === "toolResult");
    expect(seen?.content).toEqual([{ type: "text", text: "weighed\n300" }]);
    expect(seen?.["nestedCalls"]).toMatchObject({ calls: [{ name: "kit_weigh", status: "ok" }] });
  });

  test("obeys a second extension that blocks bash", () => {
    expect(ends["gate"]).toMatchObject({
      isError: true,
      text: expect.stringContaining("the gate says no to a program"),
    });
    expect(ends["gate"]?.result.details).toMatchObject({
      subCalls: [{ name: "bash", status: "error" }],
      error: { kind: "exception" },
    });
  });

  test("obeys a second extension that rewrites a result, structured content included", () => {
    expect(ends["rewritten"]?.result.structuredContent?.["value"]).toEqual({
      content: [{ type: "text", text: "[redacted]" }],
      details: null,
    });
  });

  test("calls tools without content, undeclared ones, deferred ones and ones with odd names", () => {
    expect(ends["mute"]?.result.structuredContent?.["value"]).toEqual({ content: [], details: null });
    expect(ends["unseen"]?.text).toContain("unseen");
    expect(ends["unseen"]?.text).toContain("dashed");
  });

  test("names the bindings and the nearest one for a name that is none", () => {
    const error = ends["unknown"]?.result.structuredContent?.["error"] as { message: string } | undefined;
    expect(error?.message).toMatch(
      /no binding named "kit_weight" in this run; available bindings: [^]*\ndid you mean "kit_weigh"\?/,
    );
  });

  test("sends partial results with the calls that go on", () => {
    const updates = played.events.filter(
      (event) => event.type === "tool_execution_update" && event.toolCallId === ends["twice"]?.id,
    );
    expect(updates.length).toBeGreaterThan(0);
    expect(updates[0]?.partialResult?.details).toMatchObject({
      running: true,
      tool: "ptc_run_code",
      subCalls: [{ name: "kit_weigh" }],
    });
    const end = played.events.findIndex(
      (event) => event.type === "tool_execution_end" && event.toolCallId === ends["twice"]?.id,
    );
    expect(played.events.slice(end).filter((event) => updates.includes(event))).toEqual([]);
  });

  test("refuses a negative deadline with a result that says so", () => {
    expect(ends["negative"]).toMatchObject({
      isError: true,
      text: expect.stringContaining("code run failed (refused): timeoutMs is -1"),
    });
    expect(ends["negative"]?.result.details).toMatchObject({
      description: "A test",
      error: { kind: "refused" },
    });
  });

  test("runs workflows with arguments, phases and narration", () => {
    expect(ends["workflow"]?.text).toBe(
      'Phases: look → odd\nlooking\n{a: [1]}\nWarning: phase "odd" is not listed in meta.phases (declared: look, sweep)',
    );
    expect(ends["workflow"]?.result.details).toMatchObject({
      tool: "ptc_workflow",
      description: "Sweep",
      phases: ["look", "odd"],
      narrations: ["looking"],
    });
    expect(ends["helpers"]?.text).toMatch(/\nWarning: .*1/);
    expect(ends["helpers"]?.result.structuredContent?.["value"]).toEqual({
      args: null,
      all: [1, null, 3],
      errors: [{ index: 1, message: expect.stringContaining("broke"), toolName: "kit_fail" }],
      listed: false,
      staged: [
        [["a", 0], "a"],
        [["b", 1], "b"],
      ],
    });
  });

  test("survives programs that kill themselves, blow up memory or block", () => {
    expect(ends["array"]?.isError).toBe(true);
    expect(ends["blocking"]).toMatchObject({ isError: true, text: expect.stringContaining("(timeout)") });
    expect(ends["suicide"]).toMatchObject({
      isError: true,
      text: expect.stringMatching(/SIGKILL[^]*last words/),
    });
    expect(ends["after"]).toMatchObject({ isError: false, text: "still here" });
  });

  test("keeps to the output schema in every result that has data", () => {
    const schema = programOutputSchema(Type);
    const data = played.ends
      .map((end) => end.result.structuredContent)
      .filter((content) => content !== undefined);
    expect(data.length).toBeGreaterThan(10);
    expect(data.filter((content) => !Check(schema, content))).toEqual([]);
  });

  test("offers both tools with short schemas, and refers from one to the other", () => {
    const offered = played.requests[0]?.tools.filter((tool) => tool.name.startsWith("ptc_")) ?? [];
    expect(offered.map((tool) => tool.name)).toEqual([
      "ptc_run_code",
      "ptc_workflow",
      "ptc_task_list",
      "ptc_task_output",
      "ptc_task_stop",
    ]);
    expect(offered[0]?.description).toContain("kit_unseen(");
    expect(offered[0]?.description).toContain("- Use kit_unseen softly");
    expect(offered[0]?.description).not.toContain("kit-dashed");
    expect(offered[1]?.description).toContain("as described for ptc_run_code");
  });
});
