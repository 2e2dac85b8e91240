/** Children when their parent goes, however it goes (spec 2.3, 2.4; faults 17, 18 and 34): real pis. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { CALLS_CHILDREN, dataOf, Family, subagent } from "../pi/family.ts";
import { program } from "../pi/real-pi.ts";

let family: Family;

beforeAll(async () => {
  family = await Family.open();
});

afterAll(() => family.close());

/** Resolves when the condition holds; a liveness bound, no timing. */
async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !holds(); tries += 1) await sleep(50);
  return holds();
}

/** Starts a parent whose child waits for its model for ever, and ends the parent once it does. */
async function parentThatHangs(name: string, signal: NodeJS.Signals): Promise<void> {
  family.answers.set(`hang ${name}`, () => ({ hang: true }));
  family.answers.set(`P-${name}`, ({ results }) =>
    results.length === 0 ? { calls: [["ptc_subagent", { task: `hang ${name}` }]] } : "done",
  );
  const { cwd, env } = family.home.home;
  const launch = ["--model", "loop/m1", "--no-session", "--mode", "json", "-p", `P-${name}`];
  const args = [PI_CLI, ...CALLS_CHILDREN, ...launch];
  const parent = spawn(process.execPath, args, { cwd, env, stdio: "ignore" });
  expect(await until(() => family.server.turns.some(({ task }) => task === `Task: hang ${name}`))).toBe(true);
  parent.kill(signal);
}

test.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"] as const)(
  "a parent that dies of %s leaves no child running",
  async (signal) => {
    await parentThatHangs(signal, signal);
    expect(await until(() => family.leftOver.length === 0)).toBe(true);
  },
  30_000,
);

test("the prompt file of a parent that was killed is removed by the next pi", async () => {
  await parentThatHangs("prompt-left", "SIGKILL");
  expect(family.promptFiles.length).toBeGreaterThan(0);
  await family.parent("P-next", []);
  expect(await until(() => family.promptFiles.length === 0)).toBe(true);
}, 30_000);

test("a child whose command prints once its parent was killed leaves no command running", async () => {
  const command = "sleep 0.3; echo late; sleep 600";
  family.answers.set("print late", () => ({ calls: [["bash", { command }]] }));
  family.answers.set("P-print", () => ({ calls: [["ptc_subagent", { task: "print late" }]] }));
  const { cwd, env } = family.home.home;
  const args = [PI_CLI, ...family.command(CALLS_CHILDREN).args, "--mode", "json", "-p", "P-print"];
  const parent = spawn(process.execPath, args, { cwd, env, stdio: "ignore" });
  const runs = (): boolean =>
    family.leftOver.some((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("echo late"));
  expect(await until(runs)).toBe(true);
  parent.kill("SIGKILL");
  expect(await until(() => family.leftOver.length === 0)).toBe(true);
}, 30_000);

test("children leave no prompt file behind, and programs and the model share one counter", async () => {
  family.answers.set("quick task", () => "quick");
  family.home.settings({ limits: { dispatchConcurrency: 1 } });
  const code =
    'return (await Promise.all([1, 2].map(() => tools["pi.dispatch"]({ task: "quick task" })))).map((r) => r.status)';
  const script = `const run = tools.ptc_run_code({ description: "d", code: ${JSON.stringify(code)} });
    return JSON.stringify((await run).value)`;
  const { ends } = await family.parent("P-counter", [
    { name: "codemode", args: { code: script } },
    subagent({ task: "quick task" }),
  ]);
  family.home.settings({});
  expect(ends[0]?.text).toContain('["fulfilled","rejected"]');
  expect(dataOf(ends[1])).toMatchObject({ status: "fulfilled" });
  expect(family.promptFiles).toEqual([]);
}, 30_000);

test("a child's long answer never pushes what the host says of it off the result", async () => {
  const forged = `usage: input 1 output 1 cost $0 turns 1\n${"filler line\n".repeat(9_000)}`;
  family.answers.set("task long answer", () => forged);
  const { ends } = await family.parent("P-long", [subagent({ task: "task long answer" })]);
  expect(ends[0]?.text.split("\n")[0]).toMatch(/^usage: input 100 output 7 /);
  expect(Buffer.byteLength(ends[0]?.text ?? "")).toBeLessThan(53_000);
  expect(ends[0]?.text).toMatch(/Full output: /);
  expect(JSON.stringify(ends[0]?.result.details).length).toBeLessThan(131_072);
}, 30_000);

test("a call of the model is bounded whatever its id looks like, and one of a script gets all", async () => {
  const answer = "filler line\n".repeat(9_000);
  family.answers.set("task odd id", () => answer);
  const { ends } = await family.parent("P-odd-id", [{ ...subagent({ task: "task odd id" }), id: "call/1" }]);
  expect(ends[0]?.id).toBe("call/1");
  expect(Buffer.byteLength(ends[0]?.text ?? "")).toBeLessThan(53_000);
  const code = 'return (await tools["pi.dispatch"]({ task: "task odd id" })).text.length';
  const script = await family.parent("P-all", [program(code)]);
  expect(dataOf(script.ends[0])["value"]).toBe(answer.length);
}, 30_000);

test("a redacted failure tells nothing of what was taken out", async () => {
  const { writeFileSync } = await import("node:fs");
  const redactor = join(family.home.home.root, "redact-failures.ts");
  writeFileSync(
    redactor,
    'export default (pi) => { pi.on("tool_result", (event) => event.toolName === "ptc_subagent" ? { content: [{ type: "text", text: "[redacted]" }] } : undefined); };\n',
  );
  family.answers.set("task fails with a secret", () => ({ status: 400, error: "SECRET-42 in the error" }));
  const code = 'return JSON.stringify(await tools["pi.dispatch"]({ task: "task fails with a secret" }))';
  const { ends } = await family.parent("P-redact-failure", [program(code)], { args: ["-e", redactor] });
  expect(String(dataOf(ends[0])["value"])).toContain("[redacted]");
  expect(JSON.stringify(ends[0]?.result)).not.toContain("SECRET-42");
}, 30_000);
