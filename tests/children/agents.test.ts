import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentSearch, findAgents, pickAgent } from "../../src/children/agents.ts";

let root: string;
let userDir: string;
let projectDir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ptc-agents ü "));
  userDir = join(root, "agent/agents");
  projectDir = join(root, "project/.pi/agents");
  mkdirSync(userDir, { recursive: true });
  mkdirSync(projectDir, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const search = (more: Partial<AgentSearch> = {}): AgentSearch => ({
  scope: "user",
  userDir,
  projectDir,
  parse: parseFrontmatter,
  ...more,
});
const put = (folder: string, file: string, text: string): void => writeFileSync(join(folder, file), text);
const names = (more: Partial<AgentSearch> = {}): string[] =>
  findAgents(search(more)).agents.map((agent) => `${agent.scope}:${agent.name}`);
const refusalOf = (name: string, more: Partial<AgentSearch> = {}): string => {
  const pick = pickAgent(name, search(more));
  if (pick.ok) throw new Error("the agent was found");
  return pick.refusal;
};

describe("finding agents", () => {
  test("without a folder finds none, and that is no problem", () => {
    expect(findAgents(search({ userDir: join(root, "nowhere") }))).toEqual({ agents: [], problems: [] });
  });

  test("looks at Markdown files in the folders of the scope, by name, and at no hidden ones", () => {
    for (const file of ["b.md", "a.MD", ".draft.md", "notes.txt", "c.md.bak"]) put(userDir, file, "x");
    put(projectDir, "p.md", "x");
    symlinkSync("nobody@host", join(userDir, ".#b.md"));
    expect(names()).toEqual(["user:a", "user:b"]);
    expect(names({ scope: "project" })).toEqual(["project:p"]);
    expect(names({ scope: "both" })).toEqual(["user:a", "user:b", "project:p"]);
  });

  test("never hides good files behind a broken one", () => {
    put(userDir, "a.md", "---\nname: [\n---\n");
    put(userDir, "b.md", "fine");
    symlinkSync(join(root, "gone"), join(userDir, "c.md"));
    const { agents, problems } = findAgents(search());
    expect(agents.map((agent) => agent.name)).toEqual(["b"]);
    expect(problems).toEqual([
      expect.stringContaining(`${join(userDir, "a.md")}: the frontmatter is not valid YAML`),
      `${join(userDir, "c.md")}: this is a link to nothing`,
    ]);
  });

  test("gives a name that is taken twice to the user's file, then to the first, and reports the others", () => {
    put(userDir, "one.md", "---\nname: scout\n---\nuser's");
    put(userDir, "two.md", "---\nname: scout\n---\nsecond");
    put(projectDir, "scout.md", "project's");
    const { agents, problems } = findAgents(search({ scope: "both" }));
    expect(agents.map((agent) => agent.body)).toEqual(["user's"]);
    expect(problems).toEqual([
      `${join(userDir, "two.md")}: the agent "scout" is also in ${join(userDir, "one.md")}, which is used`,
      `${join(projectDir, "scout.md")}: the agent "scout" is also in ${join(userDir, "one.md")}, which is used`,
    ]);
  });

  test("takes a README without frontmatter for none, and any other file", () => {
    for (const file of ["README.md", "readme.md", "ReadMe.MD"]) {
      put(userDir, file, "# Our agents\n---\n");
      expect(findAgents(search())).toEqual({ agents: [], problems: [] });
      rmSync(join(userDir, file));
    }
    put(userDir, "README.md", "\uFEFF---\r\nname: readme\r\n---\r\nRead it.");
    put(userDir, "readers.md", "Read.");
    expect(names()).toEqual(["user:readme", "user:readers"]);
    expect(refusalOf("README")).toContain('there is no agent "README"');
  });

  test("reads nothing of a project that is not trusted", () => {
    put(userDir, "mine.md", "x");
    expect(names({ scope: "both", projectDir: undefined })).toEqual(["user:mine"]);
    expect(names({ scope: "project", projectDir: undefined })).toEqual([]);
  });

  test("reports a folder that is a file", () => {
    rmSync(userDir, { recursive: true });
    writeFileSync(userDir, "x");
    expect(findAgents(search()).problems).toEqual([`${userDir}: agents cannot be read from here (ENOTDIR)`]);
  });

  test.runIf(process.getuid?.() !== 0)("reports a file that may not be read", () => {
    put(userDir, "secret.md", "x");
    chmodSync(join(userDir, "secret.md"), 0);
    expect(findAgents(search()).problems).toEqual([`${join(userDir, "secret.md")}: cannot be read (EACCES)`]);
  });

  test("looks at the first thousand files", () => {
    for (let index = 0; index < 1_001; index += 1) put(userDir, `a${String(index).padStart(4, "0")}.md`, "x");
    const { agents, problems } = findAgents(search());
    expect([agents.length, agents.at(-1)?.name]).toEqual([1_000, "a0999"]);
    expect(problems).toEqual([expect.stringContaining("only the first 1000 by name")]);
  });

  test("finds the example agents in docs/agents without a problem", () => {
    const examples = join(import.meta.dirname, "../../docs/agents");
    const { agents, problems } = findAgents(search({ userDir: examples }));
    expect(problems).toEqual([]);
    expect(agents.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ["planner", true],
      ["reviewer", false],
      ["scout", true],
    ]);
    for (const agent of agents) {
      expect(agent.description).not.toBe("");
      expect(agent.tools).toEqual(expect.arrayContaining(["read", "grep", "find", "ls"]));
      expect(agent.body.length).toBeGreaterThan(400);
    }
  });
});

