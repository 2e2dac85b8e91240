/** Every state of a program's row, for preview, pictures and bench. Details are made by the code that makes them in a session. */

import type { PtcRunOutcome, RunProgress, SubCallRecord } from "../../src/program/outcome.ts";
import type { ProgramDetails } from "../../src/render/details.ts";
import { finalDetails, partialDetails } from "../../src/tools/program-details.ts";
import type { RowSample } from "./pi-row.ts";

const CODE = `const files = await tools.find({ pattern: "**/*.ts" });
const hits = [];
for (const file of files) {
  const { content } = await tools.read({ path: file });
  if (content[0].text.includes("AssistantMessageComponent")) hits.push(file);
}
return { file: hits[0], total: hits.length };`;
const DESCRIPTION = "Find AssistantMessageComponent instantiations";
const ARGS = { code: CODE, description: DESCRIPTION };
const TITLE = { tool: "ptc_run_code", description: DESCRIPTION, source: CODE } as const;

const VALUE = {
  file: "chat-viewport.ts",
  instantiations: [23, 47, 91].map((line) => ({ file: "chat-viewport.ts", line })),
  totalLines: 47,
};
const DEEP = {
  多言語: { 日本語: "こんにちは世界", "👩‍👩‍👧‍👦": "family", "tab\tkey": "a\tb" },
  levels: { one: { two: { three: { four: { five: 1 } } } } },
  many: Array.from({ length: 40 }, (_, index) => ({ index, words: ["a", "b"], text: "x".repeat(index * 9) })),
  "multi\nline": "first line\nsecond line",
  wide: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`key${index}`, index])),
};

const call = (id: number, more: Partial<SubCallRecord> = {}): SubCallRecord => ({
  id,
  name: "read",
  args: `src/chat/file-${id}.ts`,
  status: "ok",
  startedMs: id * 10,
  durationMs: 12,
  ...more,
});
const CALLS = [
  call(1, { name: "find", args: "**/*.ts", durationMs: 41 }),
  call(2),
  call(3, {
    name: "bash",
    args: "npm test",
    status: "error",
    error: "Command exited with code 1",
    durationMs: 1_204,
  }),
  call(4, { name: "pi.dispatch", args: "→ scout: review auth", durationMs: 12_420 }),
];

export const OUTCOME: PtcRunOutcome = {
  ok: true,
  text: "text",
  value: VALUE,
  valueOmitted: false,
  valuePreview: "text",
  logs: "scanned 120 files\n",
  logsTruncated: false,
  narrations: [],
  phases: [],
  warnings: [],
  subCalls: [],
  calls: { total: 0, failed: 0 },
  images: [],
  imageCount: 0,
  store: {},
  durationMs: 1_420,
  queuedMs: 0,
};

const withCalls = { subCalls: CALLS, calls: { total: 4, failed: 1 } };
const rich: Partial<PtcRunOutcome> = {
  ...withCalls,
  logs: Array.from({ length: 30 }, (_, line) => `console line ${line + 1}`).join("\n"),
  narrations: ["looking for files", "reading them"],
  phases: ["Collect", "Read", "Report"],
  warnings: ["a dispatch was refused: dispatch concurrency limit reached"],
  imageCount: 1,
};
const failed = (kind: "exception" | "abort", message: string): Partial<PtcRunOutcome> => ({
  ok: false,
  value: undefined,
  valuePreview: "",
  error: {
    kind,
    message,
    excerpt: "4 | const { content } = await tools.read({ path: file });\n  |                               ^",
  },
});

const final = (more: Partial<PtcRunOutcome>, childCost = 0): ProgramDetails => {
  const outcome = { ...OUTCOME, ...more };
  return finalDetails(TITLE, outcome, { warnings: outcome.warnings, childCost });
};
const progress = (more: Partial<RunProgress>): ProgramDetails =>
  partialDetails(TITLE, {
    subCalls: [],
    calls: { total: 0, failed: 0 },
    phases: [],
    narrations: [],
    logs: [],
    elapsedMs: 3_400,
    ...more,
  });

