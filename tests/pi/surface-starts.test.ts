/** Surfaces in pis that are really started: eight that print, and four on a screen (spec 4.1 to 4.5). */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ModelRequest, PiHome, type Play, program } from "./real-pi.ts";
import { TerminalPi } from "./terminal-pi.ts";

const BUILT_INS = ["read", "bash", "edit", "write"];
const TASKS = ["ptc_task_list", "ptc_task_output", "ptc_task_stop"];
const FULL = ["ptc_run_code", "ptc_workflow", ...TASKS];
const SUBAGENTS = ["codemode", "ptc_subagent", ...TASKS];

let home: PiHome;
beforeAll(async () => {
  home = await PiHome.open();
}, 60_000);
afterAll(() => home.close());
const agentFile = (name: string): string => join(home.home.agentDir, name);
let piSettings = "";
beforeAll(() => {
  piSettings = readFileSync(agentFile("settings.json"), "utf8");
});
afterEach(() => {
  home.settings({});
  writeFileSync(agentFile("settings.json"), piSettings);
  rmSync(agentFile("mcp.json"), { force: true });
  rmSync(join(home.home.cwd, ".pi"), { recursive: true, force: true });
});
const addSettings = (more: object): void =>
  writeFileSync(
    agentFile("settings.json"),
    JSON.stringify({ ...(JSON.parse(piSettings) as object), ...more }),
  );
const namesOf = (request: ModelRequest | undefined): string[] =>
  (request?.tools ?? []).map(({ name }) => name).toSorted();

describe("a pi that prints offers in its first request", () => {
  async function offers(play: Partial<Play>, names: string[]): Promise<string> {
    const { code, stdout, stderr, requests } = await home.play({ steps: [], ...play });
    expect(namesOf(requests[0])).toEqual(names.toSorted());
    expect(code).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("type");
    return stderr;
  }

  test("programs and built-in tools, and says nothing", async () => {
    expect(await offers({}, [...BUILT_INS, ...FULL])).toBe("");
  });

  test("`ptc_subagent` beside codemode that the user named", async () => {
    expect(await offers({ args: ["--tools", "+codemode"] }, [...BUILT_INS, ...SUBAGENTS])).toBe("");
  });

  test("no codemode that pi activated for an MCP server; its tools are called in a program", async () => {
    const server = {
      command: process.execPath,
      args: [join(import.meta.dirname, "../fixtures/mcp-server.ts")],
    };
    writeFileSync(agentFile("mcp.json"), JSON.stringify({ mcpServers: { srv: server } }));
    const code =
      'return (await tools.mcp__srv__alpha({})).content[0].text + ptcBindings.includes("codemode")';
    const { requests, ends } = await home.play({ steps: [[program(code)]] });
    expect(namesOf(requests[0])).toEqual([...BUILT_INS, ...FULL].toSorted());
    expect(ends[0]).toMatchObject({ isError: false, text: "calledfalse" });
  });

  test("another package's codemode as any other tool", async () => {
    const extensions = ["foreign-codemode.ts"];
    const stderr = await offers({ extensions, args: ["--tools", "+codemode"] }, [
      ...BUILT_INS,
      "codemode",
      ...FULL,
    ]);
    expect(stderr).not.toContain("ptc");
  });

  test("programs when extensions are switched off and ours is named by -e", async () => {
    const checkout = join(import.meta.dirname, "../..");
    expect(await offers({ args: ["-ne", "-e", checkout] }, [...BUILT_INS, ...FULL])).toBe("");
  });

  test("what a project names, only where pi trusts it", async () => {
    mkdirSync(join(home.home.cwd, ".pi"));
    writeFileSync(join(home.home.cwd, ".pi/settings.json"), '{"defaultTools": ["+codemode"]}');
    expect(await offers({ args: ["--approve"] }, [...BUILT_INS, ...SUBAGENTS])).toBe("");
    expect(await offers({ args: ["--no-approve"] }, [...BUILT_INS, ...FULL])).toBe("");
  });

  test("ours alone, where codemode is named, hides all direct tools, and `full` is pinned; one line on stderr says so", async () => {
    addSettings({ codemode: { mode: "only" }, defaultTools: ["+codemode"] });
    home.settings({ surfaceMode: "full" });
    expect(await offers({}, FULL)).toMatch(
      /^pi-ptc-subagents: \/.*ptc\.json: surfaceMode is "full", so codemode, .*\n$/,
    );
  });

  test("what pi offers decides when the settings are broken or outside the set; a line each on stderr", async () => {
    home.settings('{ "surfaceMode": "off", // mine');
    expect(await offers({}, [...BUILT_INS, ...FULL])).toMatch(
      /^pi-ptc-subagents: \/.*ptc\.json: not valid JSON .*the defaults apply\n$/,
    );
    home.settings({ surfaceMode: "on", defaultMod: false });
    const lines = (await offers({}, [...BUILT_INS, ...FULL])).trim().split("\n");
    expect(lines).toEqual([
      expect.stringContaining(
        'surfaceMode is "on"; it must be "off" or "subagents" or "full"; what pi offers decides',
      ),
      expect.stringContaining("did you mean defaultMode?"),
    ]);
    home.settings({ surfaceMode: "subagents" });
    expect(await offers({}, [...BUILT_INS, "ptc_subagent", ...TASKS])).toMatch(
      /pi's codemode is not active.*\n$/,
    );
  }, 60_000);
});

