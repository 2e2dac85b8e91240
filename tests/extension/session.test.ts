import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { activate } from "../../src/extension/activate.ts";
import type { Host } from "../../src/extension/host.ts";
import { PtcSession } from "../../src/extension/session.ts";
import type { ProgramRunner, RunnerOptions } from "../../src/program/request.ts";

/** Runners that were made, and what happened to them. */
const made = vi.hoisted(() => ({ options: [] as RunnerOptions[], log: [] as string[] }));
vi.mock("../../src/program/run-program.ts", () => ({
  createProgramRunner: (options: RunnerOptions): Partial<ProgramRunner> => {
    made.options.push(options);
    return {
      warm: (cwd) => void made.log.push(`warm ${cwd}`),
      pauseClocks: () => {
        made.log.push("pause");
        return () => void made.log.push("resume");
      },
      close: async () => void made.log.push("close"),
    };
  },
}));

let agentDir: string;
beforeEach(() => {
  agentDir = mkdtempSync(join(tmpdir(), "ptc-session-"));
  made.options.length = 0;
  made.log.length = 0;
});
afterEach(() => rmSync(agentDir, { recursive: true }));

const truncateTail = () => ({});
const host = () =>
  ({
    codingAgent: {
      VERSION: "1.6.0",
      getAgentDir: () => agentDir,
      getPackageDir: () => agentDir,
      CONFIG_DIR_NAME: ".pi",
      truncateTail,
    },
    typebox,
    typeboxValue,
  }) as unknown as Host;
const session = (pi: object = {}) => new PtcSession(host(), pi as ExtensionAPI);

describe("a session's runner", () => {
  test("is made when first asked for, once, from the settings", async () => {
    writeFileSync(join(agentDir, "ptc.json"), '{"isolation": "thread", "limits": {"spares": 3}}');
    const mine = session();
    expect(made.options).toEqual([]);
    expect(mine.runner()).toBe(mine.runner());
    expect(made.options).toEqual([
      {
        config: expect.objectContaining({ spares: 3 }),
        engine: "node",
        isolation: "thread",
        truncateTail,
        outputDir: expect.any(Function),
      },
    ]);
    await mine.close();
    expect(made.log).toEqual(["close"]);
  });

  test("is not made for the end, nor after it", async () => {
    const mine = session();
    await mine.close();
    expect(() => mine.runner()).toThrow("this session of pi has ended");
    expect(made.options).toEqual([]);
  });
});

test("the project's settings count from the moment the session is opened, where pi trusts it", () => {
  const cwd = join(agentDir, "project");
  mkdirSync(join(cwd, ".pi"), { recursive: true });
  writeFileSync(join(cwd, ".pi/ptc.json"), '{"notify": "quiet", "command": "/bin/evil"}');
  for (const isTrusted of [false, true]) {
    const mine = session();
    expect(mine.settings().notify).toBe("wake");
    mine.open({ cwd, isProjectTrusted: () => isTrusted });
    expect(mine.settings()).toMatchObject({ notify: isTrusted ? "quiet" : "wake" });
    expect(mine.settings().command).toBeUndefined();
    expect(mine.settingsReading().problems).toHaveLength(isTrusted ? 1 : 0);
    expect(mine.settings()).toBe(mine.settings());
  }
});

describe("a child's settings", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("are at most as loose as its parent's, wherever it works", () => {
    writeFileSync(join(agentDir, "ptc.json"), '{"engine": "node", "limits": {"dispatchConcurrency": 9}}');
    vi.stubEnv("PI_PTC_BOUNDS", '{"engine": "quickjs", "limits": {"dispatchConcurrency": 2}}');
    const mine = session();
    expect(mine.settings()).toMatchObject({ engine: "quickjs", limits: { dispatchConcurrency: 2 } });
    expect(mine.settingsReading().problems).toEqual([]);
  });

  test("are the tightest, with a word about it, where the parent's cannot be read", () => {
    vi.stubEnv("PI_PTC_BOUNDS", "{");
    const mine = session();
    expect(mine.settings()).toMatchObject({ engine: "quickjs", limits: { maxDispatchDepth: 0 } });
    expect(mine.settingsReading().problems).toEqual([expect.stringContaining("PI_PTC_BOUNDS")]);
  });
});

describe("the clocks of programs", () => {
  test("stand still from the first open dialog to the last", () => {
    const mine = session();
    mine.runner();
    mine.promptStarted();
    mine.promptStarted();
    mine.promptEnded();
    expect(made.log).toEqual(["pause"]);
    mine.promptEnded();
    mine.promptEnded();
    expect(made.log).toEqual(["pause", "resume"]);
  });

  test("also stand still in a runner that is made while a dialog is open", () => {
    const mine = session();
    mine.promptStarted();
    mine.runner();
    expect(made.log).toEqual(["pause"]);
    mine.promptEnded();
    expect(made.log).toEqual(["pause", "resume"]);
  });
});

test("images are blocked when pi's settings say so", () => {
  expect(session({ getSettings: () => ({ images: { blockImages: true } }) }).blockImages()).toBe(true);
  expect(session({ getSettings: () => ({}) }).blockImages()).toBe(false);
});

describe("a turn", () => {
  async function turn(active: string[]): Promise<string[]> {
    const handlers = new Map<string, (event: object, ctx: object) => unknown>();
    const pi = {
      on: (event: string, handler: (event: object, ctx: object) => unknown) => handlers.set(event, handler),
      registerTool: () => undefined,
      registerMessageRenderer: () => undefined,
      registerShortcut: () => undefined,
      getActiveTools: () => active,
      getAllTools: () => [],
      getSettings: () => ({}),
      events: { emit: () => undefined, on: () => undefined },
    };
    activate(host(), pi as unknown as ExtensionAPI);
    await handlers.get("turn_start")?.({}, { cwd: "/work" });
    return made.log;
  }

  test("boots a worker where programs can be written", async () => {
    expect(await turn(["read", "ptc_workflow"])).toEqual(["warm /work"]);
  });

  test("boots none where our tools are inactive", async () => {
    expect(await turn(["read"])).toEqual([]);
    expect(made.options).toEqual([]);
  });

  test.each([
    ["the user sets it", '{"engine": "quickjs"}', {}],
    ["the child is read-only, whatever the user sets", '{"engine": "node"}', { PI_PTC_READ_ONLY: "1" }],
  ])("boots a worker of the quickjs engine where %s", async (_why, settings, env) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    writeFileSync(join(agentDir, "ptc.json"), settings);
    expect(await turn(["ptc_run_code"])).toEqual(["warm /work"]);
    expect(made.options).toMatchObject([{ engine: "quickjs" }]);
    vi.unstubAllEnvs();
  });
});