const result = (details: unknown, isError = false) => ({
  content: [{ type: "text", text: "text" }],
  details,
  isError,
});
const program = (name: string, details: unknown, more: Partial<RowSample> = {}): RowSample => ({
  name,
  tool: "program",
  args: ARGS,
  result: result(details),
  ...more,
});
const failure = (name: string, details: unknown, more: Partial<RowSample> = {}): RowSample =>
  program(name, details, { result: result(details, true), ...more });

const LIVE_CALLS = [
  ...CALLS.slice(0, 3),
  call(4, {
    name: "pi.dispatch",
    args: "→ scout: review auth",
    status: "running",
    durationMs: undefined,
    startedMs: 400,
    partial: "turn 3: running grep",
  }),
  call(5, { status: "queued", durationMs: undefined }),
];

export const PROGRAM_SAMPLES: RowSample[] = [
  program("call without a result yet", undefined, { result: undefined }),
  program("started", progress({}), { isPartial: true }),
  program(
    "running, with calls and a phase",
    progress({
      subCalls: LIVE_CALLS,
      calls: { total: 5, failed: 1 },
      phases: ["Collect", "Read"],
      narrations: ["reading 120 files"],
    }),
    { isPartial: true },
  ),
  program(
    "running, expanded",
    progress({
      subCalls: LIVE_CALLS,
      calls: { total: 5, failed: 1 },
      phases: ["Collect", "Read"],
      narrations: ["reading 120 files"],
      logs: ["one", "two"],
    }),
    { isPartial: true, isExpanded: true },
  ),
  program("done: a tree", final({})),
  program("done: a scalar", final({ value: 47, logs: "" })),
  program("done: an empty object", final({ value: {} })),
  program("done: few scalars", final({ value: { file: "a.ts", line: 12 } })),
  program("done: nothing returned", final({ value: undefined, valuePreview: "" })),
  program(
    "done: a text of many lines",
    final({ value: "first line\nsecond line\nthird", valuePreview: "first line\nsecond line\nthird" }),
  ),
  program("done: deep, wide and foreign scripts", final({ value: DEEP })),
  program(
    "done: value too large for JSON",
    final({
      value: undefined,
      valueOmitted: true,
      valuePreview: "[1, 2, 3, 4",
      fullOutputPath: "/nowhere/ptc-1.txt",
    }),
  ),
  program("done, with calls, facts and cost", final(rich, 0.0421)),
  program("done, expanded", final({ ...rich, fullOutputPath: import.meta.filename }, 0.0421), {
    isExpanded: true,
  }),
  program(
    "done: ten thousand calls",
    final({
      subCalls: Array.from({ length: 200 }, (_, index) =>
        call(index + 9_800, index % 70 === 0 ? { status: "error", error: "ENOENT" } : {}),
      ),
      calls: { total: 10_000, failed: 9 },
    }),
  ),
  failure(
    "failed",
    final({ ...failed("exception", "Cannot read properties of undefined (reading 'text')"), ...withCalls }),
  ),
  failure(
    "failed, expanded",
    final({ ...failed("exception", "Cannot read properties of undefined (reading 'text')"), ...withCalls }),
    { isExpanded: true },
  ),
  failure("canceled", final({ ...failed("abort", "the run was aborted"), ...withCalls })),
  program("interrupted: the call alone", undefined, { result: undefined, isOrphan: true }),
  program("interrupted: a partial result that was stored", progress(withCalls)),
  program("old details", { tool: "ptc_run_code", result: "47", durationMs: 12 }),
  {
    ...program("missing details", undefined),
    result: { content: [{ type: "text", text: "47\nWarning: x" }], details: undefined },
  },
  {
    ...failure("blocked by a gate", {}),
    result: { content: [{ type: "text", text: "gate says no" }], details: {}, isError: true },
  },
  {
    ...program("workflow", { ...final(rich), tool: "ptc_workflow" }),
    tool: "workflow",
    args: { meta: { name: "Review the change" }, script: CODE },
  },
];
