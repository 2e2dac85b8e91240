import { validateToolArguments } from "@earendil-works/pi-ai";
import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/base/settings.ts";
import { carryArgs, carryMeta, carryTimeout } from "../../src/tools/arguments.ts";
import { createRunCodeTool } from "../../src/tools/run-code.ts";
import type { ProgramAccess } from "../../src/tools/run-tool.ts";
import { createToolTexts } from "../../src/tools/tool-texts.ts";
import { createWorkflowTool } from "../../src/tools/workflow.ts";

const tool = createWorkflowTool(
  Type,
  createToolTexts({ settings: () => DEFAULT_SETTINGS }),
  {} as ProgramAccess,
);
const BASE = { meta: { name: "n", description: "d" }, script: "return 1" };

/** What `execute` gets when a call is made with `more`: prepared by us, then validated and coerced by pi. */
function throughPi(more: object): Record<string, unknown> {
  const prepared = tool.prepareArguments?.({ ...BASE, ...more });
  return validateToolArguments(tool as never, {
    type: "toolCall",
    id: "1",
    name: tool.name,
    arguments: prepared as never,
  });
}

describe("a deadline", () => {
  test.each([0, 1_000, -1, 0.5, 9_999_999_999])("that is the number %s arrives as it is", (timeoutMs) => {
    expect(throughPi({ timeoutMs })).toEqual({ ...BASE, timeoutMs });
  });

  test.each([undefined, null])("of %s is absent", (timeoutMs) => {
    expect(throughPi({ timeoutMs })["timeoutMs"]).toBeUndefined();
    expect(throughPi({ timeoutMs })).not.toHaveProperty("givenTimeout");
  });

  test.each([
    ["1000", "1000"],
    [Number.NaN, Number.NaN],
    [Infinity, Infinity],
    [true, true],
    ["", ""],
    [[5], "an array"],
    [{}, "a value of type object"],
    [() => 5, "a value of type function"],
  ])(
    "of %s, which pi would coerce or refuse in its own words, reaches the runner",
    (timeoutMs, givenTimeout) => {
      expect(throughPi({ timeoutMs })).toEqual({ ...BASE, givenTimeout });
    },
  );
});

describe("the description of a program, which only people read", () => {
  const parts = createToolTexts({ settings: () => DEFAULT_SETTINGS });
  const runCode = createRunCodeTool(Type, parts, {} as ProgramAccess);
  const prepared = (given: object): Record<string, unknown> =>
    validateToolArguments(runCode as never, {
      type: "toolCall",
      id: "1",
      name: runCode.name,
      arguments: runCode.prepareArguments?.(given) as never,
    });

  test.each([{}, { description: null }])("may be left out, as by %j", (more) => {
    expect(prepared({ code: "return 1", ...more })).toEqual({ code: "return 1", description: "" });
  });

  test("arrives as it is", () => {
    const given = { code: "return 1", description: "Returns one" };
    expect(prepared(given)).toEqual(given);
  });

  test("is asked for all the same", () => {
    expect((runCode.parameters as { required?: string[] }).required).toContain("description");
  });
});

describe("the arguments of a workflow", () => {
  test("that are plain JSON arrive as they are", () => {
    const args = { a: [1, { b: null }], c: "x" };
    expect(throughPi({ args })).toEqual({ ...BASE, args });
    expect(throughPi({ args: {} })).toEqual({ ...BASE, args: {} });
  });

  test("are absent when null or undefined", () => {
    for (const args of [null, undefined]) expect(throughPi({ args })["args"]).toBeUndefined();
  });

  test("sent as the text of a JSON object are the object", () => {
    expect(throughPi({ args: '{"a": [1]}' })).toEqual({ ...BASE, args: { a: [1] } });
  });

  test.each([
    [{ a: { b: [Number.NaN] } }, "args.a.b[0] is NaN; args must be an object of plain JSON"],
    [{ a: new Map() }, "args.a is a Map; args must be an object of plain JSON"],
    [{ a: () => 1 }, "args.a is a function; args must be an object of plain JSON"],
    [[1], "args is an array; args must be an object of plain JSON"],
    ["[1]", "args is an array; args must be an object of plain JSON"],
    ["text", "args is a string; args must be an object of plain JSON"],
    ["null", "args is null; args must be an object of plain JSON"],
    [5, "args is 5; args must be an object of plain JSON"],
    [new Map(), "args is a Map; args must be an object of plain JSON"],
  ])("that are %s are refused with their path", (args, argsProblem) => {
    expect(throughPi({ args })).toEqual({ ...BASE, argsProblem });
  });
});

describe("meta", () => {
  test("may be JSON text, and phases plain names", () => {
    const meta = { name: "n", description: "d", phases: [{ name: "a" }, { name: "b" }] };
    expect(
      throughPi({ meta: '{"name": "n", "description": "d", "phases": ["a", {"name": "b"}]}' }),
    ).toMatchObject({ meta });
  });

  test.each(["text", undefined, [], 5])("of %j is left to pi's validation", (meta) => {
    expect(() => throughPi({ meta })).toThrow("meta");
  });
});

test.each([undefined, null, "text", 5, []])("arguments that are %j are left alone", (given) => {
  for (const carry of [carryTimeout, carryArgs, carryMeta]) expect(carry(given)).toBe(given);
});
