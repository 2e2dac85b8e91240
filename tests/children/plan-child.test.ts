/** From a dispatch to a plan (spec 2.1 to 2.3, 2.6), and what a refusal gives back: everything. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, parseFrontmatter } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { resolveConfig } from "../../src/base/limits.ts";
import { DispatchSlots } from "../../src/children/dispatch-slots.ts";
import { type ParentSession, planChild, type PlanParts } from "../../src/children/plan-child.ts";
import type { ChildPlan } from "../../src/children/start-child.ts";

let dir: string;
/** The prompts of children lie here, and nothing else. */
let temp: string;
let slots: DispatchSlots;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "ptc-plan-")));
  temp = join(dir, "tmp");
  for (const folder of ["tmp", "work", "other", "agents"]) mkdirSync(join(dir, folder));
  vi.stubEnv("TMPDIR", temp);
  slots = new DispatchSlots(resolveConfig(), {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const TOOLS = ["read", "bash", "ptc_run_code", "ptc_subagent"];
const session = (more: Partial<ParentSession> = {}): ParentSession => ({
  cwd: join(dir, "work"),
  env: { PATH: "/bin" },
  processKey: "123-456-0a1b2c3d",
  host: {
    execPath: process.execPath,
    entry: PI_CLI,
    cwd: dir,
    variable: undefined,
    setting: undefined,
    packageDir: undefined,
  },
  models: ["loop/m1", "loop/m2"],
  model: "loop/m1",
  thinkingLevel: "low",
  tools: {
    launch: undefined,
    callable: ["read", "bash"],
    active: TOOLS,
    registered: TOOLS,
    own: ["ptc_run_code", "ptc_subagent"],
    surface: "full",
  },
  launch: {
    launch: undefined,
    launchCwd: dir,
    projectTrusted: true,
    projectExtensions: ["/project/gate.ts"],
    ownExtension: "/package",
  },
  userAgents: join(dir, "agents"),
  projectAgents: undefined,
  ...more,
});
const parts = (more: Partial<PlanParts> = {}): PlanParts => ({
  session: session(),
  settings: { limits: resolveConfig(), childArgs: [], readOnlyTools: [] },
  slots,
  pi: { parseArgs, parseFrontmatter },
  ...more,
});
const agent = (name: string, text: string): void => writeFileSync(join(dir, "agents", `${name}.md`), text);

function planned(input: unknown, more: Partial<PlanParts> = {}): ChildPlan {
  const planning = planChild(input, parts(more));
  if (!planning.ok) throw new Error(planning.refusal);
  return planning.plan;
}

function refused(input: unknown, more: Partial<PlanParts> = {}): { refusal: string; agentName: string } {
  const planning = planChild(input, parts(more));
  if (planning.ok) throw new Error("it was planned");
  return planning;
}

const after = (args: readonly string[], option: string): string | undefined => args[args.indexOf(option) + 1];

describe("a plan", () => {
  test("starts the pi that runs us, with the session's model and level, the task apart from its arguments", () => {
    const plan = planned({ task: "look around" });
    expect(plan.command).toBe(process.execPath);
    expect(plan.args[0]).toBe(realpathSync(PI_CLI));
    expect(after(plan.args, "--model")).toBe("loop/m1");
    expect(after(plan.args, "--thinking")).toBe("low");
    expect(plan.args.slice(1, 5)).toEqual(["--mode", "json", "-p", "--no-session"]);
    expect(plan.args.join(" ")).not.toContain("look around");
    expect(plan).toMatchObject({ task: "look around", cwd: join(dir, "work"), agentName: "default" });
    plan.dispose();
  });

  test("puts the child in its place in the tree, below the marker of the session", () => {
    const env = { PATH: "/bin", PI_PTC_DEPTH: "1", PI_PTC_RUN: "above", PI_PTC_TREE_SLOTS: "21" };
    slots = new DispatchSlots(resolveConfig(), env);
    const plan = planned({ task: "x" }, { session: session({ env }) });
    // 21 may run below, 8 of them by the session itself: floor((21 - 0 - 8) / 2).
    expect(plan.env).toMatchObject({ PATH: "/bin", PI_PTC_DEPTH: "2", PI_PTC_TREE_SLOTS: "6" });
    expect(plan.env["PI_PTC_RUN"]).toMatch(/^above\/[0-9a-f]{16}$/);
    expect(plan.marker).toBe(plan.env["PI_PTC_RUN"]);
    plan.dispose();
  });

  test("holds the child to what the session is held to, by its project or from above", () => {
    const env = { PI_PTC_BOUNDS: '{"limits": {"dispatchConcurrency": 2}}' };
    const limits = resolveConfig({ maxDispatchDepth: 1 });
    const settings = { engine: "quickjs", limits, childArgs: [], readOnlyTools: [] } as const;
    const plan = planned({ task: "x", cwd: join(dir, "other") }, { session: session({ env }), settings });
    expect(JSON.parse(plan.env["PI_PTC_BOUNDS"] ?? "")).toMatchObject({
      engine: "quickjs",
      limits: { maxDispatchDepth: 1, dispatchConcurrency: 2, timeoutMs: 120_000 },
    });
    plan.dispose();
  });

  test("warns of files that have its agent's name, too", () => {
    agent("one", "---\nname: scout\n---\n");
    agent("two", "---\nname: scout\n---\n");
    const plan = planned({ task: "x", agent: "scout" });
    expect(plan.warnings).toEqual([expect.stringContaining("two.md")]);
    plan.dispose();
  });

  test("writes the prompt to a private file that goes with the slot when the child is done", () => {
    agent("scout", "---\nname: scout\n---\nYou are the scout.\n");
    const plan = planned({ task: "x", agent: "scout" });
    const path = after(plan.args, "--append-system-prompt") as string;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(dirname(dirname(path))).toBe(temp);
    expect(readFileSync(path, "utf8")).toMatch(
      /^You are the scout\.\n+<pi-ptc-context depth="1" max-depth="3">/,
    );
    expect(slots.running).toBe(1);
    plan.dispose();
    expect([slots.running, readdirSync(temp)]).toEqual([0, []]);
    expect(existsSync(path)).toBe(false);
  });

  test("carries what call, agent and limits make of the child", () => {
    agent(
      "scout",
      "---\nname: scout\nmodel: loop/m2\nmaxTurns: 4\ntools: read, rocket\nchildReport: false\n---\n",
    );
    const plan = planned({ task: "x", agent: "scout", timeoutMs: 9, maxCostUsd: 2 });
    expect(plan).toMatchObject({
      agentName: "scout",
      timeoutMs: 9,
      maxTurns: 4,
      maxCostUsd: 2,
      reportExpected: false,
    });
    expect(after(plan.args, "--model")).toBe("loop/m2");
    expect(after(plan.args, "--tools")).toBe("read,mcp__");
    expect(plan.warnings).toEqual([expect.stringContaining("rocket")]);
    plan.dispose();
  });

  test.each([
    ["the call", { task: "x", readOnly: true }, {}],
    ["the session, which a call cannot lift", { task: "x", readOnly: false }, { PI_PTC_READ_ONLY: "1" }],
  ])("is read-only by %s", (_name, input, env) => {
    const plan = planned(input, { session: session({ env }) });
    expect(plan.readOnly).toBe(true);
    expect(plan.env["PI_PTC_READ_ONLY"]).toBe("1");
    expect(after(plan.args, "--tools")).toBe("read,ptc_run_code,ptc_child_report,mcp__");
    plan.dispose();
  });

  test.each([
    ["work", "--approve"],
    ["other", "--no-approve"],
  ])("of a child in %s tells pi %s, and names the project's extensions in any case", (cwd, trust) => {
    const plan = planned({ task: "x", cwd: join(dir, cwd) });
    expect(plan.args).toContain(trust);
    expect(plan.args).toContain("/project/gate.ts");
    plan.dispose();
  });

  test("is not made for more children than there are slots, and is made again when one is back", () => {
    const limits = { settings: { ...parts().settings, limits: resolveConfig({ dispatchConcurrency: 1 }) } };
    slots = new DispatchSlots(limits.settings.limits, {});
    const plan = planned({ task: "x" }, limits);
    expect(refused({ task: "x" }, limits).refusal).toMatch(/^dispatch concurrency limit reached/);
    expect(readdirSync(temp)).toHaveLength(1);
    plan.dispose();
    plan.dispose();
    planned({ task: "x" }, limits).dispose();
    expect(slots.running).toBe(0);
  });
});

describe("a refusal", () => {
  const host = (more: object): Partial<PlanParts> => ({
    session: session({ host: { ...session().host, ...more } }),
  });
  const settings = (childArgs: string[]): Partial<PlanParts> => ({
    settings: { ...parts().settings, childArgs },
  });
  const throwing = (): never => {
    throw new Error("pi's parser broke");
  };

  test.each<[name: string, input: unknown, more: () => Partial<PlanParts>, sentence: RegExp]>([
    ["no object", "go", () => ({}), /must be an object/],
    ["no task", {}, () => ({}), /task is missing/],
    ["a folder that is gone", { task: "x", cwd: "gone" }, () => ({}), /cwd does not exist; .*gone"\)/],
    ["an unknown agent", { task: "x", agent: "nobody" }, () => ({}), /there is no agent "nobody"/],
    ["a model without a key", { task: "x", model: "dear/one" }, () => ({}), /loop\/m1, loop\/m2/],
    ["no pi to run", { task: "x" }, () => host({ variable: "/gone/pi" }), /PI_PTC_COMMAND.*does not exist/],
    [
      "childArgs that are ours to give",
      { task: "x" },
      () => settings(["--mode", "rpc"]),
      /childArgs holds --mode/,
    ],
    ["childArgs pi would take for a prompt", { task: "x" }, () => settings(["hello"]), /childArgs/],
    [
      "a parser that throws",
      { task: "x" },
      () => ({ pi: { parseArgs: throwing, parseFrontmatter } }),
      /could not be prepared: pi's parser broke/,
    ],
  ])("for %s says why, and gives back slot and prompt file", (_name, input, more, sentence) => {
    expect(refused(input, more()).refusal).toMatch(sentence);
    expect([slots.running, readdirSync(temp)]).toEqual([0, []]);
  });

  test("for a prompt that cannot be written gives the slot back", () => {
    rmSync(temp, { recursive: true });
    expect(refused({ task: "x" }).refusal).toContain("the child's prompt cannot be written");
    expect(slots.running).toBe(0);
  });

  test("carries the name of the agent that was asked for, there or not", () => {
    agent("scout", "---\nname: scout\nmodel: dear/one\n---\n");
    expect(refused({ task: "x", agent: "scout" })).toMatchObject({
      agentName: "scout",
      refusal: expect.stringContaining('agent "scout"'),
    });
    expect(refused({ task: "x", agent: "nobody" }).agentName).toBe("nobody");
    expect(refused({ agent: "nobody" }).agentName).toBe("nobody");
    expect(refused({ agent: "\x1b[31m" + "n".repeat(100) }).agentName).toHaveLength(64);
    for (const input of [{}, { agent: 5 }, { agent: " " }, null, "nobody"])
      expect(refused(input).agentName).toBe("default");
  });

  // Lines of a program's text end after 200 characters, and a warning has words of its own before it (spec 1.8).
  test.each<[name: string, input: unknown, env: NodeJS.ProcessEnv, next: RegExp]>([
    ["an unknown agent", { agent: "nobody" }, {}, /leave agent out for pi's own prompt/],
    ["a slip", { agent: "scot" }, {}, /did you mean "scout"\?/],
    ["a broken agent", { agent: "bad" }, {}, /cannot be used: tools is 5; it must be names/],
    ["no name", { agent: "a/b" }, {}, /leave agent out/],
    ["an untrusted project", { agent: "nobody", agentScope: "project" }, {}, /--approve.*agentScope "user"/],
    ["an untrusted project, too", { agent: "nobody", agentScope: "both" }, {}, /--approve.*known agent/],
    ["an unknown model", { model: "dear/one-of-a-long-name" }, {}, /leave model out.*loop\/m1/],
    ["a folder that is gone", { cwd: "gone/".repeat(50) }, {}, /leave cwd out/],
    ["an unknown key", { timeout: 5 }, {}, /did you mean timeoutMs\?/],
    ["all slots taken", {}, {}, /parallel\(thunks, \{ limit: 8 \}\) in a ptc_workflow/],
    ["all slots taken, in the background", { background: true }, {}, /ptc_task_list, ptc_task_stop/],
    ["the limit of depth", {}, { PI_PTC_DEPTH: "3" }, /do the task here/],
    ["the limit of the tree", {}, { PI_PTC_TREE_SLOTS: "0" }, /do the task here/],
  ])("for %s holds what to do within the line that a program's text has for it", (_name, more, env, next) => {
    agent("scout", "x");
    agent("bad", "---\ntools: 5\n---\n");
    slots = new DispatchSlots(resolveConfig(), env);
    for (let taken = 0; taken < 8; taken += 1) slots.reserve();
    const background = { newId: () => "01A", sessionDir: () => undefined };
    const { refusal } = refused({ task: "x", ...(more as object) }, { background });
    expect(`Warning: a dispatch was refused: ${refusal}`.slice(0, 199)).toMatch(next);
  });

  test("at the limit of depth or tree names it", () => {
    slots = new DispatchSlots(resolveConfig(), { PI_PTC_DEPTH: "3" });
    expect(refused({ task: "x" }).refusal).toMatch(/^dispatch depth limit reached/);
    slots = new DispatchSlots(resolveConfig(), { PI_PTC_TREE_SLOTS: "0" });
    expect(refused({ task: "x" }).refusal).toMatch(/^dispatch tree limit reached/);
    expect([slots.running, readdirSync(temp)]).toEqual([0, []]);
  });
});