describe("picking an agent", () => {
  test("finds every agent that is listed, by the name in its frontmatter", () => {
    put(userDir, "file.md", "---\nname: Über scout\n---\nx");
    put(projectDir, "p.md", "x");
    for (const agent of findAgents(search({ scope: "both" })).agents)
      expect(pickAgent(agent.name, search({ scope: "both" }))).toEqual({ ok: true, agent, warnings: [] });
    expect(refusalOf("file")).toContain('there is no agent "file"');
  });

  test("that is unknown says which are known, where they are looked up, and what a file looks like", () => {
    put(userDir, "scout.md", "x");
    put(userDir, "planner.md", "x");
    const refusal = refusalOf("scot");
    expect(refusal).toContain('there is no agent "scot" with agentScope "user"');
    expect(refusal).toContain('(did you mean "scout"?); name a known agent, or leave agent out');
    expect(refusal).toContain("Known agents: planner, scout");
    expect(refusal).toContain(`${userDir} (user) and ${projectDir} (project)`);
    expect(refusal).toContain(
      "An agent is a Markdown file: between two lines --- the keys name, description, model, thinking, tools, readOnly, maxTurns, childReport",
    );
    expect(refusal).toContain("the file name without .md is the name by default");
  });

  test("lists at most twenty", () => {
    for (let index = 0; index < 50; index += 1) put(userDir, `agent-${10 + index}.md`, "x");
    expect(refusalOf("zzz")).toContain("agent-29, and 30 more. ");
    expect(refusalOf("zzz")).not.toContain("agent-30");
  });

  test("without any agent says so", () => expect(refusalOf("scout")).toContain("Known agents: none. "));

  test("that only another scope has names the scope", () => {
    put(projectDir, "local.md", "x");
    put(userDir, "mine.md", "x");
    expect(refusalOf("local")).toContain('one of the project\'s agents: pass agentScope "project" or "both"');
    expect(refusalOf("mine", { scope: "project" })).toContain('pass agentScope "user" or "both"');
  });

  test.each(["project", "both"] as const)("of scope %s in an untrusted project says so", (scope) => {
    const refusal = refusalOf("local", { scope, projectDir: undefined });
    expect(refusal).toMatch(
      /^there is no agent "local" with agentScope "(?:project|both)", since pi does not/,
    );
    expect(refusal).toContain("pi does not trust this project; trust it (start pi with --approve), or ");
    expect(refusal).toContain(`${userDir} (user)`);
    expect(refusal).toContain(".pi/agents");
  });

  test("does not tell what an untrusted project holds", () => {
    put(projectDir, "local.md", "x");
    expect(refusalOf("local", { projectDir: undefined })).not.toContain('pass agentScope "project"');
  });

  test("whose file is broken says what is wrong with it", () => {
    put(userDir, "scout.md", "---\nname: finder\ntools: 5\n---\nx");
    expect(refusalOf("finder")).toMatch(
      /^agent "finder" cannot be used: tools is 5; .*or leave agent out\. /,
    );
    expect(refusalOf("finder")).toContain(`Mend ${join(userDir, "scout.md")}, or`);
  });

  test("whose file is broken is refused, though a file after it has the same name", () => {
    put(userDir, "scout.md", "---\nname: scout\ntools: 5\n---\nuser's");
    put(projectDir, "scout.md", "project's");
    const both = { scope: "both" } as const;
    expect(refusalOf("scout", both)).toContain("cannot be used: tools is 5");
    expect(names(both)).toEqual([]);
    expect(findAgents(search(both)).problems).toEqual([
      expect.stringContaining("tools is 5"),
      expect.stringContaining(`${join(projectDir, "scout.md")}: the agent "scout" is not used while`),
    ]);
    expect(pickAgent("scout", search({ scope: "project" }))).toMatchObject({ ok: true });
  });

  test("whose name other files have, too, warns of them", () => {
    put(userDir, "one.md", "---\nname: scout\n---\nuser's");
    put(userDir, "other.md", "---\nname: other\n---\n");
    put(userDir, "three.md", "---\nname: other\n---\n");
    put(userDir, "two.md", "---\nname: scout\ntools: 5\n---\nbroken");
    put(projectDir, "scout.md", "project's");
    expect(pickAgent("scout", search({ scope: "both" }))).toMatchObject({
      agent: { body: "user's" },
      warnings: [
        expect.stringContaining(`${join(userDir, "two.md")}: tools is 5`),
        `${join(projectDir, "scout.md")}: the agent "scout" is also in ${join(userDir, "one.md")}, which is used`,
      ],
    });
  });

  test.each(["../x", "/etc/passwd", "a\\b", "..", "", "scout\0"])(
    "by the path %j is refused as no name",
    (name) => {
      put(userDir, "scout.md", "x");
      put(join(userDir, ".."), "x.md", "x");
      expect(refusalOf(name)).toMatch(/^the agent name "/);
    },
  );

  test('by the name "default" is refused: it means no agent', () => {
    put(userDir, "default.md", "x");
    expect(names()).toEqual([]);
    expect(refusalOf("default")).toContain("is kept for children without an agent");
  });
});
