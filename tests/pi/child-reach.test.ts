import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "@earendil-works/pi-coding-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandboxHome, PI_CLI, type SandboxHome } from "../../scripts/sandbox-home.ts";
import { childArguments } from "../../src/children/child-arguments.ts";
import { childTools, type ToolWish } from "../../src/children/child-tools.ts";
import { writePromptFile } from "../../src/children/prompt-file.ts";
import { isSameProject } from "../../src/children/same-project.ts";
import type { Probed } from "../fixtures/tool-probe.ts";
import { runCommand } from "../package/pi-process.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const EXTENSIONS = ["-e", join(FIXTURES, "faux-model.ts"), "-e", join(FIXTURES, "tool-probe.ts")];
const OWN = ["ptc_run_code", "ptc_workflow", "ptc_subagent", "ptc_task_list"];

let home: SandboxHome;
beforeAll(() => void (home = createSandboxHome()));
afterAll(() => home.remove());

/** What one pi had, and the marks that extensions of projects left when they were loaded. */
type Seen = Probed & { marks: string[] };

/** Runs a real pi with `args` for one answer, and tells what it had. */
async function probe(args: string[], { cwd = home.cwd, mcp = 0, mcpWaitMs = 10_000 } = {}): Promise<Seen> {
  const [out, marks] = [join(home.root, "probe.jsonl"), join(home.root, "marks")];
  for (const path of [out, marks]) writeFileSync(path, "");
  const env = {
    ...home.env,
    PROBE_OUT: out,
    PROBE_MARKS: marks,
    PROBE_MCP: String(mcp),
    PROBE_MCP_WAIT_MS: String(mcpWaitMs),
  };
  const end = await runCommand(process.execPath, [PI_CLI, ...args, "go"], { cwd, env });
  const lines = linesOf(out);
  if (end.code !== 0 || lines.length !== 1) throw new Error(`${end.code}: ${end.stderr}${lines.join("\n")}`);
  return { ...(JSON.parse(lines[0] ?? "") as Probed), marks: linesOf(marks) };
}

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").filter(Boolean);

interface Family {
  /** Arguments of the parent beside its extensions and model. */
  launch?: string[];
  wish?: Partial<ToolWish>;
  cwd?: string;
  childCwd?: string;
  projectExtensions?: string[];
  /** MCP tools to wait for, in parent and child. */
  mcp?: [number, number];
  /** How long the child waits for them: a short time where there should be none. */
  mcpWaitMs?: number;
}

/** A real parent, and the real child that its facts allow. */
async function family({ launch = [], wish = {}, mcp = [0, 0], ...more }: Family) {
  const cwd = more.cwd ?? home.cwd;
  const childCwd = more.childCwd ?? cwd;
  const parentArgs = [...EXTENSIONS, "--model", "faux/faux-1", "--no-session", ...launch];
  const parent = await probe(["--mode", "json", ...parentArgs, "-p"], { cwd, mcp: mcp[0] });
  const parsed = parseArgs(parentArgs);
  const tools = childTools(
    {
      launch: parsed,
      ...parent,
      own: OWN.filter((name) => parent.registered.includes(name)),
      surface: "full",
    },
    { agent: undefined, readOnly: false, readOnlyTools: [], reportExpected: false, ...wish },
  );
  const prompt = writePromptFile(
    {
      body: "PROMPT-BODY",
      depth: 1,
      maxDepth: 3,
      treeSlots: 1,
      canDispatch: tools.canDispatch,
      hasPrograms: tools.hasPrograms,
      reportText: undefined,
    },
    "1-1-0a1b2c3d",
    home.root,
  );
  if (!prompt.ok) throw new Error(prompt.refusal);
  const built = childArguments(
    {
      launch: parsed,
      launchCwd: cwd,
      sameProject: isSameProject(cwd, childCwd),
      projectTrusted: parent.trusted,
      projectExtensions: more.projectExtensions ?? [],
      ownExtension: join(FIXTURES, "tool-probe.ts"),
      childArgs: [],
    },
    {
      model: "faux/faux-1",
      thinkingLevel: undefined,
      tools: tools.entries,
      noMcp: tools.noMcp,
      promptPath: prompt.file.path,
    },
    parseArgs,
  );
  if (!built.ok) throw new Error(built.refusal);
  const child = await probe(built.args, { cwd: childCwd, mcp: mcp[1], mcpWaitMs: more.mcpWaitMs });
  prompt.file.dispose();
  return { parent, child, tools };
}

const searches = ["grep", "find", "ls"];
const agent = (tools: string[]) => ({ agent: { name: "a", tools } });

