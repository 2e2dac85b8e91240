/** PTC mode in pi's own session: what is blocked, what other extensions do to it, what a session remembers (spec 4.1, 4.2). */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { InProcessPi, type Start } from "./in-process-pi.ts";

const BUILT_INS = ["bash", "edit", "read", "write"];
const PROGRAMS = ["ptc_run_code", "ptc_workflow"];
const TASKS = ["ptc_task_list", "ptc_task_output", "ptc_task_stop"];
const SCREEN: Start = { mode: "tui" };

let opened: InProcessPi[] = [];
afterEach(async () => {
  for (const pi of opened.splice(0).toReversed()) await pi.close();
});
beforeAll(async () => {
  await build();
});
async function start(options: Start): Promise<InProcessPi> {
  const pi = await InProcessPi.start(options);
  opened.push(pi);
  return pi;
}

/** Names that the next request offers, sorted. */
const offered = async (pi: InProcessPi): Promise<string[]> => (await pi.ask()).names.toSorted();
const program = (code: string): [string, object][] => [["ptc_run_code", { code, description: "d" }]];
describe("a call of a hidden tool", () => {
  test("is blocked with the program to write, and the same call in a program passes", async () => {
    const pi = await start({
      ...SCREEN,
      steps: [
        [["bash", { command: "echo direct" }]],
        program('return (await tools.bash({ command: "echo in a program" })).content[0].text'),
        "done",
      ],
    });
    await pi.ask();
    expect(pi.results).toEqual([
      {
        name: "bash",
        isError: true,
        text: 'PTC mode is on: bash is called in a program. Call ptc_run_code with such a program, for example: return (await tools.bash({"command":"echo direct"})).content[0].text',
      },
      { name: "ptc_run_code", isError: false, text: "in a program" },
    ]);
  });

  test("is not blocked where built-in tools are offered", async () => {
    const pi = await start({ mode: "rpc", steps: [[["bash", { command: "echo direct" }]], "done"] });
    await pi.ask();
    expect(pi.results).toMatchObject([{ isError: false, text: "direct\n" }]);
  });

  test("of programs and children is refused while PTC mode is off, also to a program that still runs", async () => {
    const pi = await start({
      ...SCREEN,
      steps: [program("return 1"), [["ptc_subagent", { task: "x" }]], "done"],
    });
    expect(await pi.command("/ptc off")).toEqual([expect.stringContaining("PTC mode is off")]);
    expect(await offered(pi)).toEqual([...BUILT_INS, ...TASKS].toSorted());
    expect(pi.results.map(({ isError }) => isError)).toEqual([true, true]);
    expect(pi.results[0]?.text).toContain("so no program is run");
  });

  test("is not described by codemode either, where that stays declared because nothing else would be", async () => {
    const pi = await start({
      ...SCREEN,
      settings: { codemode: { mode: "only" }, defaultTools: ["+codemode"] },
      ptc: { surfaceMode: "full" },
    });
    await pi.command("/ptc off");
    const { tools } = await pi.ask();
    const { description } = tools.find(({ name }) => name === "codemode") ?? {};
    expect(description).toContain("bash(args: {");
    expect(description).not.toContain("ptc_subagent");
  });

  test("a program that was started before PTC mode went off starts no child after it", async () => {
    const code = `
      await tools.hold({});
      return (await tools["pi.dispatch"]({ task: "x" })).errorMessage`;
    let off = async (): Promise<void> => undefined;
    const holding = (other: ExtensionAPI): void =>
      other.registerTool({
        name: "hold",
        label: "hold",
        description: "Holds",
        parameters: { type: "object", properties: {} } as never,
        execute: async () => {
          await off();
          return { content: [{ type: "text", text: "held" }], details: undefined };
        },
      });
    const pi = await start({ ...SCREEN, before: [holding], steps: [program(code), "done"] });
    off = async () => void (await pi.command("/ptc off"));
    await pi.ask();
    expect(pi.results).toEqual([
      { name: "ptc_run_code", isError: false, text: expect.stringContaining("so no child is started") },
    ]);
  });

  test("codemode that pi activated by itself is refused by its name", async () => {
    const late = (other: ExtensionAPI): void =>
      void other.on("session_start", () => other.setActiveTools([...other.getActiveTools(), "codemode"]));
    const pi = await start({
      ...SCREEN,
      after: [late],
      steps: [[["codemode", { code: "return 1" }]], "done"],
    });
    await pi.ask();
    expect(pi.results).toEqual([
      {
        name: "codemode",
        isError: true,
        text: expect.stringContaining("write the program for ptc_run_code instead"),
      },
    ]);
  });
});

