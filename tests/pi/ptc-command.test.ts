/** `/ptc` in pi's own session: what it answers in each start, and what it changes (spec 4.3). */

import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { InProcessPi, type Start } from "./in-process-pi.ts";

const BUILT_INS = ["bash", "edit", "read", "write"];
const PROGRAMS = ["ptc_run_code", "ptc_workflow"];
const TASKS = ["ptc_task_list", "ptc_task_output", "ptc_task_stop"];
const CODEMODE = ["--tools", "+codemode"];

let pi: InProcessPi;
afterEach(() => pi.close());
async function start(options: Start = {}): Promise<InProcessPi> {
  pi = await InProcessPi.start({ mode: "tui", ...options });
  return pi;
}
const settings = (): string => readFileSync(join(pi.agentDir, "ptc.json"), "utf8");
const offered = async (): Promise<string[]> => (await pi.ask()).names.toSorted();

describe("/ptc", () => {
  test("tells mode, surface and why, bindings, engine and vessel, slots, tasks and cost", async () => {
    await start();
    expect(await pi.command("/ptc")).toEqual([
      [
        "info: PTC mode: on: programs call the built-in tools (the default in a terminal)",
        "Surface: full (detected: pi's codemode is not active)",
        "Bindings (8): bash, edit, pi.dispatch, ptc_task_list, ptc_task_output, ptc_task_stop, read, write",
        "Engine: node, each program in a process of its own",
        "Children: 0 of 8 slots in use, $0.00 so far",
        "Tasks: 0 running, 0 undelivered results",
      ].join("\n"),
    ]);
  });

  test.each<[string, Start, string, string]>([
    ["printing", { mode: "rpc" }, "beside the built-in tools", "pi's codemode is not active"],
    ["restricted", { args: ["-xt", "write"] }, "named or left out", "pi's codemode is not active"],
    ["defaultMode false", { ptc: { defaultMode: false } }, "defaultMode is false", "not active"],
    [
      "subagents",
      { args: CODEMODE },
      "none on the surface subagents",
      "subagents (detected: pi's codemode is active",
    ],
    ["no codemode", { args: ["-xt", "codemode"] }, "beside", "pi was started without its codemode"],
    [
      "left out",
      { args: ["--tools", "read"] },
      "PTC mode: none",
      "this launch left the tools of this package out",
    ],
    ["pinned", { ptc: { surfaceMode: "full" } }, "on: programs", "full (surfaceMode in /"],
    [
      "codemode by itself",
      {
        after: [
          (other) =>
            void other.on("session_start", () =>
              other.setActiveTools([...other.getActiveTools(), "codemode"]),
            ),
        ],
      },
      "on: programs",
      "pi activated its codemode by itself",
    ],
  ])("in a session that is %s says so", async (_title, options, mode, surface) => {
    await start(options);
    const [status = ""] = await pi.command("/ptc");
    const [modeLine, surfaceLine] = status.split("\n");
    expect(modeLine).toContain(mode);
    expect(surfaceLine).toContain(surface);
    expect(await pi.command("/ptc surface")).toEqual([`info: ${surfaceLine}`]);
  });

  test("is not there when the surface is off", async () => {
    await start({ ptc: { surfaceMode: "off" } });
    expect(pi.api.getCommands().map(({ name }) => name)).not.toContain("ptc");
  });

  test("takes nothing for a status query that is none", async () => {
    await start();
    for (const typo of ["status", "onn", "surface both"])
      expect(await pi.command(`/ptc ${typo}`)).toEqual([expect.stringMatching(/^error: .*usage: \/ptc /)]);
    expect(await pi.command("/ptc surface ful")).toEqual([
      expect.stringContaining("did you mean /ptc surface full?"),
    ]);
  });

  test("answers on stderr where there is no screen and no client", async () => {
    await start({ mode: "print" });
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await pi.command("/ptc surface");
    const lines = written.mock.calls.map(([text]) => text);
    vi.restoreAllMocks();
    expect(lines).toEqual(["Surface: full (detected: pi's codemode is not active)\n"]);
  });
});

describe("/ptc on and /ptc off", () => {
  test("change the next request, are idempotent, and change the footer", async () => {
    await start();
    expect(await pi.command("/ptc on")).toEqual([expect.stringContaining("PTC mode is already on")]);
    expect(await pi.command("/ptc off")).toEqual([expect.stringContaining("PTC mode is off")]);
    expect(await pi.command("/ptc off")).toEqual([expect.stringContaining("PTC mode is already off")]);
    expect(pi.statuses).toEqual(["PTC", undefined]);
    expect(await offered()).toEqual([...BUILT_INS, ...TASKS].toSorted());
    expect(await pi.command("/ptc on")).toEqual([expect.stringContaining("PTC mode is on")]);
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  });

  test("turn it on for a client, too", async () => {
    await start({ mode: "rpc" });
    await pi.command("/ptc on");
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  });

  test.each<[string, Start, string]>([
    [
      "on subagents",
      { args: CODEMODE },
      "belongs to the surface full, and this is subagents; nothing changes",
    ],
    [
      "without our tools",
      { args: ["--tools", "read"] },
      "left the tools of this package out; nothing changes",
    ],
    [
      "without programs",
      { args: ["--tools", "read,ptc_task_list"] },
      "which this launch left out; nothing changes",
    ],
  ])("change nothing %s", async (_title, options, sentence) => {
    await start(options);
    const before = await offered();
    for (const word of ["on", "off"])
      expect(await pi.command(`/ptc ${word}`)).toEqual([expect.stringContaining(sentence)]);
    expect(await offered()).toEqual(before);
    expect(pi.sessionManager.getEntries().filter(({ type }) => type === "custom")).toEqual([]);
  });
});

