/** How real children end, and the channels of their reports (spec 2.4, 2.7): one parent plays them all. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { DispatchResult } from "../../src/children/dispatch.ts";
import { isRunning } from "../faults/processes.ts";
import type { ModelAnswer, ModelTurn } from "../fixtures/model-server.ts";
import { dataOf, Family } from "./family.ts";
import { program } from "./real-pi.ts";

const ODD_CHILD = join(import.meta.dirname, "../fixtures/odd-child.ts");
/** Shells of every kind below the one that the child waits for. */
const SHELLS = "echo $$ > shells; setsid sleep 600 & echo $! >> shells; sleep 600 & echo $! >> shells; wait";
const DEADLINE_MS = 8_000;
const LONG_TASK = 2_000_000;

const report = (summary: string) => ({
  summary,
  findings: [{ what: "w", evidence: "e" }],
  files_touched: ["f"],
});
const reportCall = (payload: object): [string, object] => ["ptc_child_report", payload];
const fenced = (payload: object): string => `see\n\n\`\`\`json\n${JSON.stringify(payload)}\n\`\`\`\n`;
const bash = (command: string): ModelAnswer => ({ calls: [["bash", { command }]] });
const busy: ModelAnswer = { status: 429, error: "rate limited by the test" };
const then = (first: ModelAnswer, next: ModelAnswer) => (turn: ModelTurn) =>
  turn.results.length === 0 ? first : next;

/** A child by its task: how its model answers, and what else it is dispatched with. */
const CHILDREN: Record<string, { model: (turn: ModelTurn) => ModelAnswer; input?: object }> = {
  "stays after its answer": { model: () => "answered and stayed" },
  hangs: { model: () => ({ hang: true }), input: { timeoutMs: 5_000 } },
  "always busy": {
    model: then({ calls: [["read", { path: "none" }]], text: "half of it" }, busy),
  },
  "busy once": { model: ({ attempt }) => (attempt === 1 ? busy : "recovered") },
  "bad request": { model: () => ({ status: 400, error: "refused by the test" }) },
  "too long": { model: () => ({ text: "half an ans", finish: "length" }) },
  overflow: {
    model: () => ({
      status: 400,
      error: "maximum context length is 128000 tokens",
      code: "context_length_exceeded",
    }),
  },
  killed: { model: () => bash("sleep 600 & kill -9 $PPID; wait") },
  silent: { model: () => "" },
  "only reports": { model: then({ calls: [reportCall(report("no prose"))] }, "") },
  "exits badly": { model: () => "answered and failed" },
  "vanishes early": { model: () => "answered and vanished" },
  aborts: { model: then({ calls: [["odd_abort", {}]], text: "up to here" }, "never") },
  "ends on a call": { model: () => ({ calls: [["odd_last", {}]], text: "called and ended" }) },
  "helper holds the pipe": { model: () => "answered with a helper" },
  "reports twice": {
    model: ({ results }) =>
      [
        { calls: [reportCall({ ...report("first"), usage: { input: 1e6 } })] },
        { calls: [reportCall(report("second")), reportCall({ summary: "not whole" })] },
      ][results.length] ?? fenced(report("in prose")),
  },
  "reports in prose": { model: () => `${fenced(report("earlier"))}${fenced(report("in prose"))}` },
  "reports nothing": { model: () => "plain prose" },
  "is not asked": { model: () => fenced(report("unasked")), input: { agent: "mute" } },
};

let family: Family;
let shells: string[];
let overrun: DispatchResult;
let results: Record<string, DispatchResult>;
let longTask: string;

beforeAll(async () => {
  family = await Family.open();
  const { agentDir, cwd } = family.home.home;
  family.home.settings({ limits: { dispatchConcurrency: 32 } });
  family.piSettings({ retry: { maxRetries: 2, baseDelayMs: 20 } });
  mkdirSync(join(agentDir, "agents"));
  writeFileSync(join(agentDir, "agents", "mute.md"), "---\nchildReport: no\ntools: []\n---\nYou are mute.\n");
  family.answers.set("waits for shells", () => bash(SHELLS));
  family.answers.set("@swallow", () => "swallowed");
  for (const [task, { model }] of Object.entries(CHILDREN)) family.answers.set(task, model);
  const inputs = Object.entries(CHILDREN).map(([task, { input }]) => ({ task, ...input }));
  const code = `const overrun = tools["pi.dispatch"]({ task: "waits for shells", timeoutMs: ${DEADLINE_MS} });
    await tools.bash({ command: "until [ $(cat shells | wc -l) = 3 ]; do sleep 0.05; done", timeout: 20 });
    const results = await Promise.all(${JSON.stringify(inputs)}.map(async (input) => [input.task, await tools["pi.dispatch"](input)]));
    const { status } = await tools["pi.dispatch"]({ task: "@swallow " + "x".repeat(${LONG_TASK}) });
    return { overrun: await overrun, results: Object.fromEntries(results), longTask: status }`;
  const { ends } = await family.parent("P-endings", [program(code)], { args: ["-e", ODD_CHILD] });
  ({ overrun, results, longTask } = dataOf(ends[0])["value"] as {
    overrun: typeof overrun;
    results: typeof results;
    longTask: typeof longTask;
  });
  shells = readFileSync(join(cwd, "shells"), "utf8").split("\n").filter(Boolean);
  process.kill(Number(readFileSync(join(cwd, "helper.pid"), "utf8")));
}, 90_000);

