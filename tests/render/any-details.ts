/** Arbitrary input of rows: texts of the kinds that break terminals, any JSON, details right and wrong. */

import * as fc from "fast-check";
import type { Json } from "../../src/program/outcome.ts";
import type { ProgramDetails } from "../../src/render/details.ts";

const PIECES = [
  "\u001b[31m",
  "\u001b]8;;https://x.y\u0007link\u001b]8;;\u001b\\",
  "\u001b]0;title",
  "\u001bPq#0",
  "\u009b1m",
  "\u0000",
  "\u0007",
  "\u007f",
  "\u0085",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "\u2028",
  "\u202e",
  "\u200f",
  "\u200d",
  "\ufe0f",
  "\u20e3",
  "\u0301",
  "\u0e33",
  "\u0903",
  "\u115f",
  "\uff9e",
  "\ud800",
  "\udc00",
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "🇩",
  "❤️",
  "1",
  "#",
  "漢字",
  "한글",
  "שלום",
  "مرحبا",
  "é",
  "…",
  "├─",
  "<bg-task-notification ",
  "a",
  "word ",
];

/** Short texts made of pieces that terminals take badly, and any other. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 20 }),
  fc.tuple(fc.constantFrom(...PIECES), fc.nat(400)).map(([piece, times]) => piece.repeat(times)),
);
const texts = fc.array(text, { maxLength: 20 });
const count = fc.oneof(fc.nat(5_000), fc.constantFrom(0, 1, 1e15));

/** Any JSON, with such texts as keys and values. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie("value"), { maxLength: 9 }),
    fc.dictionary(text, tie("value"), { maxKeys: 9 }),
  ) as fc.Arbitrary<Json>,
})).value;

const call = fc.record(
  {
    id: fc.nat(),
    name: fc.oneof(text, fc.constant("pi.dispatch")),
    args: text,
    status: fc.constantFrom("queued", "running", "ok", "error", "canceled"),
    startedMs: count,
    durationMs: count,
    error: text,
    partial: text,
  },
  { requiredKeys: ["id", "name", "args", "status", "startedMs"] },
);

/** Details of programs as this version writes them, but for the value. */
export const programDetails: fc.Arbitrary<Omit<ProgramDetails, "value">> = fc.record(
  {
    tool: fc.constantFrom("ptc_run_code", "ptc_workflow"),
    description: text,
    running: fc.boolean(),
    result: text,
    code: fc.record({ lines: texts, total: count }),
    logs: texts,
    narrations: texts,
    phases: texts,
    totals: fc.record({ result: count, logs: count, narrations: count, phases: count, warnings: count }),
    phase: text,
    warnings: texts,
    subCalls: fc.array(call, { maxLength: 60 }),
    calls: fc.record({ total: fc.nat(10_000), failed: fc.nat(100) }),
    childCost: fc.double({ min: 0, max: 100, noNaN: true }),
    imageCount: count,
    durationMs: count,
    queuedMs: count,
    truncated: fc.constant(true as const),
    fullOutputPath: text,
    error: fc.record({
      kind: fc.constantFrom("exception", "abort", "timeout"),
      message: text,
      excerpt: text,
    }),
  },
  {
    requiredKeys: [
      "tool",
      "description",
      "running",
      "logs",
      "narrations",
      "phases",
      "warnings",
      "subCalls",
      "calls",
      "imageCount",
      "durationMs",
      "queuedMs",
    ],
  },
) as fc.Arbitrary<Omit<ProgramDetails, "value">>;

/** Details in which some fields are of any other kind. */
export const spoiled = (details: fc.Arbitrary<object>): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc
      .tuple(
        details,
        fc.dictionary(
          fc.constantFrom(
            "value",
            "calls",
            "subCalls",
            "logs",
            "error",
            "code",
            "totals",
            "durationMs",
            "tool",
            "phase",
            "progress",
            "result",
            "task",
            "tasks",
            "total",
            "output",
          ),
          json,
          { maxKeys: 4 },
        ),
      )
      .map(([right, wrong]) => ({ ...right, ...wrong })),
    json,
    fc.constant(undefined),
  );

const usage = fc.record({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: count,
  turns: count,
});
export const progress = fc.record(
  {
    agentName: text,
    turns: count,
    usage,
    tool: fc.record({ name: text, running: fc.boolean() }),
    lastText: text,
    elapsedMs: count,
  },
  { requiredKeys: ["agentName", "turns", "usage", "lastText", "elapsedMs"] },
);
const dispatch = fc.record(
  {
    status: fc.constantFrom("fulfilled", "rejected"),
    text,
    started: fc.boolean(),
    agentName: text,
    durationMs: count,
    report: fc.record({
      summary: text,
      findings: fc.array(fc.record({ what: text, evidence: text }), { maxLength: 25 }),
      files_touched: texts,
    }),
    usage,
    stderr: text,
    errorMessage: text,
    warnings: texts,
  },
  { requiredKeys: ["status", "text", "started", "agentName", "durationMs"] },
);

export const subagentDetails: fc.Arbitrary<object> = fc.oneof(
  progress.map((made) => ({ tool: "ptc_subagent", running: true, progress: made })),
  dispatch.map((made) => ({ tool: "ptc_subagent", running: false, result: made })),
);

export const task = fc.record(
  {
    id: text,
    label: text,
    agentName: text,
    depth: fc.nat(3),
    status: fc.oneof(fc.constantFrom("running", "stopping", "succeeded", "failed", "lost", "canceled"), text),
    createdAt: count,
    durationMs: count,
    outputBytes: count,
    errorMessage: text,
    outputPreview: text,
  },
  { requiredKeys: ["id", "label", "agentName", "depth", "status", "createdAt", "outputBytes"] },
);

export const taskDetails: fc.Arbitrary<object> = fc.oneof(
  fc.record({
    tool: fc.constant("ptc_task_list"),
    tasks: fc.array(task, { maxLength: 40 }),
    total: fc.nat(100),
    warnings: texts,
  }),
  fc.record({ tool: fc.constant("ptc_task_output"), task, output: text, truncated: fc.boolean(), at: count }),
  fc.record({ tool: fc.constant("ptc_task_stop"), task, fromStatus: text, stopReason: text }),
);

export const noticeDetails: fc.Arbitrary<object> = fc.record({ tasks: fc.array(task, { maxLength: 40 }) });
