import { describe, expect, test } from "vitest";
import type { SurfaceChoice } from "../../src/surface/choose.ts";
import { offerOf } from "../../src/surface/offer.ts";

const BUILT_INS = ["read", "bash", "edit", "write", "grep", "find", "ls", "powershell"];
const PROGRAMS = ["ptc_run_code", "ptc_workflow"];
const OTHERS = ["ptc_task_list", "web_search"];
const CODEMODE = { registered: true, active: true, builtin: true, only: false };

const choice = (surface: SurfaceChoice["surface"], mode?: SurfaceChoice["mode"]): SurfaceChoice => ({
  surface,
  surfaceReason: "pinned",
  mode,
  modeReason: mode && "chosen",
});
const tools = (active: string[], uncallable: string[] = []) => ({
  active: new Set(active),
  callable: new Set(active.filter((name) => !uncallable.includes(name) && !PROGRAMS.includes(name))),
});
const ALL = [...BUILT_INS, ...PROGRAMS, ...OTHERS, "codemode", "ptc_subagent"];
const hidden = (made: SurfaceChoice, active = ALL, codemode = CODEMODE): string[] =>
  [...offerOf(made, codemode, tools(active)).hidden].toSorted();

describe("on full", () => {
  test("with PTC mode on, built-in tools, codemode and the tool for children are hidden", () => {
    expect(hidden(choice("full", "on"))).toEqual([...BUILT_INS, "codemode", "ptc_subagent"].toSorted());
  });

  test("with both, codemode and the tool for children are", () => {
    expect(hidden(choice("full", "both"))).toEqual(["codemode", "ptc_subagent"]);
  });

  test("with PTC mode off, programs are, too", () => {
    expect(hidden(choice("full", "off"))).toEqual(["codemode", "ptc_subagent", ...PROGRAMS].toSorted());
  });

  test("with PTC mode off and codemode hiding every direct tool, codemode is all that is left, and stays", () => {
    expect(hidden(choice("full", "off"), ALL, { ...CODEMODE, only: true })).not.toContain("codemode");
    expect(hidden(choice("full", "on"), ALL, { ...CODEMODE, only: true })).toContain("codemode");
  });

  test("another package's codemode is a tool like others", () => {
    expect(hidden(choice("full", "on"), ALL, { ...CODEMODE, builtin: false })).not.toContain("codemode");
  });

  test("only what is active is hidden", () => {
    expect(hidden(choice("full", "on"), ["read", "ptc_run_code"])).toEqual(["read"]);
  });

  test("a built-in tool that programs cannot call is left to the model", () => {
    const offer = offerOf(choice("full", "on"), CODEMODE, tools(["read", "bash", "ptc_run_code"], ["bash"]));
    expect([...offer.hidden]).toEqual(["read"]);
  });

  test.each(["on", "both"] as const)("without a program tool nothing is hidden in mode %s", (mode) => {
    expect(
      hidden(
        choice("full", mode),
        ALL.filter((name) => !PROGRAMS.includes(name)),
      ),
    ).toEqual([]);
  });

  test("one program tool is enough, and without any the mode is suspended", () => {
    const offered = (active: string[]) => offerOf(choice("full", "on"), CODEMODE, tools(active));
    expect(offered(["read", "ptc_workflow"])).toMatchObject({ suspended: false, programs: ["ptc_workflow"] });
    expect(offered(["read"])).toMatchObject({ suspended: true, programs: [] });
    expect(offerOf(choice("full", "both"), CODEMODE, tools(["read"])).suspended).toBe(false);
  });
});

test("on subagents nothing but programs is hidden", () => {
  expect(hidden(choice("subagents"))).toEqual(PROGRAMS);
});

test("on off nothing is hidden", () => {
  expect(hidden(choice("off"))).toEqual([]);
});
