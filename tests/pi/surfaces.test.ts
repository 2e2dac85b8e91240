/** What the model is offered, start by start: the tools of the first request, and what the person is told (spec 4.1, 4.2, 4.5). */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { afterEach, describe, expect, test, vi } from "vitest";
import { InProcessPi, type Start } from "./in-process-pi.ts";

const BUILT_INS = ["read", "bash", "edit", "write"];
const PROGRAMS = ["ptc_run_code", "ptc_workflow"];
const TASKS = ["ptc_task_list", "ptc_task_output", "ptc_task_stop"];
const CHILDREN = ["ptc_subagent", ...TASKS];

let pi: InProcessPi;
afterEach(() => pi.close());

/** Starts pi and makes one request. */
async function firstRequest(start: Start) {
  pi = await InProcessPi.start(start);
  const request = await pi.ask();
  expect(pi.stderr).toEqual([]);
  return { ...request, status: pi.statuses.at(-1), notices: pi.notices };
}

/** One start, and what the model is offered in it. */
interface Row {
  start: Start;
  offered: string[];
  /** `PTC` in the footer. */
  on?: boolean;
  /** A part of each notice. */
  said?: string[];
}

const ON = { offered: [...PROGRAMS, ...TASKS], on: true };
const BOTH = { offered: [...BUILT_INS, ...PROGRAMS, ...TASKS] };
const SUBAGENTS = { offered: [...BUILT_INS, "codemode", ...CHILDREN] };
const only = (surfaceMode?: string): Start => ({
  mode: "tui",
  settings: { codemode: { mode: "only" }, defaultTools: ["+codemode"] },
  ...(surfaceMode ? { ptc: { surfaceMode } } : {}),
});
/** As pi's MCP extension does in its own start, which comes after ours. */
const lateCodemode = (other: ExtensionAPI): void => {
  other.on("session_start", () => other.setActiveTools([...other.getActiveTools(), "codemode"]));
};
const foreignTool =
  (name: string) =>
  (other: ExtensionAPI): void =>
    other.registerTool({
      name,
      label: name,
      description: `Test tool ${name}`,
      parameters: { type: "object", properties: {} } as never,
      execute: async () => ({ content: [{ type: "text", text: name }], details: undefined }),
    });

