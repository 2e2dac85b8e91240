import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Agent, agentNameProblem, readAgentFile } from "../../src/children/agent-file.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "ptc-agent-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const read = (text: string, file = "scout.md") => {
  writeFileSync(join(dir, file), text);
  return readAgentFile(join(dir, file), "user", parseFrontmatter);
};
const agentOf = (text: string): Agent => {
  const reading = read(text);
  if (!reading?.ok) throw new Error(reading?.problem ?? "no reading");
  return reading.agent;
};
const problemOf = (text: string): string => {
  const reading = read(text);
  if (!reading || reading.ok) throw new Error("the file was taken for an agent");
  expect(reading.path).toBe(join(dir, "scout.md"));
  return reading.problem;
};

describe("an agent file", () => {
  test("with every key set is read as it is written", () => {
    const text = [
      "---",
      "name: deep-scout",
      "description: Looks things up",
      "model: openrouter/meta/llama:free",
      "thinking: high",
      "tools: read, grep",
      "readOnly: true",
      "maxTurns: 12",
      "childReport: false",
      "color: blue",
      "---",
      "# You\n\n  Do it.",
    ].join("\n");
    expect(agentOf(text)).toEqual({
      name: "deep-scout",
      description: "Looks things up",
      model: "openrouter/meta/llama:free",
      thinking: "high",
      tools: ["read", "grep"],
      readOnly: true,
      maxTurns: 12,
      childReport: false,
      body: "# You\n\n  Do it.",
      path: join(dir, "scout.md"),
      scope: "user",
    });
  });

  test.each([
    ["readonly: true", "readOnly"],
    ["read-only: true", "readOnly"],
    ["readOlny: true", "readOnly"],
    ["maxTurn: 1", "maxTurns"],
    ["Tools: read", "tools"],
  ])("with the slip %j is no agent, and says what was meant", (line, meant) => {
    expect(problemOf(`---\n${line}\n---\nDo it.`)).toContain(`did you mean ${meant}?`);
  });

  test.each(["mode: subagent", "color: red", "tool: read", "permission: {}", "foo: bar"])(
    "may hold the key of another tool: %s",
    (line) => {
      expect(agentOf(`---\n${line}\n---\nDo it.`)).toMatchObject({ readOnly: false });
    },
  );

  test("without frontmatter is called like its file, and leaves all else to the session", () => {
    expect(agentOf("Just do it.")).toEqual({
      name: "scout",
      description: "",
      readOnly: false,
      childReport: true,
      body: "Just do it.",
      path: join(dir, "scout.md"),
      scope: "user",
    });
  });

  test("may have CRLF line ends and a byte order mark", () => {
    const text = "\uFEFF---\r\nname: wide\r\ntools:\r\n  - read\r\n  - bash\r\n---\r\nOne\r\nTwo\r\n";
    expect(agentOf(text)).toMatchObject({ name: "wide", tools: ["read", "bash"], body: "One\nTwo" });
  });

  test.each([
    ["tools: read, bash ,grep", ["read", "bash", "grep"]],
    ["tools: [read, 'bash']", ["read", "bash"]],
    ['tools: ["read, bash", grep]', ["read", "bash", "grep"]],
    ["tools:\n  - read\n  - 'bash'", ["read", "bash"]],
    ["tools: read", ["read"]],
    ["tools: read, read,, ", ["read"]],
    ["tools: mcp__docs__*", ["mcp__docs__*"]],
    ["tools: []", []],
    ["tools:", []],
    ["tools: ''", []],
    ["tools: ~", []],
  ])("with %j has the tools %j", (line, tools) => {
    expect(agentOf(`---\n${line}\n---\nx`).tools).toEqual(tools);
  });

  test.each(["model:", "model: ''", "model: ~", "name:\nmodel: ' '"])(
    "with %j leaves the model to the session",
    (line) => {
      const agent = agentOf(`---\n${line}\n---\nx`);
      expect([agent.name, "model" in agent]).toEqual(["scout", false]);
    },
  );

  test.each([
    ["childReport: no", { childReport: false }],
    ["childReport: false", { childReport: false }],
    ["childReport: 'No'", { childReport: false }],
    ["childReport: true", { childReport: true }],
    ["childReport:", { childReport: true }],
    ["readOnly: yes", { readOnly: true }],
    ["readOnly: 'true'", { readOnly: true }],
    ["readOnly:", { readOnly: false }],
  ])("with %j is %j", (line, expected) => {
    expect(agentOf(`---\n${line}\n---\nx`)).toMatchObject(expected);
  });

  test("keeps colons in values, quoted or not", () => {
    expect(agentOf('---\ndescription: "Use it: often"\nmodel: a/b:c\n---\nx')).toMatchObject({
      description: "Use it: often",
      model: "a/b:c",
    });
    expect(agentOf("---\ndescription: Use it: often. Never: at night\ntools: read\n---\nx")).toMatchObject({
      description: "Use it: often. Never: at night",
      tools: ["read"],
    });
  });

  test("with a description over several lines has it in one", () => {
    expect(agentOf("---\ndescription: |\n  One\n  two\n---\nx").description).toBe("One two");
  });

  test("of 300 KB hands its body over whole", () => {
    const body = `${"Look closely. ".repeat(21_500)}End`;
    expect(agentOf(`---\nname: long\n---\n${body}`).body).toBe(body);
  });

  test.each([
    ["name: [\n", "the frontmatter is not valid YAML (YAMLParseError: Flow sequence"],
    ["name: a\nname: b", "the frontmatter is not valid YAML (YAMLParseError: Map keys must be unique"],
    ["model: a: b", "the frontmatter is not valid YAML (YAMLParseError: Nested mappings"],
    ["- read", 'the frontmatter is a list; it must be lines of the form "key: value"'],
    ["just text", 'the frontmatter is "just text"; it must be lines of the form "key: value"'],
    ["name: 5", "name is 5; it must be text: put it in quotes"],
    ["name: ../x", 'the name "../x" is a path'],
    ["name: a/b", 'the name "a/b" is a path'],
    ["name: 'a\\b'", 'is a path; an agent name has no separators and no ".."'],
    ["name: default", 'the name "default" is kept for children without an agent'],
    ['name: "a\\u001b[31m"', "holds control characters"],
    [`name: ${"n".repeat(65)}`, "is longer than 64 characters"],
    ["tools: 5", 'tools is 5; it must be names: "read, grep", a list, or [] for no tools'],
    ["tools: {read: true}", "tools is a map; it must be names"],
    ["tools: [read, 5]", "tools is a list; it must be names"],
    ["tools: false", "tools is false; it must be names"],
    ["readOnly: maybe", 'readOnly is "maybe"; it must be true or false'],
    ["childReport: 7", "childReport is 7; it must be true or false"],
    ["thinking: deep", 'thinking is "deep"; it must be one of off, minimal, low, medium, high, xhigh, max'],
    ["maxTurns: 0", "maxTurns is 0; it must be a whole number from 1 to 100000"],
    ["maxTurns: 1.5", "maxTurns is 1.5"],
    ["maxTurns: '5'", 'maxTurns is "5"'],
    ["model: [a]", "model is a list; it must be text"],
  ])("whose frontmatter holds %j is no agent, and says why", (lines, sentence) => {
    expect(problemOf(`---\n${lines}\n---\nx`)).toContain(sentence);
  });

  test("names everything that is wrong at once", () => {
    const problem = problemOf("---\ntools: 5\nreadOnly: maybe\n---\nx");
    expect(problem).toContain("tools is 5");
    expect(problem).toContain("readOnly is");
  });

  test("whose frontmatter never ends is no agent, for its tools would be no limit", () => {
    expect(problemOf("---\ntools: read\n\nYou may only read.")).toBe(
      "the frontmatter has no end: put a line --- after it",
    );
    expect(problemOf("\uFEFF---\r\ntools: read\r\n")).toContain("has no end");
  });

  test("reaches no prototype through its keys", () => {
    expect(agentOf("---\n__proto__: {readOnly: true}\nconstructor: x\n---\nx").readOnly).toBe(false);
  });

  test("behind a link is read, and one behind a broken link is reported", () => {
    writeFileSync(join(dir, "target.txt"), "---\nname: linked\n---\nx");
    symlinkSync(join(dir, "target.txt"), join(dir, "link.md"));
    symlinkSync(join(dir, "gone"), join(dir, "dead.md"));
    symlinkSync(join(dir, "loop.md"), join(dir, "loop.md"));
    const at = (name: string) => readAgentFile(join(dir, name), "project", parseFrontmatter);
    expect(at("link.md")).toMatchObject({ ok: true, agent: { name: "linked", scope: "project" } });
    expect(at("dead.md")).toMatchObject({ problem: "this is a link to nothing", path: join(dir, "dead.md") });
    expect(at("loop.md")).toMatchObject({ problem: "cannot be read (ELOOP)" });
  });

  test("that is a folder or a device is none", () => {
    mkdirSync(join(dir, "folder.md"));
    symlinkSync("/dev/zero", join(dir, "zero.md"));
    expect(readAgentFile(join(dir, "folder.md"), "user", parseFrontmatter)).toBeUndefined();
    expect(readAgentFile(join(dir, "zero.md"), "user", parseFrontmatter)).toMatchObject({
      problem: "this is no regular file",
    });
  });

  test("of 5 MB is not read", () => {
    expect(problemOf("x".repeat(5_000_000))).toContain("an agent has at most 4194304");
  });
});

test.each(["scout", "Über scout 2", "a.b", "日本"])("%j can name an agent", (name) =>
  expect(agentNameProblem(name)).toBeUndefined(),
);

test.each(["", " ", ".", "..", "../x", "a/b", "a\\b", "a\nb", "a\tb", "a\0", "default", "x".repeat(65)])(
  "%j cannot name an agent",
  (name) => expect(agentNameProblem(name)).toEqual(expect.any(String)),
);
