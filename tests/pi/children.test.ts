/** Real children: a real parent pi and real child pis, all on one scripted model on loopback (spec 2; issue "CHILDREN"). */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ModelAnswer,
  type ModelServer,
  type ModelTurn,
  startModelServer,
} from "../fixtures/model-server.ts";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import { runPi } from "../package/pi-process.ts";
import { endsOf, type PiEvent, PiHome, program, type ToolEnd } from "./real-pi.ts";

let home: PiHome;
let server: ModelServer;
/** How the model answers, by the task it was given. */
const answers = new Map<string, (turn: ModelTurn) => ModelAnswer>();

beforeAll(async () => {
  server = await startModelServer((turn) => {
    for (const [task, answer] of answers) if (turn.task.includes(task)) return answer(turn);
    return `unknown task ${turn.task.slice(0, 100)}`;
  });
  home = await PiHome.open();
  server.configure(home.home.agentDir);
});

afterAll(async () => {
  await server.close();
  home.close();
});

interface Session {
  ends: ToolEnd[];
  nested: ToolEnd[];
  events: PiEvent[];
  code: number;
  stderr: string;
}

/** One prompt to a parent pi; the model plays `steps` as its calls, then stops. */
async function parent(
  prompt: string,
  steps: { name: string; args: object }[],
  options: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<Session> {
  answers.set(prompt, ({ results }) => {
    const step = steps[results.length];
    return step ? { calls: [[step.name, step.args]] } : "parent done";
  });
  const args = [
    ...(options.args ?? []),
    "--model",
    "loop/m1",
    "--no-session",
    "--mode",
    "json",
    "-p",
    prompt,
  ];
  const { code, stdout, stderr } = await runPi(home.home, args, options.env);
  expect(markedProcesses()).toEqual([]);
  const events = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as PiEvent);
  return { code, stderr, events, ...endsOf(events) };
}

/** Processes that any child of these tests left behind. */
function markedProcesses(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      return environment.includes(`\0${RUN_MARKER}=`) && environment.includes(home.home.root);
    } catch {
      return false;
    }
  });
}

const subagent = (args: object): { name: string; args: object } => ({ name: "ptc_subagent", args });
const dataOf = (end: ToolEnd | undefined): Record<string, unknown> => end?.result.structuredContent ?? {};

