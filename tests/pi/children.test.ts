/** What comes back of real children, and how many there may be (spec 2.5, 2.6). */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { dataOf, Family, subagent } from "./family.ts";
import { program } from "./real-pi.ts";

let family: Family;

beforeAll(async () => {
  family = await Family.open();
});

afterEach(() => family.expectNothingLeft());

afterAll(() => family.close());

describe("a child of a real pi", () => {
  test("answers the model, with report, usage and its own context", async () => {
    const report = { summary: "read it", findings: [{ what: "a", evidence: "b" }], files_touched: [] };
    family.answers.set("survey the auth code", ({ results, tools }) => {
      expect(tools).toContain("ptc_child_report");
      return results.length === 0 ? { calls: [["ptc_child_report", report]] } : "the auth code is fine";
    });
    const { ends } = await family.parent("P-answer", [subagent({ task: "survey the auth code" })]);
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
    const child = family.server.turns.find((turn) => turn.task.includes("survey the auth code"));
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
      family.answers.set(`count part ${n} of`, ({ results }) =>
        results.length === 0 ? { calls: [["ptc_child_report", report]] } : `part ${n} done`,
      );
    }
    const code = `const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => tools["pi.dispatch"]({ task: \`count part \${n} of it\` })));
      return { findings: all.reduce((sum, r) => sum + r.report.findings.length, 0), statuses: [...new Set(all.map((r) => r.status))], texts: all.map((r) => r.text), content: all.some((r) => "content" in r) }`;
    const { ends, nested } = await family.parent("P-eight", [program(code)]);
    expect(dataOf(ends[0])["value"]).toEqual({
      findings: 36,
      statuses: ["fulfilled"],
      texts: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `part ${n} done`),
      content: false,
    });
    expect(nested.filter(({ name }) => name === "ptc_subagent")).toHaveLength(8);
  }, 60_000);

  test("is refused over the limit of children at once, with a warning on the run, and no slot leaks", async () => {
    family.answers.set("slow task", () => "slow done");
    family.home.settings({ limits: { dispatchConcurrency: 2 } });
    const code = `const first = await Promise.all([1, 2, 3].map(() => tools["pi.dispatch"]({ task: "slow task" })));
      const second = await tools["pi.dispatch"]({ task: "slow task" });
      return { first: first.map((r) => [r.status, r.started]), message: first.find((r) => !r.started).errorMessage, second: second.status }`;
    const { ends } = await family.parent("P-refused", [program(code)]);
    family.home.settings({});
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
      family.answers.set(`go to level ${level}`, ({ results }) =>
        results.length === 0
          ? { calls: [["ptc_run_code", { code: nest(level + 1), description: "nests" }]] }
          : (results[0]?.split("\n")[0] ?? ""),
      );
    }
    const { ends } = await family.parent("P-nest", [program(nest(1))]);
    const text = String(dataOf(ends[0])["value"]);
    expect(text).toMatch(/^fulfilled: fulfilled: fulfilled: rejected: dispatch depth limit reached/);
  }, 60_000);
});