describe("/ptc surface", () => {
  test("writes the key and applies it at once, saying first what ends", async () => {
    await start({ ptc: '{\n\t"notify": "quiet",\n\t"mine?": 1\n}\n' });
    pi.takeNotices();
    expect(await pi.command("/ptc surface subagents")).toEqual([
      expect.stringMatching(/^warning: PTC mode ends: it belongs to the surface full/),
      expect.stringMatching(/^warning: .*surfaceMode is "subagents", but pi's codemode is not active/),
      expect.stringMatching(
        /^info: Surface: subagents \(surfaceMode in .*ptc\.json\)\. .*ptc\.json was changed\.$/,
      ),
    ]);
    expect(settings()).toBe('{\n\t"notify": "quiet",\n\t"mine?": 1,\n\t"surfaceMode": "subagents"\n}\n');
    expect(await offered()).toEqual([...BUILT_INS, "ptc_subagent", ...TASKS].toSorted());
    expect(await pi.command("/ptc surface subagents")).toEqual([
      expect.stringContaining("Nothing had to be changed."),
    ]);
    expect(await pi.command("/ptc surface auto")).toEqual([expect.stringContaining("full (detected")]);
    expect(settings()).toBe('{\n\t"notify": "quiet",\n\t"mine?": 1\n}\n');
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  });

  test("auto to a session where codemode is named ends PTC mode, which is said first", async () => {
    await start({ args: CODEMODE, ptc: { surfaceMode: "full" } });
    expect((await pi.command("/ptc surface auto"))[0]).toContain("PTC mode ends");
    expect(await offered()).toEqual([...BUILT_INS, "codemode", "ptc_subagent", ...TASKS].toSorted());
  });

  test("takes only the surface from the file, not what else changed in it meanwhile", async () => {
    await start();
    pi.write(join(pi.agentDir, "ptc.json"), { defaultMode: false });
    await pi.command("/ptc surface full");
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  });

  test.each([
    ["a comment", '{ // mine\n  "surfaceMode": "full" }'],
    ["a list", "[1]"],
    ["nothing", ""],
  ])("leaves a file with %s byte for byte, says so, and changes nothing", async (_title, text) => {
    await start({ ptc: text });
    pi.takeNotices();
    for (const word of ["subagents", "off", "auto"])
      expect(await pi.command(`/ptc surface ${word}`)).toEqual([
        expect.stringMatching(
          /^error: .*ptc\.json: .*; the file was left as it is; the surface stays full\.$/,
        ),
      ]);
    expect(settings()).toBe(text);
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  });

  test("keeps a link", async () => {
    await start();
    pi.write(join(pi.root, "dotfiles.json"), "{}");
    symlinkSync(join(pi.root, "dotfiles.json"), join(pi.agentDir, "ptc.json"));
    await pi.command("/ptc surface full");
    expect(lstatSync(join(pi.agentDir, "ptc.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(join(pi.root, "dotfiles.json"), "utf8"))).toEqual({ surfaceMode: "full" });
  });

  test("says when the project's file goes before it", async () => {
    await start({ trusted: true, project: { ".pi/ptc.json": { surfaceMode: "full" } } });
    expect(await pi.command("/ptc surface subagents")).toEqual([
      expect.stringMatching(
        /Surface: full \(surfaceMode in .*\.pi\/ptc\.json\)\. .*was changed\. .*\.pi\/ptc\.json, of this project, goes before it/,
      ),
    ]);
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
  });

  test("off ends everything, after it has said so and how to have it back", async () => {
    await start();
    const path = join(pi.agentDir, "ptc.json");
    expect(await pi.command("/ptc surface off")).toEqual([
      `warning: Everything of this package ends now: PTC mode, programs, children and background tasks. To have it back, take "surfaceMode" out of ${path} and run /reload.`,
      `info: pi-ptc-subagents is off. To have it back, take "surfaceMode" out of ${path} and run /reload.`,
    ]);
    expect(await offered()).toEqual(BUILT_INS);
    expect(pi.statuses.at(-1)).toBeUndefined();
    expect(pi.api.getAllTools().filter(({ name }) => name.startsWith("ptc_"))).toEqual([]);
    expect(pi.api.getCommands().map(({ name }) => name)).not.toContain("ptc");
    pi.write(path, {});
    await pi.session.reload();
    expect(await offered()).toEqual([...PROGRAMS, ...TASKS].toSorted());
    expect(pi.stderr).toEqual([]);
  });

  test("off waits for nobody: while pi is at work it is refused, and nothing is written", async () => {
    let said: string[] = [];
    await start({
      steps: [[["ptc_task_list", {}]], "done"],
      before: [
        (other) =>
          void other.on("tool_execution_end", async () => void (said = await pi.command("/ptc surface off"))),
      ],
    });
    await pi.ask();
    expect(said).toEqual([expect.stringContaining("pi is at work")]);
    expect(() => settings()).toThrow("ENOENT");
  });
});
