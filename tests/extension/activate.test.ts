import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEventBus, type ExtensionAPI, parseFrontmatter } from "@earendil-works/pi-coding-agent";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { activate } from "../../src/extension/activate.ts";
import type { Host } from "../../src/extension/host.ts";

let agentDir: string;
beforeEach(() => {
  agentDir = mkdtempSync(join(tmpdir(), "ptc-activate-"));
  // Old output is swept in the temp folder: not in the user's.
  vi.stubEnv("TMPDIR", agentDir);
});
afterEach(() => {
  rmSync(agentDir, { recursive: true });
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const hostWith = (codingAgent: object): Host =>
  ({
    codingAgent: {
      VERSION: "1.6.0",
      getAgentDir: () => agentDir,
      parseFrontmatter,
      CONFIG_DIR_NAME: ".pi",
      getPackageDir: () => agentDir,
      ...codingAgent,
    },
    tui: {},
    typebox,
    typeboxValue,
  }) as unknown as Host;

type Handler = (event: object, ctx: object) => unknown;

/** pi as far as a factory sees it. */
function fakePi(more: object = {}) {
  const handlers = new Map<string, Handler[]>();
  const tools: { name: string; exposure?: string }[] = [];
  const keys: string[] = [];
  const api = {
    on: (event: string, handler: Handler) =>
      void handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    registerTool: (tool: { name: string }) => void tools.push(tool),
    registerMessageRenderer: () => undefined,
    registerShortcut: (key: string) => void keys.push(key),
    registerCommand: () => undefined,
    getActiveTools: () => tools.map((tool) => tool.name),
    getAllTools: () => tools,
    getSettings: () => ({}),
    events: createEventBus(),
    ...more,
  };
  const emit = async (event: string, data: object, ctx: object): Promise<void> => {
    for (const handler of handlers.get(event) ?? []) await handler(data, ctx);
  };
  return { api: api as unknown as ExtensionAPI, tools, keys, handlers, emit };
}

function screen() {
  const said: string[] = [];
  return {
    said,
    ctx: {
      hasUI: true,
      cwd: agentDir,
      mode: "rpc",
      isProjectTrusted: () => false,
      sessionManager: {
        getSessionFile: () => undefined,
        getSessionId: () => "s1",
        getSessionDir: () => agentDir,
        getEntries: () => [],
        getBranch: () => [],
      },
      ui: { notify: (text: string, type: string) => void said.push(`${type}: ${text}`) },
    },
  };
}

describe("on a pi that is new enough", () => {
  test("the tools are registered for the surface that is likely, and nothing else happens in the factory", () => {
    const { api, tools, handlers } = fakePi();
    activate(hostWith({}), api);
    expect(tools.map(({ name, exposure }) => [name, exposure])).toEqual([
      ["ptc_run_code", "model-only"],
      ["ptc_workflow", "model-only"],
      ["ptc_subagent", "codemode"],
      ["ptc_task_list", "direct"],
      ["ptc_task_output", "direct"],
      ["ptc_task_stop", "direct"],
      ["ptc_child_report", "hidden"],
    ]);
    expect([...handlers.keys()].toSorted()).toEqual([
      "agent_before_settle",
      "agent_settled",
      "before_agent_start",
      "message_start",
      "resources_discover",
      "session_shutdown",
      "session_start",
      "session_tree",
      "tool_call",
      "tool_execution_end",
      "tool_execution_start",
      "turn_end",
      "turn_start",
      "ui_prompt_end",
      "ui_prompt_start",
    ]);
    expect(readdirSync(agentDir)).toEqual([]);
  });

  test("nothing is registered when the user's settings switch the surface off", async () => {
    writeFileSync(join(agentDir, "ptc.json"), '{"surfaceMode": "off"}');
    const { api, tools, emit } = fakePi();
    const { said, ctx } = screen();
    activate(hostWith({}), api);
    await emit("session_start", { reason: "startup" }, ctx);
    await emit("resources_discover", {}, ctx);
    await emit("before_agent_start", {}, ctx);
    await emit("turn_start", {}, ctx);
    expect({ tools, said }).toEqual({ tools: [], said: [] });
  });

  test("the tools that scripts find have texts that go by the settings", async () => {
    writeFileSync(join(agentDir, "ptc.json"), '{"surfaceMode": "subagents", "engine": "quickjs"}');
    const { api, tools, emit } = fakePi();
    activate(hostWith({}), api);
    await emit("session_start", { reason: "startup" }, screen().ctx);
    const last = tools.findLast(({ name }) => name === "ptc_run_code");
    expect(last).toMatchObject({ exposure: "deferred", description: expect.stringContaining("QuickJS") });
  });

  describe("a pinned surface that pi cannot have", () => {
    const start = async (more: object = {}) => {
      writeFileSync(join(agentDir, "ptc.json"), '{"surfaceMode": "subagents"}');
      const { api, keys, emit } = fakePi(more);
      const { said, ctx } = screen();
      activate(hostWith({}), api);
      await emit("session_start", { reason: "startup" }, ctx);
      await emit("resources_discover", {}, ctx);
      return { said, keys };
    };

    test("is worth a sentence", async () => {
      expect(await start()).toEqual({
        said: [expect.stringContaining('surfaceMode is "subagents"')],
        keys: ["alt+t"],
      });
    });

    test("is none of a launch that left our tools out, and no key is taken there", async () => {
      expect(await start({ getAllTools: () => [] })).toEqual({ said: [], keys: [] });
    });

    test("is not told of in a child, where nobody reads it", async () => {
      vi.stubEnv("PI_PTC_DEPTH", "1");
      expect((await start()).said).toEqual([]);
    });
  });

  test("a healthy session says nothing", async () => {
    const { api, emit } = fakePi();
    const { said, ctx } = screen();
    activate(hostWith({}), api);
    await emit("session_start", { reason: "startup" }, ctx);
    await emit("ui_prompt_end", {}, ctx);
    await emit("session_shutdown", {}, ctx);
    expect(said).toEqual([]);
  });

  test("every problem of the settings is a warning on the screen", async () => {
    writeFileSync(join(agentDir, "ptc.json"), '{"engine": "rust", "x": 1}');
    const { api, emit } = fakePi();
    const { said, ctx } = screen();
    activate(hostWith({}), api);
    await emit("session_start", { reason: "startup" }, ctx);
    // As an older pi does.
    await emit("session_start", { reason: "startup" }, ctx);
    expect(said).toHaveLength(2);
    expect(said[0]).toContain('ptc.json: engine is "rust"; it must be "node" or "quickjs"');
  });

  test.each([
    ["[]", "the file holds an empty array"],
    // The parser quotes the lines around.
    ['{\n  "widget":\n  no\n}\n', "no"],
  ])("without a screen they go to stderr, one line each: %j", async (text, words) => {
    writeFileSync(join(agentDir, "ptc.json"), text);
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { api, emit } = fakePi();
    activate(hostWith({}), api);
    await emit("session_start", { reason: "startup" }, { ...screen().ctx, hasUI: false });
    expect(written.mock.calls).toEqual([[expect.stringMatching(/^pi-ptc-subagents: \/.*ptc\.json: .+\n$/)]]);
    expect(written.mock.calls[0]?.[0]).toContain(words);
  });
});

describe("on a pi that is too old", () => {
  test.each(["1.2.0", undefined])("(%s) nothing is registered and one sentence is said", async (VERSION) => {
    const { api, tools, handlers, emit } = fakePi();
    const { said, ctx } = screen();
    activate(hostWith({ VERSION }), api);
    await emit("session_start", { reason: "startup" }, ctx);
    await emit("session_start", { reason: "new" }, ctx);
    expect(tools).toEqual([]);
    expect([...handlers.keys()]).toEqual(["session_start"]);
    expect(said).toEqual([expect.stringContaining("needs pi 1.3.0 or newer")]);
  });
});

describe("the factory never throws", () => {
  test("when registering fails, and says why at the start", async () => {
    const { api, emit } = fakePi({
      registerTool: () => {
        throw new Error("no more tools");
      },
    });
    const { said, ctx } = screen();
    activate(hostWith({}), api);
    await emit("session_start", { reason: "startup" }, ctx);
    expect(said).toEqual([
      "warning: pi-ptc-subagents could not start, so its tools are missing: no more tools",
    ]);
  });

  test.each(["registerMessageRenderer", "on"])(
    "when pi refuses in %s, and leaves no tool without a session",
    (method) => {
      const { api, tools } = fakePi({
        [method]: (event: string) => {
          if (event !== "session_start" && event !== "tool_call") throw new Error("not here");
        },
      });
      activate(hostWith({}), api);
      expect(tools).toEqual([]);
    },
  );

  test.each([[{}], [undefined]])("when pi is %j", (api) => {
    expect(() => activate(hostWith({}), api as never)).not.toThrow();
    expect(() => activate(undefined as never, api as never)).not.toThrow();
  });
});