test("a skill that the user names is loaded by `tools.read` in a program", async () => {
  const skill = "---\nname: greet\ndescription: How to greet\n---\nSay ahoy.\n";
  const pi = await start({
    ...SCREEN,
    trusted: true,
    project: { ".pi/skills/greet/SKILL.md": skill },
    steps: [],
  });
  const request = await pi.ask("use the skill greet");
  expect(request.names.toSorted()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  const [, path = ""] = /<location>(.*greet\/SKILL\.md)<\/location>/.exec(request.system) ?? [];
  expect(path).not.toBe("");
  const text = request.tools.find(({ name }) => name === "ptc_run_code")?.description;
  expect(text).toContain("load a skill's file with `tools.read` inside a program");
  const reading = await start({
    ...SCREEN,
    trusted: true,
    project: { ".pi/skills/greet/SKILL.md": skill },
    steps: [program(`return (await tools.read({ path: ${JSON.stringify(path)} })).content[0].text`), "done"],
  });
  await reading.ask();
  expect(reading.results[0]).toMatchObject({ isError: false, text: expect.stringContaining("Say ahoy.") });
});

describe("another extension", () => {
  test("adds a tool in mid-session, which is offered and called directly", async () => {
    const pi = await start({ ...SCREEN, steps: ["one", [["late_tool", {}]], "done"] });
    await pi.ask();
    pi.api.registerTool({
      name: "late_tool",
      label: "late",
      description: "Late",
      parameters: { type: "object", properties: {} } as never,
      execute: async () => ({ content: [{ type: "text", text: "late" }], details: undefined }),
    });
    expect(await offered(pi)).toEqual(["late_tool", ...PROGRAMS, ...TASKS].toSorted());
    expect(pi.results).toEqual([{ name: "late_tool", isError: false, text: "late" }]);
  });

  test("takes all but reading away: the mode rests, says so once, and goes on when they return", async () => {
    const pi = await start({ ...SCREEN, steps: ["one", [["read", { path: "nowhere" }]], "done", "three"] });
    const before = pi.api.getActiveTools();
    await pi.ask();
    pi.api.setActiveTools(["read"]);
    expect(await offered(pi)).toEqual(["read"]);
    expect(pi.results[0]?.text).toContain("ENOENT");
    expect(pi.takeNotices()).toEqual([expect.stringMatching(/^warning: pi-ptc-subagents: PTC mode rests/)]);
    expect(pi.statuses.at(-1)).toBeUndefined();
    pi.api.setActiveTools(before);
    expect(await offered(pi)).toEqual([...PROGRAMS, ...TASKS].toSorted());
    expect(pi.statuses.at(-1)).toBe("PTC");
    pi.api.setActiveTools(["read"]);
    await pi.ask();
    expect(pi.takeNotices()).toEqual([]);
    expect(pi.api.getActiveTools()).toEqual(["read"]);
  });

  test("takes programs away in the middle of a run: the next request of that run has the built-in tools", async () => {
    const pi = await start({ ...SCREEN, steps: [program("return 1"), "done"] });
    pi.api.on("tool_execution_end", () => pi.api.setActiveTools(BUILT_INS));
    await pi.ask();
    expect(pi.requests.map(({ names }) => names.toSorted())).toEqual([
      [...PROGRAMS, ...TASKS].toSorted(),
      BUILT_INS,
    ]);
    expect(pi.notices).toEqual([expect.stringMatching(/PTC mode rests/)]);
  });

  test("is followed at once, without waiting for a request", async () => {
    const pi = await start({ ...SCREEN, settings: { codemode: { mode: "only" } } });
    const exposures = (): unknown[] =>
      pi.api
        .getAllTools()
        .filter(({ name }) => TASKS.includes(name))
        .map(({ exposure }) => exposure);
    const active = pi.api.getActiveTools();
    pi.api.setActiveTools([...active, "codemode"]);
    await Promise.resolve();
    expect(exposures()).toEqual(["model-only", "model-only", "model-only"]);
    pi.api.setActiveTools(active.filter((name) => !PROGRAMS.includes(name)));
    await Promise.resolve();
    expect(exposures()).toEqual(["direct", "direct", "direct"]);
    expect(pi.statuses).toEqual(["PTC", undefined]);
  });

  test("takes a built-in tool away: programs bind less, which is said once", async () => {
    const pi = await start({
      ...SCREEN,
      steps: ["one", program("return [ptcBindings.includes('bash'), ptcBindings.includes('write')]"), "done"],
    });
    await pi.ask();
    pi.api.setActiveTools(pi.api.getActiveTools().filter((name) => name !== "write"));
    const request = await pi.ask();
    expect(request.tools.find(({ name }) => name === "ptc_run_code")?.description).not.toContain("  write(");
    expect(pi.results[0]?.text).toBe("[true, false]");
    expect(pi.notices).toEqual([expect.stringContaining("Programs can no longer call write")]);
  });

  test("keeps its choice over a change of the surface", async () => {
    const pi = await start({ ...SCREEN, args: ["--tools", "+codemode"], ptc: { surfaceMode: "full" } });
    await pi.ask();
    const without = (name: string): string[] => pi.api.getActiveTools().filter((other) => other !== name);
    pi.api.setActiveTools(without("ptc_workflow"));
    await pi.command("/ptc surface subagents");
    expect(await offered(pi)).toEqual([...BUILT_INS, "codemode", "ptc_subagent", ...TASKS].toSorted());
    pi.api.setActiveTools(without("ptc_task_stop"));
    await pi.command("/ptc surface full");
    expect(await offered(pi)).toEqual(["ptc_run_code", "ptc_task_list", "ptc_task_output"]);
  });

  test("that took everything of ours away is given nothing new by a change of the surface", async () => {
    const pi = await start(SCREEN);
    await pi.ask();
    pi.api.setActiveTools(["read"]);
    await pi.command("/ptc surface subagents");
    expect(await offered(pi)).toEqual(["read"]);
  });

  test("that names the tools of a run in its own start is obeyed", async () => {
    const preset = (other: ExtensionAPI): void =>
      void other.on("session_start", () => other.setActiveTools(["read", "bash"]));
    const pi = await start({ ...SCREEN, before: [preset] });
    expect(await offered(pi)).toEqual(["bash", "read"]);
    expect(pi.notices).toEqual([]);
  });
});
