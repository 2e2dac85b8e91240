import { describe, expect, test } from "vitest";
import type { ModeKind } from "../../src/surface/choose.ts";
import { blockReason } from "../../src/surface/direct-calls.ts";
import { type Offer, offerOf } from "../../src/surface/offer.ts";

const CODEMODE = { registered: true, active: true, builtin: true, only: false };
const ACTIVE = ["read", "bash", "web_search", "ptc_task_stop", "ptc_run_code", "ptc_workflow", "codemode"];

function offer(mode: ModeKind, active = ACTIVE): Offer {
  const choice = { surface: "full", surfaceReason: "pinned", mode, modeReason: "chosen" } as const;
  const callable = active.filter((name) => !["ptc_run_code", "ptc_workflow", "codemode"].includes(name));
  return offerOf(choice, CODEMODE, {
    active: new Set(active),
    callable: new Set([...callable, "ptc_subagent"]),
  });
}
const direct = (toolName: string, input: unknown = {}) => ({ toolName, input, isNested: false });
const nested = (toolName: string) => ({ toolName, input: {}, isNested: true });

describe("with PTC mode on", () => {
  test("a direct call of a built-in tool is answered with the program to write", () => {
    expect(blockReason(direct("bash", { command: "ls -a" }), offer("on"))).toBe(
      'PTC mode is on: bash is called in a program. Call ptc_run_code with such a program, for example: return (await tools.bash({"command":"ls -a"})).content[0].text',
    );
  });

  test("long arguments are left to the model, and the tool named is one that there is", () => {
    const reason = blockReason(
      direct("read", { path: "x".repeat(5_000) }),
      offer("on", ["read", "ptc_workflow"]),
    );
    expect(reason).toMatch(/Call ptc_workflow .*tools\.read\(\{ \.\.\. \}\)/);
    expect(reason?.length).toBeLessThan(300);
  });

  test("what cannot be written as JSON does no harm", () => {
    expect(blockReason(direct("read", undefined), offer("on"))).toContain("tools.read({})");
  });

  test("calls of programs, and of every other tool, pass", () => {
    for (const call of [
      nested("read"),
      nested("bash"),
      direct("web_search"),
      direct("ptc_run_code"),
      direct("nope"),
    ])
      expect(blockReason(call, offer("on"))).toBeUndefined();
  });

  test("nothing is blocked while the mode is suspended", () => {
    expect(blockReason(direct("read"), offer("on", ["read"]))).toBeUndefined();
  });
});

describe("with PTC mode off", () => {
  test("programs and children are refused, children to programs that still run, too", () => {
    expect(blockReason(direct("ptc_run_code"), offer("off"))).toContain("so no program is run");
    expect(blockReason(direct("ptc_workflow"), offer("off"))).toContain("so no program is run");
    expect(blockReason(direct("ptc_subagent"), offer("off"))).toContain("so no child is started");
    expect(blockReason(nested("ptc_subagent"), offer("off"))).toContain("so no child is started");
  });

  test("built-in tools and tasks pass", () => {
    for (const name of ["read", "bash", "ptc_task_stop"])
      expect(blockReason(direct(name), offer("off"))).toBeUndefined();
  });
});

test("with both, built-in tools, programs and children pass", () => {
  for (const call of [direct("read"), direct("ptc_run_code"), nested("ptc_subagent")])
    expect(blockReason(call, offer("both"))).toBeUndefined();
});

test.each([
  ["on", "write the program for ptc_run_code instead"],
  ["both", "write the program for ptc_run_code instead"],
  ["off", "call the tools directly"],
] as const)("a hidden codemode is refused in mode %s", (mode, sentence) => {
  expect(blockReason(direct("codemode", { code: "1" }), offer(mode))).toContain(sentence);
});

test("on another surface nothing is blocked", () => {
  const choice = {
    surface: "subagents",
    surfaceReason: "named",
    mode: undefined,
    modeReason: undefined,
  } as const;
  const tools = { active: new Set(ACTIVE), callable: new Set(ACTIVE) };
  for (const name of ACTIVE)
    expect(blockReason(direct(name), offerOf(choice, CODEMODE, tools))).toBeUndefined();
});
