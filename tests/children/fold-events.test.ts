import fc from "fast-check";
import { expect, test } from "vitest";
import { ChildFold } from "../../src/children/fold-events.ts";
import { LineReader } from "../../src/children/line-reader.ts";
import {
  answer,
  call,
  CLEAN_EXIT,
  concluded,
  folded,
  line,
  MiB,
  opening,
  report,
  settled,
  runEnd,
  text,
  told,
  toolCall,
  usage,
  whole,
} from "./child-lines.ts";

test("the answer is every text part of the last message that has text", () => {
  const lines = whole(
    ...answer([text("Let me look."), toolCall("c1", "bash")], { stopReason: "toolUse" }),
    ...call("c1", "bash"),
    ...told("c1", "bash"),
    ...answer([
      text("The first part."),
      { type: "thinking", thinking: "no part of it" },
      text("The second part."),
    ]),
    ...answer([text(" \n ")]),
  );
  expect(concluded(lines)).toMatchObject({
    status: "fulfilled",
    text: "The first part.\nThe second part.",
  });
});

test("the last valid report by the tool wins over earlier ones, broken ones and the answer's", () => {
  const handIn = (id: string, more: object): string[] => [
    ...call(id, "ptc_child_report", more),
    ...told(id, "ptc_child_report"),
  ];
  const of = (summary: string): object => ({
    result: { structuredContent: { ...report, summary, extra: 1 } },
  });
  const inText = `Done.\n\n\`\`\`json\n${JSON.stringify({ ...report, summary: "in text" })}\n\`\`\`\n`;
  const lines = whole(
    ...handIn("c1", of("first")),
    ...handIn("c2", of("second")),
    ...handIn("c3", { result: { structuredContent: { summary: "no findings" } } }),
    ...handIn("c4", { ...of("failed"), isError: true }),
    ...handIn("c5", {}),
    ...answer([text(inText)]),
  );
  expect(concluded(lines, { reportExpected: true })).toMatchObject({
    status: "fulfilled",
    text: inText,
    reportChannel: "tool",
    report: { ...report, summary: "second", usage: { input: 100, output: 10, cost: 0.5, turns: 1 } },
  });
  const withoutTool = concluded(whole(...answer([text(inText)])), { reportExpected: true });
  expect(withoutTool).toMatchObject({
    reportChannel: "prompt-json",
    report: { summary: "in text" },
    text: inText,
  });
  const without = concluded(whole(...answer([text("Prose.")])), { reportExpected: true });
  expect(without).toMatchObject({ status: "fulfilled", reportChannel: "none", text: "Prose." });
  expect(without).not.toHaveProperty("report");
});

test("what cannot be read is counted, once a kind, and costs nothing else", () => {
  const fold = folded([
    "npm warn something",
    "[not json",
    "",
    "   ",
    "null",
    "[]",
    "7",
    "{}",
    '{"type":5}',
    '{"type":"message_end"}',
    '{"type":"message_end","message":[]}',
    '{"type":"tool_execution_start"}',
    '{"type":"tool_execution_end","toolCallId":"x"}',
    '{"type":"brand_new"}',
    '{"type":"newer\\u001b[31m"}',
    '{"type":"compaction_end","result":{"usage":null}}',
    '{"type":"compaction_end","aborted":true}',
    ...whole(...answer([text("Done.")], { usage: null })),
    '{"type":"agent_settled","abor',
  ]);
  fold.skipped("too-long", 40_000_000);
  fold.skipped("too-long", 2_000_000);
  const result = fold.conclude(CLEAN_EXIT, { stderrTail: "", reportExpected: false });
  expect(result).toMatchObject({ status: "fulfilled", text: "Done.", usage: { input: 0, turns: 1 } });
  expect(result.warnings).toEqual([
    "3 lines of the child's output skipped: no JSON",
    "3 lines of the child's output skipped: no JSON object",
    "6 lines of the child's output read only in part: a field is missing or of a wrong type",
    '2 lines of the child\'s output skipped: unknown type, first "brand_new"',
    "2 lines of the child's output counted without usage: it is missing or no object",
    "2 lines of the child's output skipped: too long, 42000000 bytes together",
  ]);
});

test("every event of pi's documentation is known", () => {
  const types = [
    "queue_update",
    "session_info_changed",
    "thinking_level_changed",
    "compaction_start",
    "summarization_retry_scheduled",
    "summarization_retry_attempt_start",
    "summarization_retry_finished",
    "tool_execution_update",
    "bash_execution_update",
    "extension_error",
  ];
  const lines = whole(...types.map((type) => `{ "type": "${type}" }`), ...answer([text("Done.")]));
  expect(concluded(lines)).not.toHaveProperty("warnings");
});

test("streaming updates and copies are not parsed", () => {
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = ((json: string) => {
    parsed += 1;
    return parse(json) as unknown;
  }) as typeof JSON.parse;
  try {
    folded([
      ...answer([text("Done.")]).slice(0, 2),
      '{"type":"tool_execution_update","toolCallId":"c","partialResult":{}}',
      ...runEnd(false),
    ]);
  } finally {
    JSON.parse = parse;
  }
  expect(parsed).toBe(0);
  // Spelled otherwise they are parsed and mean nothing.
  const fold = folded(['{ "type": "message_update" }', '{"usage":{},"type":"message_update"}']);
  expect(fold.conclude(CLEAN_EXIT, { stderrTail: "", reportExpected: false })).not.toHaveProperty("warnings");
});

