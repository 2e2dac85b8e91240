/** What of its parent's launch and project a real child gets (spec 2.3), through the whole extension. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ModelTurn } from "../fixtures/model-server.ts";
import { dataOf, Family, subagent } from "./family.ts";
import { program } from "./real-pi.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const MCP_SERVER = join(import.meta.dirname, "../fixtures/mcp-server.ts");

let family: Family;
/** Lines that extensions and servers leave when they are loaded. */
let marksPath: string;

const at = (...parts: string[]): string => join(family.home.home.root, ...parts);
const marks = (): string[] => readFileSync(marksPath, "utf8").split("\n").filter(Boolean).toSorted();
const leaves = (line: string): string =>
  `import { appendFileSync } from "node:fs";\nconst leave = (text) => appendFileSync(${JSON.stringify(marksPath)}, text + "\\n");\nconst who = process.env.PI_PTC_DEPTH ? "child" : "parent";\n${line}\n`;

function write(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

const turnOf = (task: string): ModelTurn | undefined =>
  family.server.turns.find((turn) => turn.task === `Task: ${task}`);

beforeAll(async () => {
  family = await Family.open();
  marksPath = at("marks");
  write(at("agent/extensions/user.ts"), leaves("export default () => leave(`user in ${who}`);"));
  write(
    at("server.mjs"),
    `${leaves("leave(`server of ${who}`);")}await import(${JSON.stringify(MCP_SERVER)});\n`,
  );
  const srv = { command: process.execPath, args: [at("server.mjs")] };
  write(at("agent/mcp.json"), JSON.stringify({ mcpServers: { srv } }));
});

beforeEach(() => writeFileSync(marksPath, ""));

afterEach(() => family.expectNothingLeft());

afterAll(() => family.close());

test("a gate and an agent of the project hold in a child that works elsewhere, and no extension that lies there runs", async () => {
  write(
    at("project/.pi/extensions/gate.ts"),
    leaves(
      `export default (pi) => { leave(\`gate in \${who}\`); pi.on("tool_call", (event) => event.toolName === "bash" ? { block: true, reason: "no bash in this project" } : undefined); };`,
    ),
  );
  write(at("project/.pi/agents/local.md"), "---\ndescription: d\n---\nYou are local.\n");
  write(at("other/.pi/extensions/evil.ts"), leaves("export default () => leave(`evil in ${who}`);"));
  write(at("other/.pi/agents/local.md"), "---\ndescription: d\n---\nYou are evil.\n");
  family.answers.set("work over there", ({ results }) =>
    results.length === 0 ? { calls: [["bash", { command: "touch done" }]] } : `bash said ${results[0]}`,
  );
  const task = "work over there";
  const dispatch = subagent({ task, cwd: "../other", agent: "local", agentScope: "both" });
  const { ends } = await family.parent("P-project", [dispatch], { args: ["--approve"], cwd: at("project") });
  expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled", text: "bash said no bash in this project" });
  expect(turnOf(task)?.system).toContain("You are local.");
  expect(turnOf(task)?.system).toContain(at("other"));
  expect(marks()).toEqual(
    expect.arrayContaining([
      "gate in child",
      "gate in parent",
      "server of parent",
      "user in child",
      "user in parent",
    ]),
  );
  expect(marks().join()).not.toContain("evil");
}, 60_000);

test("relative extensions, their flags, excluded tools and what is switched off reach the child", async () => {
  const { cwd } = family.home.home;
  write(
    join(cwd, "flags.ts"),
    leaves(
      `export default (pi) => {
        pi.registerFlag("plan", { type: "boolean" });
        pi.registerFlag("level", { type: "string" });
        if (who === "child") leave("given " + process.argv.slice(2).join(" "));
        pi.on("before_agent_start", () => leave(\`\${who} \${pi.getFlag("plan")} \${pi.getFlag("level")}\`));
      };`,
    ),
  );
  write(at("elsewhere/AGENTS.md"), "RULES-OF-ELSEWHERE\n");
  for (const task of ["plain work", "work with flags"]) family.answers.set(task, () => "done");
  const plain = await family.parent("P-plain", [subagent({ task: "plain work", cwd: "../elsewhere" })]);
  const args = [
    "-e",
    "./flags.ts",
    "--plan",
    "--level=-x y",
    "--exclude-tools",
    "write,grep",
    "--no-mcp",
    "-nc",
  ];
  writeFileSync(marksPath, "");
  const held = await family.parent("P-flags", [subagent({ task: "work with flags", cwd: "../elsewhere" })], {
    args,
  });
  for (const { ends } of [plain, held]) expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled" });
  expect(turnOf("plain work")?.tools).toEqual(expect.arrayContaining(["read", "write", "grep"]));
  expect(turnOf("plain work")?.system).toContain("RULES-OF-ELSEWHERE");
  expect(turnOf("work with flags")?.tools).toContain("read");
  expect(turnOf("work with flags")?.tools).not.toContain("write");
  expect(turnOf("work with flags")?.tools).not.toContain("grep");
  expect(turnOf("work with flags")?.system).not.toContain("RULES-OF-ELSEWHERE");
  const [ofChild, given, ...others] = marks();
  expect([ofChild, ...others]).toEqual([
    "child true -x y",
    "parent true -x y",
    "user in child",
    "user in parent",
  ]);
  expect(given).toMatch(/^given .* --exclude-tools write,grep .*--no-mcp /);
  expect(given).not.toContain("work with flags");
}, 60_000);

test("a parent without extensions but ours has a child without", async () => {
  family.answers.set("work alone", () => "done alone");
  const code = 'return await tools["pi.dispatch"]({ task: "work alone" })';
  const { ends } = await family.parent("P-alone", [program(code)], { args: ["-ne", "-e", CHECKOUT] });
  expect(dataOf(ends[0])["value"]).toMatchObject({ status: "fulfilled", text: "done alone" });
  expect(turnOf("work alone")?.tools).toContain("ptc_run_code");
  expect(marks()).toEqual([]);
}, 60_000);
