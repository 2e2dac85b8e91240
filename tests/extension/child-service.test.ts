/** The one function by which model, programs and scripts reach children (spec 2), with children that play a script. */

import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as codingAgent from "@earendil-works/pi-coding-agent";
import type { ExtensionAPI, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { resolveConfig } from "../../src/base/limits.ts";
import { DEFAULT_SETTINGS, type PtcSettings } from "../../src/base/settings.ts";
import type { ChildProgress, DispatchResult } from "../../src/children/dispatch.ts";
import { ChildService } from "../../src/extension/child-service.ts";
import type { Host } from "../../src/extension/host.ts";
import { TaskService } from "../../src/extension/task-service.ts";
import { answer, eventually, message, PlayRoom, runningWith, SCRIPTED } from "../children/played-child.ts";
import type { ChildRecord, ChildStep } from "../fixtures/scripted-child.ts";

const room = new PlayRoom();
const at = (path: string): string => join(room.folder, path);
const command = at("a pi");
writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${SCRIPTED}' "$@"\n`);
chmodSync(command, 0o755);

const services: ChildService[] = [];
let temp = 0;
beforeEach(() => {
  temp += 1;
  for (const folder of ["work", "agent", `tmp-${temp}`]) mkdirSync(at(folder), { recursive: true });
  vi.stubEnv("PI_PTC_COMMAND", command);
  vi.stubEnv("PTC_CHILD_RECORD", at("record.jsonl"));
  vi.stubEnv("TMPDIR", at(`tmp-${temp}`));
  writeFileSync(at("record.jsonl"), "");
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  vi.unstubAllEnvs();
});
afterAll(() => room.close());

const TOOLS = ["read", "bash", "ptc_run_code", "ptc_subagent"];

interface Setup {
  settings?: Partial<PtcSettings>;
  agent?: object;
  pi?: object;
  outputDir?: () => Promise<string>;
}

function serviceWith({ settings = {}, agent = {}, pi = {}, ...more }: Setup = {}): ChildService {
  const parts = {
    host: { codingAgent: { ...codingAgent, getAgentDir: () => at("agent"), ...agent } } as unknown as Host,
    pi: {
      getActiveTools: () => TOOLS,
      getAllTools: () => TOOLS.map((name) => ({ name })),
      ...pi,
    } as unknown as ExtensionAPI,
    settings: () => ({ ...DEFAULT_SETTINGS, ...settings }),
  };
  const service = new ChildService({
    ...parts,
    tasks: new TaskService({ ...parts, warn: () => undefined }),
    outputDir: more.outputDir ?? (async () => room.folder),
    offered: () => ({ surface: "full", own: TOOLS.filter((name) => name.startsWith("ptc_")) }),
  });
  services.push(service);
  return service;
}

const contextWith = (more: object = {}): ExtensionToolContext =>
  ({
    cwd: at("work"),
    tools: [{ name: "read" }, { name: "bash" }],
    model: { provider: "loop", id: "m1" },
    thinkingLevel: "low",
    modelRegistry: { getAvailable: () => [{ provider: "loop", id: "m1" }] },
    isProjectTrusted: () => false,
    ...more,
  }) as unknown as ExtensionToolContext;

interface Around {
  signal?: AbortSignal;
  onProgress?: (progress: () => ChildProgress) => void;
  ctx?: object;
}

function dispatch(
  service: ChildService,
  steps: ChildStep[],
  input: object = {},
  around: Around = {},
): Promise<DispatchResult> {
  const asked = { toolCallId: "call_1" };
  vi.stubEnv("PTC_CHILD_SCRIPT", room.script(steps));
  const { signal, onProgress = () => undefined, ctx } = around;
  const dispatched = service.dispatch(
    { task: "go", ...input },
    { ...asked, ctx: contextWith(ctx), signal, onProgress },
  );
  return dispatched as Promise<DispatchResult>;
}

const records = (): ChildRecord[] =>
  readFileSync(at("record.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ChildRecord);
const prompts = (): string[] =>
  readdirSync(at(`tmp-${temp}`)).filter((name) => name.startsWith("pi-ptc-prompt-"));

describe("a dispatch", () => {
  test("runs a child with what the session has, and hands back its result", async () => {
    const result = await dispatch(serviceWith(), [answer("from the child")], { task: "look" });
    expect(result).toMatchObject({ status: "fulfilled", text: "from the child", started: true });
    const [record] = records();
    expect(record).toMatchObject({ stdin: "Task: look", cwd: at("work") });
    const after = (option: string) => record?.argv[record.argv.indexOf(option) + 1];
    expect([after("--model"), after("--thinking")]).toEqual(["loop/m1", "low"]);
    expect(after("--tools")?.split(",")).toEqual([
      "read",
      "bash",
      "ptc_run_code",
      "ptc_subagent",
      "ptc_child_report",
      "mcp__",
    ]);
    expect(record?.env).toMatchObject({ PI_PTC_DEPTH: "1" });
    expect(prompts()).toEqual([]);
  });

  test("tells progress while the child runs", async () => {
    const turns: number[] = [];
    const onProgress = (progress: () => ChildProgress): void => void turns.push(progress().turns);
    await dispatch(serviceWith(), [{ out: message("one") }, answer("two")], {}, { onProgress });
    expect(turns).toEqual(expect.arrayContaining([1, 2]));
  });

  test("counts in what children cost while it runs, and what it said until it ends", async () => {
    const service = serviceWith();
    const seen: [number, string][] = [];
    const onProgress = (): void => void seen.push([service.spentUsd, service.foreground.output("call_1")]);
    const { usage } = await dispatch(service, [{ out: message("one") }, answer("two")], {}, { onProgress });
    const { cost = 0 } = usage ?? {};
    expect(cost).toBeGreaterThan(0);
    expect(service.spentUsd).toBe(cost);
    expect(Math.max(...seen.map(([spent]) => spent))).toBe(cost);
    expect(seen.map(([, said]) => said)).toEqual(expect.arrayContaining(["one", "one\n\ntwo"]));
  });

  test("is stopped by its signal", async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    const result = await dispatch(
      serviceWith(),
      [{ out: message("half") }, { hang: true }],
      {},
      {
        signal: controller.signal,
        onProgress,
      },
    );
    expect(result).toMatchObject({
      status: "rejected",
      text: "half",
      errorMessage: "the dispatch was aborted",
    });
  });

  test("that is refused starts nothing and says who it was for", async () => {
    expect(await dispatch(serviceWith(), [answer("x")], { task: " " })).toMatchObject({
      status: "rejected",
      started: false,
      agentName: "default",
      errorMessage: expect.stringContaining("task is blank"),
    });
    expect(records()).toEqual([]);
  });

  test("shares one counter with all others of its session, however they end", async () => {
    const service = serviceWith({ settings: { limits: resolveConfig({ dispatchConcurrency: 1 }) } });
    const go = at(`go-${temp}`);
    const first = dispatch(service, [{ until: go }, answer("first")]);
    await eventually(() => records().length === 1, "the first child runs");
    const second = await dispatch(service, [answer("second")]);
    expect(second.errorMessage).toMatch(/^dispatch concurrency limit reached: 1 of 1/);
    writeFileSync(go, "");
    expect((await first).text).toBe("first");
    expect(await dispatch(service, [{ kill: "SIGKILL" }, { hang: true }])).toMatchObject({
      signal: "SIGKILL",
    });
    expect(await dispatch(service, [], { agent: "nobody" })).toMatchObject({ started: false });
    expect((await dispatch(service, [answer("again")])).text).toBe("again");
  });

  test.each([
    ["pi's registry throws", { ctx: { modelRegistry: undefined } }, {}],
    [
      "the session was replaced",
      {},
      {
        pi: {
          getActiveTools: () => {
            throw new Error("This extension ctx is stale");
          },
        },
      },
    ],
  ] as const)("is a refusal, never a rejection, when %s", async (_name, around, setup) => {
    const result = await dispatch(serviceWith(setup), [answer("x")], {}, around);
    expect(result).toMatchObject({ status: "rejected", started: false });
    expect(result.errorMessage).toMatch(/^the child was not started: /);
  });

  test("is a refusal where the project's gates could not be found", async () => {
    mkdirSync(at("work/.pi/extensions"), { recursive: true });
    writeFileSync(at("work/.pi/extensions/gate.ts"), "export default () => {};\n");
    class DefaultPackageManager {
      resolve(): never {
        throw new Error("locked");
      }
    }
    const service = serviceWith({ agent: { DefaultPackageManager } });
    const result = await dispatch(service, [answer("x")], {}, { ctx: { isProjectTrusted: () => true } });
    expect(result).toMatchObject({ status: "rejected", started: false });
    expect(result.errorMessage).toMatch(
      /^no child starts until this is mended and pi started anew: .* cannot be found \(locked\)$/,
    );
    expect(records()).toEqual([]);
  });
});

describe("the end of a session", () => {
  test("stops every child and waits until it is gone", async () => {
    const service = serviceWith();
    const going = [1, 2].map(() =>
      dispatch(service, [{ out: message("half") }, { shell: "sleep 4711" }, { hang: true }]),
    );
    await eventually(
      () => records().length === 2 && runningWith("sleep 4711").length === 4,
      "both children run",
    );
    await service.close();
    expect(runningWith("sleep 4711")).toEqual([]);
    for (const result of await Promise.all(going))
      expect(result).toMatchObject({ status: "rejected", errorMessage: "the session ended" });
    expect(await dispatch(service, [answer("late")])).toMatchObject({ status: "rejected", started: false });
    expect(prompts()).toEqual([]);
  });
});

describe("the agents of a session", () => {
  test("are looked up anew, the project's only where pi trusts it, with a sentence for each broken file", () => {
    mkdirSync(at("agent/agents"), { recursive: true });
    mkdirSync(at("work/.pi/agents"), { recursive: true });
    writeFileSync(at("agent/agents/scout.md"), "---\nname: scout\ndescription: Finds\n---\n");
    writeFileSync(at("work/.pi/agents/judge.md"), "---\nname: judge\n---\n");
    const service = serviceWith();
    expect(service.agents()).toEqual([]);
    const trusting = (trusted: boolean) =>
      service.refreshAgents({ cwd: at("work"), isProjectTrusted: () => trusted });
    expect(trusting(false)).toEqual([]);
    expect(service.agents()).toEqual([{ name: "scout", description: "Finds", scope: "user" }]);
    expect(trusting(true)).toEqual([]);
    expect(service.agents().map(({ name, scope }) => `${name} ${scope}`)).toEqual([
      "scout user",
      "judge project",
    ]);
    writeFileSync(at("agent/agents/broken.md"), "---\nname: [\n---\n");
    expect(trusting(true)).toEqual([expect.stringContaining("broken.md")]);
    expect(service.agents()).toHaveLength(2);
  });
});

describe("a text for the model", () => {
  const long = Array.from({ length: 5_000 }, (_, n) => `line ${n + 1}`).join("\n");

  test("is itself where it fits", async () => {
    expect(await serviceWith().fitText("short\ntext", "head")).toBe("short\ntext");
  });

  test("keeps its end within pi's bounds less the head, and names a private file with all of it", async () => {
    const head = "h\n".repeat(100);
    const text = await serviceWith().fitText(long, head);
    const [, from, to, all, path] =
      /\n\n\[Showing lines (\d+)-(\d+) of (\d+)\. Full output: (.*)\]$/.exec(text) ?? [];
    expect([from, to, all]).toEqual([String(5_000 - (2_000 - 101) + 1), "5000", "5000"]);
    expect(text.split("\n").slice(0, -2)).toHaveLength(2_000 - 101);
    expect(readFileSync(path as string, "utf8")).toBe(long);
    expect(statSync(path as string).mode & 0o777).toBe(0o600);
  });

  test("is cut all the same where no file can be written, and says so", async () => {
    const service = serviceWith({ outputDir: () => Promise.reject(new Error("no room")) });
    expect(await service.fitText(long, "")).toMatch(
      /line 5000\n\n\[Showing lines 3002-5000 of 5000\.\]\nWarning: the full output could not be written to a file: no room$/,
    );
  });
});