describe("a child of a real pi", () => {
  test("answers the model, with report, usage and its own context", async () => {
    const report = { summary: "read it", findings: [{ what: "a", evidence: "b" }], files_touched: [] };
    answers.set("survey the auth code", ({ results, tools }) => {
      expect(tools).toContain("ptc_child_report");
      return results.length === 0 ? { calls: [["ptc_child_report", report]] } : "the auth code is fine";
    });
    const { ends } = await parent("P-answer", [subagent({ task: "survey the auth code" })]);
    expect(ends[0]).toMatchObject({ name: "ptc_subagent", isError: false });
    expect(dataOf(ends[0])).toMatchObject({
      status: "fulfilled",
      report_channel: "tool",
      exit_code: 0,
      text: "the auth code is fine",
      report: { summary: "read it", findings: [{ what: "a", evidence: "b" }], files_touched: [] },
      usage: { input: 200, output: 14, turns: 2 },
    });
    expect(ends[0]?.text).toContain("the auth code is fine");
    const child = server.turns.find((turn) => turn.task.includes("survey the auth code"));
    expect(child?.task).toBe("Task: survey the auth code");
    expect(child?.messages.some(({ content }) => JSON.stringify(content).includes("P-answer"))).toBe(false);
    expect(child?.system).toContain('<pi-ptc-context depth="1" max-depth="3">');
  });

  test("is fanned out to by a program, eight at once, and their reports add up", async () => {
    for (let n = 1; n <= 8; n += 1) {
      const report = {
        summary: `part ${n}`,
        findings: Array.from({ length: n }, (_, i) => ({ what: `f${i}`, evidence: "e" })),
        files_touched: [],
      };
      answers.set(`count part ${n} of`, ({ results }) =>
        results.length === 0 ? { calls: [["ptc_child_report", report]] } : `part ${n} done`,
      );
    }
    const code = `const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => tools["pi.dispatch"]({ task: \`count part \${n} of it\` })));
      return { findings: all.reduce((sum, r) => sum + r.report.findings.length, 0), statuses: [...new Set(all.map((r) => r.status))], texts: all.map((r) => r.text), content: all.some((r) => "content" in r) }`;
    const { ends, nested } = await parent("P-eight", [program(code)]);
    expect(dataOf(ends[0])["value"]).toEqual({
      findings: 36,
      statuses: ["fulfilled"],
      texts: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `part ${n} done`),
      content: false,
    });
    expect(nested.filter(({ name }) => name === "ptc_subagent")).toHaveLength(8);
  }, 60_000);

  test("is refused over the limit of children at once, with a warning on the run, and no slot leaks", async () => {
    answers.set("slow task", () => "slow done");
    home.settings({ limits: { dispatchConcurrency: 2 } });
    const code = `const first = await Promise.all([1, 2, 3].map(() => tools["pi.dispatch"]({ task: "slow task" })));
      const second = await tools["pi.dispatch"]({ task: "slow task" });
      return { first: first.map((r) => [r.status, r.started]), message: first.find((r) => !r.started).errorMessage, second: second.status }`;
    const { ends } = await parent("P-refused", [program(code)]);
    home.settings({});
    const value = dataOf(ends[0])["value"] as { first: unknown; message: string; second: string };
    expect(value.first).toEqual([
      ["fulfilled", true],
      ["fulfilled", true],
      ["rejected", false],
    ]);
    expect(value.message).toMatch(/^dispatch concurrency limit reached/);
    expect(value.second).toBe("fulfilled");
    expect(ends[0]?.text).toMatch(/Warning: a dispatch was refused: dispatch concurrency limit reached/);
  }, 60_000);

  test("may write a program of its own, and nest three deep but no deeper", async () => {
    const nest = (level: number): string =>
      `const r = await tools["pi.dispatch"]({ task: "go to level ${level}" }); return level${level}(r)`.replace(
        /level\d\(r\)/,
        "r.status + ': ' + (r.errorMessage ?? r.text)",
      );
    for (const level of [1, 2, 3]) {
      answers.set(`go to level ${level}`, ({ results }) =>
        results.length === 0
          ? { calls: [["ptc_run_code", { code: nest(level + 1), description: "nests" }]] }
          : (results[0]?.split("\n")[0] ?? ""),
      );
    }
    const { ends } = await parent("P-nest", [program(nest(1))]);
    const text = String(dataOf(ends[0])["value"]);
    expect(text).toMatch(/^fulfilled: fulfilled: fulfilled: rejected: dispatch depth limit reached/);
  }, 60_000);

  test.each([
    [
      "a model error",
      "task bad request",
      { status: 400, error: "bad request body" } as ModelAnswer,
      /bad request body/,
    ],
    [
      "an answer that was cut off",
      "task too long",
      { text: "half an ans", finish: "length" } as ModelAnswer,
      /cut off|length/,
    ],
    [
      "a context overflow",
      "task overflow",
      {
        status: 400,
        error: "maximum context length is 128000 tokens",
        code: "context_length_exceeded",
      } as ModelAnswer,
      /context/,
    ],
  ])(
    "that ends in %s is rejected with the reason",
    async (_name, task, answer, message) => {
      answers.set(task, () => answer);
      const { ends } = await parent(`P-${task.replaceAll(" ", "-")}`, [subagent({ task })]);
      expect(ends[0]?.isError).toBe(true);
      expect(dataOf(ends[0])).toMatchObject({ status: "rejected" });
      expect(ends[0]?.text).toMatch(message);
    },
    60_000,
  );

  test("that is told 429 once recovers and is fulfilled", async () => {
    answers.set("task busy once", ({ attempt }) =>
      attempt === 1 ? { status: 429, error: "rate limited" } : "recovered",
    );
    const { ends } = await parent("P-429", [subagent({ task: "task busy once" })]);
    expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled", text: "recovered" });
  }, 60_000);

  test("that hangs is stopped at its deadline", async () => {
    answers.set("task hangs", () => ({ hang: true }));
    const { ends } = await parent("P-hang", [subagent({ task: "task hangs", timeoutMs: 3_000 })]);
    expect(dataOf(ends[0])).toMatchObject({ status: "rejected" });
    expect(ends[0]?.text).toContain("3000 ms");
  }, 60_000);

  test("obeys a gate that the parent was given by -e", async () => {
    const gate = join(home.home.root, "gate.ts");
    writeFileSync(
      gate,
      'export default (pi) => { pi.on("tool_call", (event) => event.toolName === "bash" ? { block: true, reason: "no bash says the gate" } : undefined); };\n',
    );
    answers.set("task wants bash", ({ results }) =>
      results.length === 0 ? { calls: [["bash", { command: "echo hi" }]] } : `bash said ${results[0]}`,
    );
    const { ends } = await parent("P-gate", [subagent({ task: "task wants bash" })], { args: ["-e", gate] });
    expect(String(dataOf(ends[0])["text"])).toContain("no bash says the gate");
  }, 60_000);

  test("can be blocked by a gate before it starts; a program gets a rejected result", async () => {
    const gate = join(home.home.root, "no-children.ts");
    writeFileSync(
      gate,
      'export default (pi) => { pi.on("tool_call", (event) => event.toolName === "ptc_subagent" ? { block: true, reason: "no children here" } : undefined); };\n',
    );
    const code =
      'const r = await tools["pi.dispatch"]({ task: "never" }); return [r.status, r.started, r.errorMessage]';
    const { ends } = await parent("P-no-children", [program(code)], { args: ["-e", gate] });
    expect(dataOf(ends[0])["value"]).toEqual(["rejected", false, "no children here"]);
  });

  test("has its answer taken from what another extension made of it", async () => {
    const redactor = join(home.home.root, "redactor.ts");
    writeFileSync(
      redactor,
      'export default (pi) => { pi.on("tool_result", (event) => event.toolName === "ptc_subagent" ? { content: [{ type: "text", text: "[redacted]" }] } : undefined); };\n',
    );
    answers.set("task with a secret", () => "the secret is 42");
    const code =
      'const r = await tools["pi.dispatch"]({ task: "task with a secret" }); return { text: r.text, report: r.report ?? null, stderr: r.stderr ?? null, warnings: r.warnings.length }';
    const { ends } = await parent("P-redact", [program(code)], { args: ["-e", redactor] });
    expect(dataOf(ends[0])["value"]).toEqual({ text: "[redacted]", report: null, stderr: null, warnings: 1 });
    expect(ends[0]?.text).not.toContain("42");
  }, 60_000);

  test("that is read-only can neither write nor run commands, and says its tier", async () => {
    answers.set("task tries to write", ({ results, tools }) => {
      if (results.length > 0) return `tools ${tools.join(",")}; ${results.join(" | ")}`;
      return {
        calls: [
          ["write", { path: "x.txt", content: "x" }],
          ["bash", { command: "touch y.txt" }],
        ],
      };
    });
    const { ends } = await parent("P-read-only", [subagent({ task: "task tries to write", readOnly: true })]);
    expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled", read_only_tier: "enforced" });
    expect(String(dataOf(ends[0])["text"])).toMatch(/^tools read,(grep,find,ls,)?ptc_child_report/);
    expect(readdirSync(home.home.cwd)).not.toContain("x.txt");
    expect(readdirSync(home.home.cwd)).not.toContain("y.txt");
  }, 60_000);

  test("runs as an agent: its prompt, its tools, its name; an unknown one is refused with what there is", async () => {
    mkdirSync(join(home.home.agentDir, "agents"), { recursive: true });
    writeFileSync(
      join(home.home.agentDir, "agents", "scout.md"),
      "---\nname: scout\ndescription: Finds things fast\ntools: read\nchildReport: false\n---\nYou are the scout.\n",
    );
    answers.set(
      "task for the scout",
      ({ tools, system }) => `${tools.join(",")} ${system.includes("You are the scout.")}`,
    );
    const { ends } = await parent("P-agent", [
      subagent({ task: "task for the scout", agent: "scout" }),
      subagent({ task: "x", agent: "nobody" }),
    ]);
    expect(dataOf(ends[0])).toMatchObject({
      status: "fulfilled",
      report_channel: "opted-out",
      text: "read true",
    });
    expect(ends[1]?.isError).toBe(true);
    expect(ends[1]?.result.structuredContent).toBeUndefined();
    expect(ends[1]?.text).toMatch(/nobody.*scout/s);
  }, 60_000);

  test("reaches scripts of codemode as an object, and a refusal as a rejection", async () => {
    answers.set("task from a script", () => "for the script");
    const code = `const r = await tools.ptc_subagent({ task: "task from a script" });
      let refused; try { await tools.ptc_subagent({ task: " " }) } catch (error) { refused = error.message }
      return JSON.stringify([typeof r, r.status, r.text, refused])`;
    const { ends } = await parent("P-codemode", [{ name: "codemode", args: { code } }], {
      args: ["--tools", "+codemode"],
    });
    const line = ends[0]?.text.split("\n").find((candidate) => candidate.startsWith("[")) ?? "[]";
    const [kind, status, text, refused] = JSON.parse(line) as string[];
    expect([kind, status, text]).toEqual(["object", "fulfilled", "for the script"]);
    expect(refused).toMatch(/task/);
  }, 60_000);

  test("counts its usage once in the session's totals", async () => {
    answers.set("task that costs", () => "cheap");
    const { events } = await parent("P-usage", [
      program('return (await tools["pi.dispatch"]({ task: "task that costs" })).usage.input'),
    ]);
    const result = events.find(
      (event) =>
        event.type === "message_end" && (event["message"] as { role?: string }).role === "toolResult",
    );
    expect((result?.["message"] as { usage?: { input: number } }).usage?.input).toBe(100);
  }, 60_000);
});