test("progress tells the last tool, the turns, the usage and the newest line, and each change is announced", () => {
  let changes = 0;
  const fold = new ChildFold({ onChange: () => (changes += 1) });
  expect(fold.progress()).toEqual({
    turns: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 0 },
    lastText: "",
  });
  for (const one of opening()) fold.line(one);
  for (const one of answer([text("First.\n  \u001b[1mNow\u001b[0m looking.\n\n"), toolCall("c", "bash")], {
    stopReason: "toolUse",
  }))
    fold.line(one);
  const [start, end] = call("c", "bash");
  fold.line(start);
  expect(fold.progress()).toMatchObject({
    turns: 1,
    lastText: "Now looking.",
    tool: { name: "bash", running: true },
  });
  fold.line(end);
  expect(fold.progress().tool).toEqual({ name: "bash", running: false });
  expect(fold.settled).toBe(false);
  const before = changes;
  fold.line(settled());
  expect(fold.settled).toBe(true);
  expect(changes).toBe(before + 1);
  fold.line(line({ type: "agent_start" }));
  expect(fold.settled).toBe(false);
  // The start of the run, the answer, two of the call, and two more.
  expect(changes).toBe(6);
});

test("an answer over 1 MiB is cut at a character with a warning; a report behind the cut is still found", () => {
  const long = `x${"é".repeat(MiB)}\n\`\`\`json\n${JSON.stringify(report)}\n\`\`\`\n`;
  const result = concluded(whole(...answer([text(long)])), { reportExpected: true });
  expect(Buffer.byteLength(result.text)).toBe(MiB - 1);
  expect(long.startsWith(result.text)).toBe(true);
  expect(result).toMatchObject({
    status: "fulfilled",
    reportChannel: "prompt-json",
    report,
    warnings: [`the child's answer of ${Buffer.byteLength(long)} bytes was cut to its first ${MiB}`],
  });
  const fits = "é".repeat(MiB / 2);
  expect(concluded(whole(...answer([text(fits)]))).text === fits).toBe(true);
});

test("messages a child wrote are cleaned and bounded", () => {
  const failed = { stopReason: "error", errorMessage: `\u001b[31m${"no ".repeat(100_000)}` };
  const { errorMessage } = concluded(whole(...answer([], failed)));
  expect(errorMessage?.length).toBeLessThanOrEqual(16_000);
  expect(errorMessage).toMatch(/^no no/);
  const fold = folded([call("c", `\u001b]0;x\u0007${"n".repeat(100_000)}`)[0]]);
  expect(fold.progress().tool?.name.length).toBeLessThanOrEqual(200);
  expect(fold.progress().tool?.name).toMatch(/^nnn/);
});

test("events of 30 MB are folded, and the stream gives the same result split at every byte", () => {
  const big = { content: [text("x".repeat(30_000_000))], usage: usage(5, 1) };
  const result = concluded(whole(...call("c", "read", { result: big }), ...answer([text("Done.")])));
  expect(result).toMatchObject({ status: "fulfilled", usage: { input: 105 } });

  const lines = whole(...answer([text("naïve \u2028 日本語")]));
  const bytes = Buffer.from(`\ufeff${lines.join("\r\n")}`);
  const expected = concluded(lines);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const fold = new ChildFold();
    const reader = new LineReader({ onLine: (one) => fold.line(one), onSkipped: () => undefined });
    reader.push(bytes.subarray(0, cut));
    reader.push(bytes.subarray(cut));
    reader.end();
    expect(fold.conclude(CLEAN_EXIT, { stderrTail: "", reportExpected: false })).toEqual(expected);
  }
});

test("half of a last line is counted and the stream counts as cut off", () => {
  const lines = whole(...answer([text("Done.")]));
  for (const half of [lines.at(-1)?.slice(0, 20) ?? "", '{"type":"message_update","usage":{"inp']) {
    expect(concluded([...lines.slice(0, -1), half])).toMatchObject({
      status: "rejected",
      text: "Done.",
      warnings: ["1 line of the child's output skipped: no JSON"],
    });
  }
});

const EVENT_TYPES = [
  "message_end",
  "message_update",
  "tool_execution_start",
  "tool_execution_end",
  "compaction_end",
  "entry_appended",
  "agent_start",
  "agent_end",
  "agent_settled",
  "__proto__",
];
const KEYS = [
  "message",
  "role",
  "content",
  "usage",
  "cost",
  "total",
  "result",
  "entry",
  "type",
  "toolCallId",
];
const anyEvent = fc
  .record({
    type: fc.constantFrom(...EVENT_TYPES),
    fields: fc.object({
      key: fc.constantFrom(...KEYS, "text", "stopReason", "structuredContent", "__proto__"),
    }),
    role: fc.constantFrom("assistant", "toolResult", "user", 7, null),
  })
  .map(({ type, fields, role }) => line({ message: { ...fields, role }, ...fields, type }));

test("no line makes it throw", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyEvent, fc.json(), fc.string({ unit: "binary" }))),
      fc.boolean(),
      (lines, asks) => {
        const fold = folded(lines);
        fold.progress();
        const result = fold.conclude(CLEAN_EXIT, { stderrTail: "", reportExpected: asks });
        expect(["fulfilled", "rejected"]).toContain(result.status);
        for (const amount of Object.values(result.usage ?? {})) expect(amount).toBeGreaterThanOrEqual(0);
      },
    ),
    { seed: 20_260_417, numRuns: 2_000 },
  );
});