describe("a child in a real pi", () => {
  test("can call what its parent can, and the searches; what the parent's model is not shown, its own is not either", async () => {
    const { parent, child } = await family({});
    expect(child.callable.toSorted()).toEqual([...parent.callable, ...searches].toSorted());
    expect(child.active.toSorted()).toEqual([...parent.active, ...searches].toSorted());
    expect(child.callable).toContain("probe_codemode");
    expect(child.active).not.toContain("probe_codemode");
    expect(child.active).not.toContain("ptc_subagent");
  });

  test("reads its prompt and the flags its parent was given, and is the model it was told", async () => {
    const { child } = await family({ launch: ["--probe-plan", "--probe-level=-x y"] });
    expect(child.flags).toEqual({ plan: true, level: "-x y" });
    expect(child.systemPrompt).toContain("PROMPT-BODY");
    expect(child.systemPrompt).toContain('<pi-ptc-context depth="1" max-depth="3">');
    expect(child.model).toBe("faux/faux-1");
  });

  test("with an empty list can call nothing", async () => {
    const { child } = await family({ wish: agent([]) });
    expect([child.active, child.callable]).toEqual([[], []]);
  });

  test("with a list can call what is on it", async () => {
    const { child, tools } = await family({ wish: agent(["read", "probe_codemode", "rocket"]) });
    expect(child.callable).toEqual(["read", "probe_codemode"]);
    expect(child.active).toEqual(["read", "probe_codemode"]);
    expect(tools.dropped).toEqual(["rocket"]);
  });

  test("that is read-only can read and search, in programs too", async () => {
    const { child } = await family({ wish: { readOnly: true } });
    expect(child.callable.toSorted()).toEqual(["find", "grep", "ls", "read"]);
    expect(child.active).toEqual(expect.arrayContaining(["ptc_run_code", "ptc_workflow"]));
  });

  test("of a parent with less has no more", async () => {
    const { child } = await family({
      launch: ["--tools", "read,bash,probe_direct", "--exclude-tools", "bash"],
    });
    expect(child.callable).toEqual(["read", "probe_direct"]);
  });
});

describe("MCP tools of a child in a real pi", () => {
  beforeAll(() => {
    const server = { command: process.execPath, args: [join(FIXTURES, "mcp-server.ts")] };
    writeFileSync(join(home.agentDir, "mcp.json"), JSON.stringify({ mcpServers: { srv: server } }));
  });
  afterAll(() => writeFileSync(join(home.agentDir, "mcp.json"), "{}"));
  const mcpOf = (probed: Probed): string[] => probed.callable.filter((name) => /mcp/.test(name)).toSorted();

  test("are its parent's, and none of them is declared", async () => {
    const { parent, child } = await family({ mcp: [5, 5] });
    expect(mcpOf(parent)).toEqual(expect.arrayContaining(["mcp__srv__alpha", "mcp__srv__beta"]));
    expect(mcpOf(child)).toEqual(mcpOf(parent));
    expect(child.active.filter((name) => /mcp/.test(name))).toEqual([]);
  });

  test("are those of its agent's list", async () => {
    const wish = agent(["read", "ptc_run_code", "mcp__srv__alpha"]);
    expect(mcpOf((await family({ mcp: [5, 1], wish })).child)).toEqual(["mcp__srv__alpha"]);
  });

  test("are none where the list names none, not even by the tools for resources", async () => {
    const extension = join(home.root, "own-mcp.ts");
    writeFileSync(
      extension,
      `export default (pi) => pi.registerTool({
        name: "mcp__own__peek", label: "peek", description: "d", exposure: "codemode",
        parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }),
      });\n`,
    );
    const launch = ["-e", extension];
    const { parent, child } = await family({ launch, mcp: [6, 1], mcpWaitMs: 1_500, wish: agent(["read"]) });
    expect(mcpOf(parent)).toContain("mcp__own__peek");
    expect(mcpOf(child)).toEqual([]);
    const resources = await family({
      mcp: [5, 2],
      mcpWaitMs: 1_500,
      wish: agent(["read", "list_mcp_resources"]),
    });
    expect(mcpOf(resources.child)).toEqual(["list_mcp_resources"]);
  });
});

describe("trust of a child in a real pi", () => {
  /** An extension of a project that leaves a mark when it is loaded. */
  const marker = (folder: string, mark: string): string => {
    const path = join(home.root, folder, ".pi/extensions/mark.ts");
    mkdirSync(join(path, ".."), { recursive: true });
    const leave = `appendFileSync(process.env.PROBE_MARKS, "${mark}\\n")`;
    writeFileSync(path, `import { appendFileSync } from "node:fs";\nexport default () => ${leave};\n`);
    return path;
  };
  const at = (path: string): string => join(home.root, path);

  test("keeps a project's gate in a child that works elsewhere, and runs nothing that lies there", async () => {
    const gate = marker("project", "gate");
    marker("other", "evil");
    marker("project/clone", "evil");
    mkdirSync(at("project/src"), { recursive: true });
    const parent = { launch: ["--approve"], cwd: at("project"), projectExtensions: [gate] };
    for (const [childCwd, trusted] of [
      ["project", true],
      ["project/src", true],
      ["project/clone", false],
      ["other", false],
    ] as const) {
      const { child } = await family({ ...parent, childCwd: at(childCwd) });
      expect([childCwd, child.trusted, child.marks]).toEqual([childCwd, trusted, ["gate"]]);
    }
  });

  test("is not given to a child of a session without it", async () => {
    const { parent, child } = await family({ cwd: at("project") });
    expect([parent.trusted, child.trusted]).toEqual([false, false]);
    expect([...parent.marks, ...child.marks]).toEqual([]);
  });
});
