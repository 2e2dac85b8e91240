/** Rows of `ptc_subagent`. */

import { expect, test } from "vitest";
import { drawSubagent, subagentTitle } from "../../src/render/subagent-row.ts";
import { plainPen, SCREEN } from "./canvas.ts";

const usage = { input: 41_200, output: 3_100, cacheRead: 12_000, cacheWrite: 0, cost: 0.0421, turns: 4 };
const progress = { agentName: "scout", turns: 4, usage, lastText: "Looking", elapsedMs: 14_200 };
const result = {
  status: "fulfilled",
  text: "I looked.\nAll of it.",
  started: true,
  agentName: "scout",
  durationMs: 15_100,
  reportChannel: "tool",
  report: {
    summary: "Two places.",
    findings: [{ what: "no check", evidence: "a.ts:4" }],
    files_touched: ["a.ts"],
  },
  usage,
  warnings: ["dropped a tool"],
};
const rows = (details: unknown, more: object = {}): string[] =>
  drawSubagent(
    plainPen(),
    details,
    { isExpanded: false, isPartial: false, isError: false, content: [], ...more },
    80,
  );
const done = (more: object) => ({ tool: "ptc_subagent", running: false, result: { ...result, ...more } });

test.each([
  [{ agent: "scout", label: "audit", task: "x" }, "scout: audit"],
  [{ agent: "scout", task: "\n Look at\nall" }, "scout: Look at"],
  [{ task: "Look" }, "Look"],
  [{ agent: "scout" }, "scout"],
  [undefined, ""],
])("%j is introduced by %j", (args, title) => expect(subagentTitle(SCREEN, args)).toBe(title));

test.each([
  [
    { tool: { name: "grep", running: true } },
    /^ {2}● scout running grep +• 4 turns · 56k tokens · \$0\.0421 · 14s$/,
  ],
  [{ tool: { name: "grep", running: false } }, /^ {2}● scout Looking /],
  [{ tool: { name: "grep", running: false }, lastText: "" }, /^ {2}● scout ran grep /],
  [{ lastText: "" }, /^ {2}● scout starting /],
])("a running child says what it does: %j", (more, row) => {
  expect(rows({ running: true, progress: { ...progress, ...more } }, { isPartial: true })).toEqual([
    expect.stringMatching(row),
  ]);
});

test.each([
  [{}, /^ {2}✓ Two places\. +• 1 warning · 4 turns · 56k tokens · \$0\.0421 · 15\.10s$/],
  [{ report: undefined }, /^ {2}✓ I looked\. /],
  [{ report: undefined, text: "" }, /^ {2}✓ done /],
  [{ status: "rejected", errorMessage: "killed by\nSIGKILL" }, /^ {2}failed: killed by/],
  [{ status: "rejected", started: false, errorMessage: "no such agent" }, /^ {2}refused: no such agent/],
])("a child that ended says what came of it: %j", (more, row) => {
  expect(rows(done(more))).toEqual([expect.stringMatching(row)]);
});

test("expanded, it shows report, answer and warnings", () => {
  expect(rows(done({}), { isExpanded: true }).slice(1)).toEqual([
    "  ├─ findings (1)",
    "  │     no check ← a.ts:4",
    "  ├─ files touched (1)",
    "  │     a.ts",
    "  ├─ answer (2)",
    "  │     I looked.",
    "  │     All of it.",
    "  └─ warnings (1)",
    "        dropped a tool",
  ]);
});

test("expanded, a failed one shows its error and the end of its error stream", () => {
  const stderr = Array.from({ length: 15 }, (_, at) => `line ${at + 1}`).join("\n");
  const drawn = rows(
    done({ status: "rejected", errorMessage: "killed", stderr, report: undefined, warnings: undefined }),
    { isExpanded: true },
  );
  expect(drawn.slice(1, 3)).toEqual(["  ├─ error (1)", "  │     killed"]);
  expect(drawn.slice(-14, -11)).toEqual(["  └─ stderr (15)", "        …+3 earlier lines", "        line 4"]);
});

test("one turn and one token are told as one", () => {
  const little = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 1 };
  expect(rows(done({ usage: little, warnings: [] }))[0]).toMatch(/• 1 turn · 1 token · 15\.10s$/);
});

test("expanded, it cuts neither the error of a failed one nor a warning", () => {
  const long = (word: string): string => `${word} ${"word ".repeat(60)}END`;
  const drawn = rows(
    done({ status: "rejected", errorMessage: long("killed"), report: undefined, warnings: [long("heed")] }),
    { isExpanded: true },
  ).slice(1);
  expect(drawn.join("")).not.toContain("…");
  expect(drawn.filter((row) => row.endsWith("END"))).toHaveLength(2);
});

test("one in the background says so, with its id", () => {
  const handle = { taskId: "01J9", label: "audit", status: "running" };
  expect(rows({ tool: "ptc_subagent", running: false, handle })).toEqual([
    expect.stringMatching(/^ {2}● started in the background +• 01J9$/),
  ]);
});

test("a stored partial result was interrupted", () => {
  expect(rows({ running: true, progress })[0]).toMatch(/^ {2}interrupted: the child did not end +• 4 turns/);
});

test("other details show the result's text", () => {
  expect(rows({}, { content: "blocked", isError: true })).toEqual(["  failed: blocked"]);
});