const ROWS: Record<string, Row> = {
  "stock, on a screen": { start: { mode: "tui" }, ...ON },
  "stock, printing": { start: { mode: "print" }, ...BOTH },
  "stock, JSON": { start: { mode: "json" }, ...BOTH },
  "stock, RPC": { start: { mode: "rpc" }, ...BOTH },
  "--tools +codemode": { start: { mode: "tui", args: ["--tools", "+codemode"] }, ...SUBAGENTS },
  "--tools read,codemode": {
    start: { mode: "tui", args: ["--tools", "read,codemode"] },
    offered: ["read", "codemode"],
  },
  "--tools read": { start: { mode: "tui", args: ["--tools", "read"] }, offered: ["read"] },
  "--tools with ours": {
    start: { mode: "tui", args: ["--tools", "read,ptc_*"] },
    offered: ["read", ...PROGRAMS, ...TASKS],
  },
  "--tools with codemode and ours": {
    start: { mode: "tui", args: ["--tools", "read,codemode,ptc_run_code,ptc_subagent"] },
    offered: ["read", "codemode", "ptc_subagent"],
  },
  "--tools with the tool for children alone": {
    start: { mode: "tui", args: ["--tools", "read,ptc_subagent"] },
    offered: ["read", "ptc_subagent"],
  },
  "--tools +grep": { start: { mode: "tui", args: ["--tools", "+grep"] }, ...ON },
  "--exclude-tools codemode": { start: { mode: "tui", args: ["--exclude-tools", "codemode"] }, ...BOTH },
  "--exclude-tools codemode, though it is a default tool": {
    start: { args: ["--exclude-tools", "codemode"], settings: { defaultTools: ["+codemode"] } },
    ...BOTH,
  },
  "--exclude-tools ptc_workflow": {
    start: { args: ["--exclude-tools", "ptc_workflow"] },
    offered: [...BUILT_INS, "ptc_run_code", ...TASKS],
  },
  "--no-builtin-tools": { start: { mode: "tui", args: ["--no-builtin-tools"] }, offered: ON.offered },
  "--no-tools": { start: { mode: "tui", args: ["--no-tools"] }, offered: [] },
  "--no-extensions": { start: { mode: "tui", args: ["--no-extensions"] }, ...BOTH },
  '"extensions": ["-builtin:codemode"]': {
    start: { mode: "tui", settings: { extensions: ["-builtin:codemode"] } },
    ...ON,
  },
  "codemode a default tool of the user": {
    start: { mode: "tui", settings: { defaultTools: ["+codemode"] } },
    ...SUBAGENTS,
  },
  "codemode a default tool of a trusted project": {
    start: { mode: "tui", trusted: true, project: { ".pi/settings.json": { defaultTools: ["+codemode"] } } },
    ...SUBAGENTS,
  },
  "codemode a default tool of a project that is not trusted": {
    start: { mode: "tui", project: { ".pi/settings.json": { defaultTools: ["+codemode"] } } },
    ...ON,
  },
  "codemode activated late by another extension": { start: { mode: "tui", after: [lateCodemode] }, ...ON },
  "codemode activated late, printing": { start: { after: [lateCodemode] }, ...BOTH },
  "codemode activated late, mode only": {
    start: { mode: "tui", after: [lateCodemode], settings: { codemode: { mode: "only" } } },
    ...ON,
  },
  "another package's codemode": {
    start: { mode: "tui", before: [foreignTool("codemode")] },
    offered: ["codemode", ...ON.offered],
    on: true,
  },
  "another package's codemode, named": {
    start: { args: ["--tools", "+codemode"], before: [foreignTool("codemode")] },
    offered: [...BOTH.offered, "codemode"],
  },
  "codemode.mode only": { start: only(), offered: ["codemode"] },
  "codemode.mode only, pinned off": { start: only("off"), offered: ["codemode"] },
  "codemode.mode only, pinned subagents": { start: only("subagents"), offered: ["codemode"] },
  "codemode.mode only, pinned full": {
    start: only("full"),
    ...ON,
    said: ["codemode, which is active, is not offered"],
  },
  "pinned off": { start: { mode: "tui", ptc: { surfaceMode: "off" } }, offered: BUILT_INS },
  "pinned off, codemode named": {
    start: { mode: "tui", ptc: { surfaceMode: "off" }, args: ["--tools", "+codemode"] },
    offered: [...BUILT_INS, "codemode"],
  },
  "pinned off by a trusted project": {
    start: { mode: "tui", trusted: true, project: { ".pi/ptc.json": { surfaceMode: "off" } } },
    offered: BUILT_INS,
  },
  "pinned off by the user, full by a trusted project": {
    start: {
      mode: "tui",
      trusted: true,
      ptc: { surfaceMode: "off" },
      project: { ".pi/ptc.json": { surfaceMode: "full" } },
    },
    ...ON,
  },
  "pinned off by a project that is not trusted": {
    start: { mode: "tui", project: { ".pi/ptc.json": { surfaceMode: "off" } } },
    ...ON,
  },
  "pinned subagents, codemode inactive": {
    start: { mode: "tui", ptc: { surfaceMode: "subagents" } },
    offered: [...BUILT_INS, ...CHILDREN],
    said: ["pi's codemode is not active"],
  },
  "pinned subagents, no codemode": {
    start: { mode: "tui", ptc: { surfaceMode: "subagents" }, args: ["--exclude-tools", "codemode"] },
    offered: [...BUILT_INS, ...CHILDREN],
    said: ["this pi was started without its codemode"],
  },
  "pinned subagents, another package's codemode": {
    start: { mode: "tui", ptc: { surfaceMode: "subagents" }, before: [foreignTool("codemode")] },
    offered: [...BUILT_INS, "codemode", ...CHILDREN],
    said: ["codemode is another package's tool here"],
  },
  "pinned subagents, codemode activated late": {
    start: { mode: "tui", ptc: { surfaceMode: "subagents" }, after: [lateCodemode] },
    offered: [...BUILT_INS, ...CHILDREN, "codemode"],
  },
  "pinned full, codemode named": {
    start: { mode: "tui", ptc: { surfaceMode: "full" }, args: ["--tools", "+codemode"] },
    ...ON,
    said: ["codemode, which is active, is not offered"],
  },
  "pinned full, codemode inactive": { start: { mode: "tui", ptc: { surfaceMode: "full" } }, ...ON },
  "defaultMode false": { start: { mode: "tui", ptc: { defaultMode: false } }, ...BOTH },
  "a surface outside the set": {
    start: { mode: "tui", ptc: { surfaceMode: "ful" } },
    ...ON,
    said: ['surfaceMode is "ful"; it must be "off" or "subagents" or "full"; what pi offers decides'],
  },
  "broken settings": { start: { mode: "tui", ptc: '{"surfaceMode": ' }, ...ON, said: ["not valid JSON"] },
};

