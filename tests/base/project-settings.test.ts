import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { DEFAULT_SETTINGS, readSettings } from "../../src/base/settings.ts";

let root: string;
let agentDir: string;
let projectDir: string;
let projectFile: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ptc-project-"));
  agentDir = join(root, "agent");
  projectDir = join(root, "project/.pi");
  projectFile = join(projectDir, "ptc.json");
  mkdirSync(agentDir);
  mkdirSync(projectDir, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function read(user: object, project: unknown) {
  writeFileSync(join(agentDir, "ptc.json"), JSON.stringify(user));
  writeFileSync(projectFile, typeof project === "string" ? project : JSON.stringify(project));
  return readSettings(agentDir, { typebox, typeboxValue }, projectDir);
}

describe("the settings of a trusted project", () => {
  test("go before the user's, key by key", () => {
    const { settings, problems, surfaceFrom } = read(
      { surfaceMode: "full", notify: "quiet", retention: { outputDays: 3, taskDays: 4 } },
      { surfaceMode: "off", defaultMode: false, widget: false, declarationBudget: 9_000 },
    );
    expect(problems).toEqual([]);
    expect(settings).toEqual({
      ...DEFAULT_SETTINGS,
      surfaceMode: "off",
      defaultMode: false,
      notify: "quiet",
      retention: { outputDays: 3, taskDays: 4, maxTasks: 500 },
      widget: false,
      declarationBudget: 9_000,
    });
    expect(surfaceFrom).toBe(projectFile);
  });

  test("may hold programs tighter", () => {
    const { settings, problems } = read(
      { isolation: "thread", limits: { maxParallelSubCalls: 20 } },
      {
        engine: "quickjs",
        isolation: "process",
        limits: { maxParallelSubCalls: 20, maxTimeoutMs: 1_000, maxChildCostUsd: 2, maxDispatchDepth: 0 },
      },
    );
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({ engine: "quickjs", isolation: "process" });
    expect(settings.limits).toEqual({
      ...DEFAULT_CONFIG,
      maxParallelSubCalls: 20,
      maxTimeoutMs: 1_000,
      maxChildCostUsd: 2,
      maxDispatchDepth: 0,
    });
  });

  test.each([
    [
      { engine: "quickjs" },
      { engine: "node" },
      'engine is "node"; a project may not leave your engine "quickjs"',
    ],
    [
      {},
      { isolation: "thread" },
      'isolation is "thread"; a project may not leave a process of its own for a thread',
    ],
    [
      { isolation: "process" },
      { isolation: "thread" },
      'isolation is "thread"; a project may not leave a process of its own for a thread',
    ],
    [
      {},
      { limits: { timeoutMs: 120_001 } },
      "limits.timeoutMs is 120001; a project may only lower your 120000, the default",
    ],
    [
      { limits: { spares: 0 } },
      { limits: { spares: 1 } },
      "limits.spares is 1; a project may only lower your 0",
    ],
    [
      { limits: { maxChildCostUsd: 5 } },
      { limits: { maxChildCostUsd: 0 } },
      "limits.maxChildCostUsd is 0; a project may only lower your 5",
    ],
    [
      {},
      { command: "/bin/evil" },
      'command is "/bin/evil"; a project may not set it, only your own ptc.json',
    ],
    [{}, { childArgs: [] }, "childArgs is an empty array; a project may not set it, only your own ptc.json"],
    // Complete texts of all projects lie in one folder, and so may their sessions.
    [
      { retention: { taskDays: 90 } },
      { retention: { outputDays: 1, taskDays: 1, maxTasks: 1 } },
      "retention is an object; a project may not set it, only your own ptc.json",
    ],
    [
      {},
      { readOnlyTools: ["bash"] },
      "readOnlyTools is an array; a project may not set it, only your own ptc.json",
    ],
  ])("cannot loosen: with %j of the user, %j is ignored and told", (user, project, sentence) => {
    const mine = read(user, {}).settings;
    const { settings, problems } = read(user, project);
    expect(problems).toEqual([`${projectFile}: ${sentence}; ignored`]);
    expect(settings).toEqual(mine);
  });

  test("that are wrong leave the user's, and are told by their own file", () => {
    const user = { surfaceMode: "full", engine: "quickjs" };
    const wrong = read(user, { surfaceMode: "half", engin: "node" });
    expect(wrong.settings).toMatchObject(user);
    expect(wrong.surfaceFrom).toBe(join(agentDir, "ptc.json"));
    expect(wrong.problems).toEqual([
      `${projectFile}: surfaceMode is "half"; it must be "off" or "subagents" or "full"; your own setting applies`,
      `${projectFile}: unknown key "engin" with the value "node"; did you mean engine?; ignored`,
    ]);
    const broken = read(user, "{ // mine\n}");
    expect(broken.settings).toMatchObject(user);
    expect(broken.problems).toEqual([
      expect.stringMatching(/project\/\.pi\/ptc\.json: not valid JSON .*; your own settings apply$/),
    ]);
  });

  test("that lie in the agent folder itself are the user's", () => {
    writeFileSync(join(agentDir, "ptc.json"), '{"command": "/opt/pi"}');
    const { settings, problems } = readSettings(agentDir, { typebox, typeboxValue }, `${agentDir}/`);
    expect(problems).toEqual([]);
    expect(settings.command).toBe("/opt/pi");
  });
});
