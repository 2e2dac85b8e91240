/** `ptc_subagent` as the model, programs and scripts of codemode see it, with other extensions in between (spec 2.8). */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { dataOf, Family, subagent } from "./family.ts";
import { program } from "./real-pi.ts";

const SECRET = "SECRET-42";

let family: Family;
const at = (...parts: string[]): string => join(family.home.home.root, ...parts);

beforeAll(async () => {
  family = await Family.open();
  mkdirSync(at("agent/agents"));
  for (let n = 1; n <= 25; n += 1) {
    const text = `---\nname: agent-${n}\ndescription: Does part ${n}\n---\nYou are ${n}.\n`;
    writeFileSync(at("agent/agents", `a${n}.md`), text);
  }
});

afterEach(() => family.expectNothingLeft());

afterAll(() => family.close());

test("tells the model at most twenty agents, streams progress, and gives data for a child but none for bad input", async () => {
  family.answers.set("work in steps", ({ results }) =>
    results.length === 0 ? { calls: [["bash", { command: "sleep 0.5" }]] } : "all steps done",
  );
  const steps = [
    subagent({ task: "work in steps" }),
    subagent({ task: " " }),
    subagent({ task: "x", cwd: "not-there" }),
    subagent({ task: "x", timeoutMs: -1, surprise: true }),
  ];
  const { ends, events } = await family.parent("P-direct", steps);
  const told = family.server.turns[0]?.descriptions["ptc_subagent"] ?? "";
  expect(told.match(/^- agent-\d+: Does part \d+$/gm)).toHaveLength(20);
  expect(told).toMatch(/^- and 5 more$/m);

  const updates = events.filter(
    ({ type, toolName }) => type === "tool_execution_update" && toolName === "ptc_subagent",
  );
  const seen = updates.map(({ partialResult }) => partialResult?.details);
  expect(seen).toContainEqual(
    expect.objectContaining({
      running: true,
      progress: expect.objectContaining({
        turns: 1,
        tool: { name: "bash", running: true },
        usage: expect.objectContaining({ input: 100, output: 7 }),
        elapsedMs: expect.any(Number),
      }),
    }),
  );

  expect(ends[0]).toMatchObject({ isError: false });
  expect(ends[0]?.text).toBe("usage: input 200 output 14 cost $0 turns 2\n\nall steps done");
  expect(ends[0]?.result.structuredContent).toEqual({
    status: "fulfilled",
    report_channel: "none",
    exit_code: 0,
    text: "all steps done",
    usage: { input: 200, output: 14, cost: 0, turns: 2 },
  });
  const refused = ends.slice(1);
  expect(refused.map(({ isError }) => isError)).toEqual([true, true, true]);
  for (const { result } of refused) expect(result.structuredContent).toBeUndefined();
  expect(refused[0]?.text).toMatch(/task/);
  expect(refused[1]?.text).toContain(join(family.home.home.cwd, "not-there"));
  expect(refused[2]?.text).toMatch(/surprise.*timeoutMs/s);
}, 60_000);

test("is what gates allow and redactors leave, for the model, a program and a script of codemode alike", async () => {
  writeFileSync(
    at("warden.ts"),
    `export default (pi) => {
      if (process.env.PI_PTC_DEPTH) process.stderr.write("${SECRET} on stderr\\n");
      pi.on("tool_call", (event) => event.toolName === "ptc_subagent" && event.input.task.includes("forbidden") ? { block: true, reason: "the warden says no" } : undefined);
      pi.on("tool_result", (event) => event.toolName === "ptc_subagent" && !event.isError ? { content: [{ type: "text", text: "[redacted]" }] } : undefined);
    };\n`,
  );
  const report = { summary: SECRET, findings: [], files_touched: [] };
  family.answers.set("find the secret", ({ results }) =>
    results.length === 0 ? { calls: [["ptc_child_report", report]] } : `it is ${SECRET}`,
  );
  const inProgram = `const dispatch = tools["pi.dispatch"];
    return [await dispatch({ task: "find the secret" }), await dispatch({ task: "the forbidden" })]`;
  const inScript = `const call = async (task) => { try { return await tools.ptc_subagent({ task }) } catch (error) { return "rejected: " + error.message } };
    return JSON.stringify([await call("find the secret"), await call("the forbidden"), await call(" ")])`;
  const steps = [
    subagent({ task: "find the secret" }),
    subagent({ task: "the forbidden" }),
    { name: "codemode", args: { code: inScript } },
  ];
  const args = ["-e", at("warden.ts")];
  const [direct, refused, ofScript] = (await family.parent("P-warden", steps, { args })).ends;
  const [ofProgram] = (await family.parent("P-ward-program", [program(inProgram)], { args })).ends;
  expect(direct).toMatchObject({ text: "[redacted]", isError: false });
  expect(refused).toMatchObject({ text: "the warden says no", isError: true });
  for (const end of [direct, refused]) expect(end?.result.structuredContent).toBeUndefined();

  const [found, forbidden] = dataOf(ofProgram)["value"] as Record<string, unknown>[];
  expect(found).toMatchObject({
    status: "fulfilled",
    started: true,
    text: "[redacted]",
    reportChannel: "tool",
  });
  expect(found?.["warnings"]).toHaveLength(1);
  for (const key of ["report", "stderr"]) expect(found).not.toHaveProperty(key);
  expect(forbidden).toMatchObject({ status: "rejected", started: false, errorMessage: "the warden says no" });
  expect(JSON.stringify(ofProgram)).not.toContain(SECRET);

  const line = ofScript?.text.split("\n").find((candidate) => candidate.startsWith("[")) ?? "[]";
  const [seen, ...rejections] = JSON.parse(line) as unknown[];
  expect(JSON.stringify(seen)).toContain("[redacted]");
  expect(JSON.stringify(ofScript)).not.toContain(SECRET);
  expect(rejections).toEqual(["rejected: the warden says no", expect.stringMatching(/^rejected: .*task/)]);
}, 60_000);

test("is an object with data for a script of codemode, of a child that failed as well", async () => {
  family.answers.set("work for a script", () => "for the script");
  family.answers.set("fail for a script", () => ({ text: "half", finish: "length" }));
  const code = `const done = await tools.ptc_subagent({ task: "work for a script" });
    const failed = await tools.ptc_subagent({ task: "fail for a script" });
    return JSON.stringify([done, failed])`;
  const { ends } = await family.parent("P-script", [{ name: "codemode", args: { code } }], {
    args: ["--tools", "+codemode"],
  });
  const line = ends[0]?.text.split("\n").find((candidate) => candidate.startsWith("[")) ?? "[]";
  expect(JSON.parse(line)).toMatchObject([
    { status: "fulfilled", text: "for the script", report_channel: "none", usage: { turns: 1 } },
    { status: "rejected", text: "half", usage: { turns: 1 } },
  ]);
}, 60_000);
