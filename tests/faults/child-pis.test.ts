/** Faults 19, 21, 22 and 34 with real pis: odd tasks, odd places, deep nesting, and secrets. */

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { eventually, runningWith } from "../children/played-child.ts";
import { CHECKOUT } from "../package/packed.ts";
import { runCommand } from "../package/pi-process.ts";
import { CALLS_CHILDREN, dataOf, Family, subagent } from "../pi/family.ts";
import { endsOf, type PiEvent, program } from "../pi/real-pi.ts";

let family: Family;
beforeAll(async () => {
  family = await Family.open();
}, 60_000);
afterEach(() => {
  family.home.settings({});
  if (family.leftOver.length > 0)
    throw new Error(`processes were left behind: ${family.leftOver.join(", ")}`);
});
afterAll(() => family.close());

const at = (path: string): string => join(family.home.home.root, path);
const linesOf = (text: string): string[] => text.split("\n").filter(Boolean);

/** An extension that tells with which arguments its pi was started, be it parent or child. */
function argvProbe(): { path: string; argvs: () => string[][] } {
  const [path, out] = [at("argv.js"), at("argv.jsonl")];
  const tell = `appendFileSync(${JSON.stringify(out)}, JSON.stringify(process.argv) + "\\n")`;
  writeFileSync(path, `import { appendFileSync } from "node:fs";\nexport default () => ${tell};\n`);
  writeFileSync(out, "");
  return {
    path,
    argvs: () => linesOf(readFileSync(out, "utf8")).map((line) => JSON.parse(line) as string[]),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("a task that pi would take for something else reaches a real child word for word, and so do 2 MB", async () => {
  const tasks = ["--help #19", "@/etc/hosts #19", "/quit #19", "!touch owned #19"];
  family.answers.set("#19", ({ task }) => `heard ${task.length}`);
  const code = `const tasks = [...${JSON.stringify(tasks)}, "x".repeat(2_000_000) + " #19"];
    const all = await Promise.all(tasks.map((task) => tools["pi.dispatch"]({ task })));
    return all.map((r) => [r.status, r.text])`;
  const { ends } = await family.parent("P-odd-tasks", [program(code)]);
  const heard = [...tasks.map((task) => task.length), 2_000_004].map((length) => length + "Task: ".length);
  expect(dataOf(ends[0])["value"]).toEqual(heard.map((length) => ["fulfilled", `heard ${length}`]));
  for (const task of tasks) expect(family.server.turns.map((turn) => turn.task)).toContain(`Task: ${task}`);
  expect(readdirSync(family.home.home.cwd)).not.toContain("owned");
}, 60_000);

test("a pi started by a path with blanks and letters beyond ASCII starts its children by that path", async () => {
  const odd = at("a pi ü");
  const real = dirname(dirname(dirname(realpathSync(PI_CLI))));
  mkdirSync(odd);
  cpSync(real, join(odd, "pi"), { recursive: true });
  symlinkSync(dirname(dirname(real)), join(odd, "node_modules"));
  const cli = join(odd, "pi", "dist/bundle/cli.js");
  const probe = argvProbe();
  family.answers.set("odd place", () => "from the odd place");
  family.answers.set("P-odd-path", ({ results }) =>
    results.length === 0 ? { calls: [["ptc_subagent", { task: "odd place" }]] } : "done",
  );
  const { cwd, env } = family.home.home;
  const launch = [
    ...CALLS_CHILDREN,
    "-e",
    probe.path,
    "--model",
    "loop/m1",
    "--no-session",
    "--mode",
    "json",
  ];
  const { code, stdout } = await runCommand(process.execPath, [cli, ...launch, "-p", "P-odd-path"], {
    cwd,
    env,
  });
  expect(code).toBe(0);
  const { ends } = endsOf(linesOf(stdout).map((line) => JSON.parse(line) as PiEvent));
  expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled", text: "from the odd place" });
  expect(probe.argvs().map((argv) => argv[1])).toEqual([cli, cli]);
}, 60_000);

test("a host whose entry script is not pi runs its children on the installed pi", async () => {
  family.answers.set("embedded task", () => "for the host");
  const entry = pathToFileURL(join(CHECKOUT, "dist/index.js")).href;
  const script = `import { createBuiltinBindings, runPtcProgram } from ${JSON.stringify(entry)};
    const code = 'const r = await tools["pi.dispatch"]({ task: "embedded task" }); return [r.status, r.text, r.errorMessage ?? ""]';
    const outcome = await runPtcProgram({ code, bindings: createBuiltinBindings({ cwd: process.cwd(), names: ["pi.dispatch"] }) });
    console.log(JSON.stringify(outcome.value));`;
  writeFileSync(at("host.mjs"), script);
  const { cwd, env } = family.home.home;
  const { stdout, stderr } = await runCommand(process.execPath, [at("host.mjs")], { cwd, env });
  expect({ stdout, stderr }).toEqual({ stdout: '["fulfilled","for the host",""]\n', stderr: "" });
}, 60_000);

test("with one slot a session, a chain of children down to the depth limit runs: a parent that waits holds nothing they need", async () => {
  family.home.settings({ limits: { dispatchConcurrency: 1 } });
  for (const level of [1, 2, 3])
    family.answers.set(`link ${level} of the chain`, ({ results }) => {
      if (level === 3) return "the end";
      const [below] = results;
      if (below !== undefined) return `${level} <- ${below.split("\n").at(-1)}`;
      return { calls: [["ptc_subagent", { task: `link ${level + 1} of the chain` }]] };
    });
  const { ends } = await family.parent("P-chain", [subagent({ task: "link 1 of the chain" })]);
  expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled", text: "1 <- 2 <- the end" });
}, 60_000);

test("neither task nor prompt nor key shows in the list of processes, and no file with them is open to others", async () => {
  mkdirSync(join(family.home.home.agentDir, "agents"), { recursive: true });
  const agent = join(family.home.home.agentDir, "agents", "secretive.md");
  writeFileSync(agent, "---\nname: secretive\n---\nSECRET-PROMPT\n");
  let answer: (text: string) => void = () => undefined;
  family.answers.set("SECRET-TASK", () => new Promise((resolve) => (answer = resolve)));
  const probe = argvProbe();
  const running = family.parent("P-secrets", [subagent({ task: "keep SECRET-TASK", agent: "secretive" })], {
    args: ["-e", probe.path, "--api-key", "SECRET-KEY"],
  });
  const asked = () => family.server.turns.find(({ task }) => task.includes("SECRET-TASK"));
  await eventually(() => asked() !== undefined, "the child asks its model", 50_000);
  const shown = ["SECRET-TASK", "SECRET-PROMPT"].filter((secret) => runningWith(secret).length > 0);
  const files = filesBelow(at("tmp")).filter((path) => readFileSync(path, "utf8").includes("SECRET"));
  const modes = files.map((path) => [statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]);
  answer("the answer");
  const { ends } = await running;
  expect(asked()?.system).toContain("SECRET-PROMPT");
  expect(shown).toEqual([]);
  expect(probe.argvs()).toHaveLength(2);
  expect(probe.argvs().at(-1)?.join(" ")).not.toContain("SECRET");
  expect(modes).toEqual([[0o600, 0o700]]);
  expect(ends[0]?.text).toMatch(/Warning: the key given by --api-key is not passed to children/);
  expect(filesBelow(at("tmp")).filter((path) => path.includes("pi-ptc-prompt"))).toEqual([]);
}, 60_000);