describe("a pi on its screen", () => {
  const requests = (path: string): ModelRequest[] =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ModelRequest);

  /** A terminal, and the names that its model was offered so far. */
  async function open(play: Partial<Play> = {}) {
    const { requestsPath, ...start } = home.command({ steps: [], ...play });
    const terminal = await TerminalPi.open(home.home, { ...start, size: { columns: 120, rows: 40 } });
    return { terminal, offered: () => requests(requestsPath).map(namesOf) };
  }
  /** The footer's row of statuses, which is the last one drawn. */
  const hasFooter = (screen: TerminalPi["screen"]): boolean => screen.text().trimEnd().endsWith("\nPTC");

  test("begins in PTC mode, shows it in the footer, and runs what the model calls in programs", async () => {
    const steps = [[program('return (await tools.bash({ command: "echo from bash" })).content[0].text')]];
    const { terminal, offered } = await open({ steps });
    await using pi = terminal;
    await pi.waitFor(hasFooter);
    await pi.submit("go");
    await pi.waitFor(/from bash[^]*done/);
    expect(offered()[0]).toEqual(FULL.toSorted());
    await pi.submit("/quit");
    expect(await pi.ended).toBe(0);
  }, 60_000);

  test("completes /ptc with Tab, goes to off and back, and a resume remembers it", async () => {
    const sessions = ["--session-dir", join(home.home.root, "screen-sessions")];
    const { terminal, offered } = await open({ session: true, args: sessions });
    await using pi = terminal;
    pi.type("/ptc o");
    await pi.waitFor(/No programs and no new children/);
    pi.press("down", "tab");
    await pi.waitFor(/\/ptc off/);
    pi.press("enter");
    await pi.waitFor(/PTC mode is off: the model gets the built-in tools/);
    expect(hasFooter(pi.screen)).toBe(false);
    await pi.submit("first");
    await pi.waitFor(/done/);
    expect(offered()[0]).toEqual([...BUILT_INS, ...TASKS].toSorted());
    await pi.submit("/quit");
    expect(await pi.ended).toBe(0);

    const resumed = await open({ session: true, args: [...sessions, "-c"] });
    await using again = resumed.terminal;
    await again.submit("second");
    await again.waitFor(() => resumed.offered().length === 1);
    expect(resumed.offered()[0]).toEqual([...BUILT_INS, ...TASKS].toSorted());
    await again.submit("/ptc on");
    await again.waitFor(/PTC mode is on/);
    await again.waitFor(hasFooter);
    await again.submit("/quit");
    expect(await again.ended).toBe(0);
  }, 60_000);

  test("changes the surface in place, and with `off` is a stock pi that a reload brings back", async () => {
    const { terminal, offered } = await open();
    await using pi = terminal;
    await pi.submit("/ptc surface subagents");
    await pi.waitFor(/Warning: PTC mode ends/);
    await pi.waitFor(/Surface: subagents \(surfaceMode in/);
    await pi.submit("one");
    await pi.waitFor(() => offered().length === 1);
    expect(offered()[0]).toEqual([...BUILT_INS, "ptc_subagent", ...TASKS].toSorted());
    await pi.submit("/ptc surface off");
    await pi.waitFor(/pi-ptc-subagents is off\. To have it back, take "surfaceMode" out of/);
    await pi.submit("two");
    await pi.waitFor(() => offered().length === 2);
    expect(offered()[1]).toEqual(BUILT_INS.toSorted());
    home.settings({});
    await pi.submit("/reload");
    await pi.waitFor(hasFooter);
    await pi.submit("three");
    await pi.waitFor(() => offered().length === 3);
    expect(offered()[2]).toEqual(FULL.toSorted());
    await pi.submit("/quit");
    expect(await pi.ended).toBe(0);
  }, 60_000);

  test("warns of what is wrong where it can be seen", async () => {
    home.settings({ surfaceMode: "subagents", widgit: true });
    const { terminal } = await open();
    await using pi = terminal;
    await pi.waitFor(/Warning: [^]*unknown key "widgit"[^]*did you mean\s+widget\?/);
    await pi.waitFor(/Warning: [^]*pi's codemode is not\s+active/);
    await pi.submit("/quit");
    expect(await pi.ended).toBe(0);
  }, 60_000);
});