describe("the first request", () => {
  test.each(Object.entries(ROWS))("%s", async (_title, { start, offered, on = false, said = [] }) => {
    const { names, status, notices } = await firstRequest(start);
    expect(names.toSorted()).toEqual(offered.toSorted());
    expect(status).toBe(on ? "PTC" : undefined);
    expect(notices).toEqual(said.map((part) => expect.stringContaining(part)));
  });

  test("never speaks of a tool that is hidden, beyond the text of the program tool", async () => {
    const { system, tools } = await firstRequest({ mode: "tui" });
    expect(system).not.toMatch(/\b(bash|edit|write|ptc_subagent|codemode)\b.*:/);
    expect(system).toContain("- ptc_run_code: ");
    const text = tools.find(({ name }) => name === "ptc_run_code")?.description ?? "";
    for (const name of BUILT_INS) expect(text).toContain(`  ${name}(args: {`);
    // pi's own rule for `edit`, which the prompt has only where the tool is declared.
    expect(text).toContain("// - Use edit for ");
  });

  test("is the same to the byte from turn to turn while nothing changes", async () => {
    pi = await InProcessPi.start({
      mode: "tui",
      steps: [[["ptc_run_code", { code: "return 1", description: "d" }]], "one", "two"],
    });
    await pi.ask();
    await pi.ask("again");
    const prefixes = pi.requests.map(({ tools, system }) => JSON.stringify([system, tools]));
    expect(prefixes).toHaveLength(3);
    expect(new Set(prefixes).size).toBe(1);
  });

  test("on subagents does not advertise the program tools, which scripts can call all the same", async () => {
    const code = 'return (await tools.ptc_run_code({ code: "return 6 * 7", description: "d" })).value';
    const { tools, system } = await firstRequest({
      args: ["--tools", "+codemode"],
      steps: [[["codemode", { code }]], "done"],
    });
    expect(JSON.stringify([tools, system])).not.toMatch(/ptc_run_code|ptc_workflow/);
    expect(pi.api.getActiveTools()).not.toContain("ptc_run_code");
    expect(JSON.stringify(pi.requests[1]?.messages)).toContain("42");
    expect(tools.find(({ name }) => name === "ptc_subagent")?.description).toContain(
      "Codemode: `tools.ptc_subagent(args)`",
    );
  });

  test("on subagents lists the agents there are, and those that come later from the next prompt on", async () => {
    const agent = (name: string): string =>
      `---\nname: ${name}\ndescription: Knows ${name}\n---\nYou know.\n`;
    pi = await InProcessPi.start({ args: ["--tools", "+codemode"], steps: ["one", "two"] });
    const textOf = (request: { tools: { name: string; description: string }[] }): string =>
      request.tools.find(({ name }) => name === "ptc_subagent")?.description ?? "";
    expect(textOf(await pi.ask())).not.toContain("Agents");
    pi.write(`${pi.agentDir}/agents/later.md`, agent("later"));
    expect(textOf(await pi.ask("again"))).toContain("- later: Knows later");
    expect(pi.requests[1]?.names.toSorted()).toEqual(SUBAGENTS.offered.toSorted());
  });
});

test.each([
  [[], [expect.stringContaining("broken.md")]],
  [["--tools", "read"], []],
])("a broken agent file is told with %j: %j", async (args, told) => {
  const { notices } = await firstRequest({
    mode: "tui",
    args,
    agents: { "broken.md": "---\nname: [\n---\n" },
  });
  expect(notices).toEqual(told);
});

test.each([
  ["read,ptc_run_code", ["ptc_run_code", "read"]],
  ["read,codemode,ptc_run_code,ptc_subagent", ["codemode", "ptc_subagent", "read"]],
])(
  "a child started with --tools %s under pinned subagents is offered what calls its programs, without a word",
  async (tools, offered) => {
    vi.stubEnv("PI_PTC_DEPTH", "1");
    const start = { ptc: { surfaceMode: "subagents" }, args: ["--tools", tools] };
    const { names, notices } = await firstRequest(start);
    expect(names.toSorted()).toEqual(offered);
    expect(notices).toEqual([]);
  },
);

test("a launch that leaves ours out hears nothing of what is pinned", async () => {
  const start: Start = { mode: "tui", ptc: { surfaceMode: "subagents" }, args: ["--tools", "read"] };
  expect((await firstRequest(start)).notices).toEqual([]);
});

test("what the model is shown of tools that are `codemode` or hidden by codemode itself stands in the program tool", async () => {
  const { tools } = await firstRequest({ ...only("full"), before: [foreignTool("web_search")] });
  const text = tools.find(({ name }) => name === "ptc_run_code")?.description ?? "";
  expect(text).toContain("  web_search(");
  expect(text).toContain("  read(");
});