afterAll(() => family.close());

describe("a real child is fulfilled when it", () => {
  test.each([
    ["was told 429 and recovered", "busy once", { text: "recovered", exitCode: 0 }],
    ["said nothing but handed a report over", "only reports", { text: "", reportChannel: "tool" }],
    [
      "left a process that holds its output open",
      "helper holds the pipe",
      { text: "answered with a helper" },
    ],
  ])("%s", (_what, task, expected) => {
    expect(results[task]).toMatchObject({ status: "fulfilled", started: true, ...expected });
    expect(results[task]).not.toHaveProperty("errorMessage");
  });

  test("was given a task of two megabytes, which reaches its model whole and as it is", () => {
    expect(longTask).toBe("fulfilled");
    const task = family.server.turns.find((turn) => turn.task.includes("@swallow"))?.task;
    expect(task).toBe(`Task: @swallow ${"x".repeat(LONG_TASK)}`);
  });

  test("answered and settled but does not exit, with a note", () => {
    const result = results["stays after its answer"];
    expect(result).toMatchObject({ status: "fulfilled", text: "answered and stayed" });
    expect(result?.warnings).toEqual([expect.stringContaining("did not exit by itself")]);
  });
});

describe("a real child is rejected when", () => {
  test.each([
    ["429 does not end", "always busy", "half of it", /rate limited by the test/],
    ["its model refuses", "bad request", "", /refused by the test/],
    ["the model's output limit cuts it off", "too long", "half an ans", /cut off/],
    ["its context overflows", "overflow", "", /maximum context length is 128000/],
    ["it hangs until its deadline", "hangs", "", /5000 ms/],
    ["it is aborted", "aborts", "up to here", /abort/],
    ["it ends on a tool call", "ends on a call", "called and ended", /cut off/],
    ["its output stops before it has settled", "vanishes early", "answered and vanished", /cut off/],
    ["it says nothing", "silent", "", /^dispatch produced no final text$/],
    [
      "it exits with another code than 0",
      "exits badly",
      "answered and failed",
      /code 7.*this is why it failed/s,
    ],
  ])("%s: the result names the cause and keeps its text", (_what, task, text, message) => {
    expect(results[task]).toMatchObject({ status: "rejected", started: true, text });
    expect(results[task]?.errorMessage).toMatch(message);
  });

  test("a signal kills it, which the result names", () => {
    expect(results["killed"]).toMatchObject({ status: "rejected", signal: "SIGKILL" });
    expect(results["killed"]?.errorMessage).toContain("SIGKILL");
    expect(results["killed"]).not.toHaveProperty("exitCode");
  });

  test("its model fails although pi exits with 0, after the retries of pi's settings", () => {
    expect(results["always busy"]?.exitCode).toBe(0);
    expect(results["bad request"]?.exitCode).toBe(0);
    const refused = family.server.turns.filter(
      ({ task, results: of }) => task.includes("always busy") && of.length > 0,
    );
    expect(refused).toHaveLength(3);
  });

  test("its deadline ends it with every shell below it", () => {
    expect(overrun).toMatchObject({
      status: "rejected",
      errorMessage: expect.stringContaining(`${DEADLINE_MS} ms`),
    });
    expect(shells).toHaveLength(3);
    expect(shells.filter((pid) => isRunning(Number(pid)))).toEqual([]);
  });

  test("and of all of them nothing is left", async () => {
    // What was just killed takes its time to go.
    await vi.waitFor(() => expect([...family.leftOver, ...family.promptFiles]).toEqual([]));
  });
});

describe("the report of a real child", () => {
  test("is that of its last valid call, whatever its prose holds, with usage as its parent counted it", () => {
    expect(results["reports twice"]).toMatchObject({
      status: "fulfilled",
      reportChannel: "tool",
      text: fenced(report("in prose")),
      report: { ...report("second"), usage: { input: 300, output: 21, turns: 3 } },
    });
  });

  test("is the last fenced one of its prose when it called no tool, and the prose stays whole", () => {
    expect(results["reports in prose"]).toMatchObject({
      reportChannel: "prompt-json",
      text: `${fenced(report("earlier"))}${fenced(report("in prose"))}`,
      report: report("in prose"),
    });
  });

  test("is missing when it gives none, which fails nothing", () => {
    expect(results["reports nothing"]).toMatchObject({
      status: "fulfilled",
      reportChannel: "none",
      text: "plain prose",
    });
    expect(results["reports nothing"]).not.toHaveProperty("report");
  });

  test("is not asked for when its agent opts out, which has no tools with an empty list", () => {
    expect(results["is not asked"]).toMatchObject({
      status: "fulfilled",
      reportChannel: "opted-out",
      text: fenced(report("unasked")),
    });
    expect(results["is not asked"]).not.toHaveProperty("report");
    const asked = (task: string) => family.server.turns.find((turn) => turn.task === `Task: ${task}`);
    expect(asked("is not asked")?.tools).toEqual([]);
    expect(asked("is not asked")?.system).not.toContain("files_touched");
    expect(asked("reports nothing")?.system).toContain("files_touched");
  });
});
