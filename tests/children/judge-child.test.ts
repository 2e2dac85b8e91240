import { expect, test } from "vitest";
import {
  answer,
  call,
  CLEAN_EXIT,
  concluded,
  line,
  opening,
  report,
  runEnd,
  settled,
  text,
  told,
  toolCall,
  usage,
  whole,
} from "./child-lines.ts";

test("a child that answered and exited is fulfilled with its text, usage and exit code", () => {
  expect(concluded(whole(...answer([text("It says hi.")])))).toEqual({
    status: "fulfilled",
    text: "It says hi.",
    reportChannel: "opted-out",
    usage: { input: 100, output: 10, cacheRead: 7, cacheWrite: 3, cost: 0.5, turns: 1 },
    exitCode: 0,
  });
});

test.each([
  ["exit 0", CLEAN_EXIT, true],
  ["exit 1", { code: 1, signal: null }, true],
  ["exit 0 and no end of the run", CLEAN_EXIT, false],
])(
  "an error of the model after partial text is rejected with the provider's message: %s",
  (_name, exit, ends) => {
    const failed = answer([text("Half an answ")], { stopReason: "error", errorMessage: "400: bad request" });
    const lines = ends ? whole(...failed) : [...opening(), ...failed];
    expect(concluded(lines, { exit })).toMatchObject({
      status: "rejected",
      text: "Half an answ",
      errorMessage: "400: bad request",
      exitCode: exit.code,
    });
  },
);

test("the text before an error of the model is kept, and an error without a message gets one", () => {
  const lines = whole(...answer([text("Before.")]), ...answer([], { stopReason: "error" }));
  expect(concluded(lines)).toMatchObject({
    status: "rejected",
    text: "Before.",
    errorMessage: "the model's answer ended in an error without a message",
  });
});

const overloaded = answer([], { stopReason: "error", errorMessage: "529 overloaded" });
const retry = (attempt: number): string =>
  line({ type: "auto_retry_start", attempt, maxAttempts: 3, delayMs: 50, errorMessage: "529 overloaded" });

test("an error that was retried and recovered is no error", () => {
  const lines = [
    ...opening(),
    ...overloaded,
    ...runEnd(true),
    retry(1),
    line({ type: "entry_appended", entry: { type: "context_edit", id: "45b88983", replacement: null } }),
    line({ type: "agent_start" }),
    line({ type: "turn_start" }),
    ...answer([text("Recovered.")]),
    line({ type: "auto_retry_end", success: true, attempt: 1 }),
    ...runEnd(false),
    settled(),
  ];
  expect(concluded(lines)).toEqual({
    status: "fulfilled",
    text: "Recovered.",
    reportChannel: "opted-out",
    usage: { input: 200, output: 20, cacheRead: 14, cacheWrite: 6, cost: 1, turns: 2 },
    exitCode: 0,
  });
});

test("an error that outlived its retries is rejected with the provider's message", () => {
  const lines = [
    ...opening(),
    ...overloaded,
    ...runEnd(true),
    retry(1),
    line({ type: "agent_start" }),
    ...overloaded,
    line({ type: "auto_retry_end", success: false, attempt: 1, finalError: "529 overloaded" }),
    ...runEnd(false),
    settled(),
  ];
  expect(concluded(lines)).toMatchObject({ status: "rejected", text: "", errorMessage: "529 overloaded" });
});

test("a context overflow that a compaction mended is no error, and the compaction's usage counts", () => {
  const overflow = { stopReason: "error", errorMessage: "context_length_exceeded" };
  const result = { summary: "s", firstKeptEntryId: "a", tokensBefore: 9, usage: usage(1_000, 2) };
  const lines = [
    ...opening(),
    ...answer([], overflow),
    ...runEnd(false),
    line({ type: "compaction_start", reason: "overflow" }),
    line({ type: "compaction_end", reason: "overflow", result, aborted: false, willRetry: true }),
    line({ type: "agent_start" }),
    ...answer([text("Smaller now.")]),
    ...runEnd(false),
    settled(),
  ];
  expect(concluded(lines)).toMatchObject({
    status: "fulfilled",
    usage: { input: 1_200, output: 120, cost: 3, turns: 2 },
  });
  expect(concluded(lines).warnings).toBeUndefined();
});

test.each([
  [
    "aborted",
    answer([text("Abor")], { stopReason: "aborted", errorMessage: "Request was aborted" }),
    "aborted",
  ],
  ["length", answer([text("Abor")], { stopReason: "length" }), "output limit"],
  ["a tool call", answer([text("Abor"), toolCall("c1", "bash")], { stopReason: "toolUse" }), "tool call"],
  ["a deferred answer", answer([text("Abor")], { stopReason: "deferred" }), '"deferred"'],
])("a run that ends on %s was cut off and keeps its text", (_name, last, cause) => {
  const result = concluded(whole(...last));
  expect(result).toMatchObject({ status: "rejected", text: "Abor" });
  expect(result.errorMessage).toContain("cut off");
  expect(result.errorMessage).toContain(cause);
});

test("a run that was aborted between two messages was cut off", () => {
  const lines = [...opening(), ...answer([text("Done so far.")]), ...runEnd(false), settled(true)];
  expect(concluded(lines)).toMatchObject({
    status: "rejected",
    errorMessage: "the answer was cut off: the run was aborted",
  });
});

test.each([
  ["after the answer", [...opening(), ...answer([text("Done.")])]],
  ["after the low-level run", [...opening(), ...answer([text("Done.")]), ...runEnd(false)]],
  ["in a run after the first settled", [...whole(...answer([text("Done.")])), line({ type: "agent_start" })]],
])("a stream that stops %s was cut off", (_name, lines) => {
  expect(concluded(lines)).toMatchObject({
    status: "rejected",
    text: "Done.",
    errorMessage: "the answer was cut off: the child's output stops before its run was over",
  });
});

test("on a pi that has no `agent_settled` the exit ends the run", () => {
  const oldEnd = line({ type: "agent_end", messages: [] });
  expect(concluded([...opening(), ...answer([text("Done.")]), oldEnd])).toMatchObject({
    status: "fulfilled",
  });
  const again = [...opening(), ...answer([text("Done.")]), oldEnd, line({ type: "agent_start" })];
  expect(concluded(again)).toMatchObject({ status: "rejected" });
});

test("a child without text is rejected, unless it handed in a report", () => {
  const noText = "dispatch produced no final text";
  expect(concluded(whole(...answer([])))).toMatchObject({ status: "rejected", errorMessage: noText });
  const lines = whole(
    ...answer([toolCall("c1", "ptc_child_report")], { stopReason: "toolUse" }),
    ...call("c1", "ptc_child_report", { result: { structuredContent: report } }),
    ...told("c1", "ptc_child_report"),
    ...answer([]),
  );
  expect(concluded(lines, { reportExpected: true })).toMatchObject({
    status: "fulfilled",
    text: "",
    reportChannel: "tool",
    report,
  });
  expect(concluded(lines)).toMatchObject({
    status: "rejected",
    errorMessage: noText,
    reportChannel: "opted-out",
  });
});

test("a child that printed nothing is rejected, whatever it exited with", () => {
  expect(concluded([])).toEqual({
    status: "rejected",
    text: "",
    reportChannel: "opted-out",
    errorMessage:
      "dispatch produced no final text: it was cut off, the child's output stops before its run was over",
    exitCode: 0,
  });
});

test("a child that a signal killed is rejected and the signal named", () => {
  const lines = [
    ...opening(),
    ...answer([text("Going."), toolCall("c1", "bash")], { stopReason: "toolUse" }),
  ];
  expect(concluded(lines, { exit: { code: null, signal: "SIGKILL" } })).toMatchObject({
    status: "rejected",
    text: "Going.",
    signal: "SIGKILL",
    errorMessage: "the child was killed by SIGKILL",
  });
  const during = concluded([...opening(), ...overloaded], { exit: { code: null, signal: "SIGSEGV" } });
  expect(during.errorMessage).toBe("529 overloaded (the child was then killed by SIGSEGV)");
  expect(during).not.toHaveProperty("exitCode");
});

test("a non-zero exit is rejected with the code and the end of standard error, even after an answer", () => {
  const result = concluded(whole(...answer([text("Done.")])), {
    exit: { code: 7, signal: null },
    stderrTail: `${"early noise\n".repeat(6_000)}\u001b[31mError: it broke\u001b[0m\n`,
  });
  expect(result).toMatchObject({ status: "rejected", text: "Done.", exitCode: 7 });
  expect(result.errorMessage).toMatch(/^the child exited with code 7: …[^]*noise\nError: it broke$/);
  expect(result.errorMessage?.length).toBeLessThan(2_100);
  expect(result.stderr?.length).toBeLessThanOrEqual(65_536);
  expect(result.stderr).toContain("Error: it broke\n");
});

test("the code of a pi that was asked to stop names the signal", () => {
  const { errorMessage } = concluded(opening(), { exit: { code: 143, signal: null } });
  expect(errorMessage).toBe("the child exited with code 143 (SIGTERM)");
});

test("a child that finished but had to be forced down is fulfilled with a note", () => {
  for (const exit of [
    { code: null, signal: "SIGKILL" },
    { code: 143, signal: null },
  ]) {
    const result = concluded(whole(...answer([text("Done.")])), { exit, forcedDown: true });
    expect(result).toMatchObject({
      status: "fulfilled",
      text: "Done.",
      warnings: ["the child had finished but did not exit by itself, so it was ended"],
    });
  }
  const failed = whole(...answer([], { stopReason: "error", errorMessage: "400: bad request" }));
  expect(concluded(failed, { exit: { code: 143, signal: null }, forcedDown: true })).toMatchObject({
    status: "rejected",
    errorMessage: "400: bad request",
  });
});

test("a child that was stopped is rejected with the reason and keeps what it had", () => {
  const lines = whole(...answer([text("Six turns.")]));
  expect(
    concluded(lines, { exit: { code: 143, signal: null }, stoppedBecause: "over 5 turns" }),
  ).toMatchObject({
    status: "rejected",
    text: "Six turns.",
    errorMessage: "over 5 turns",
    usage: { turns: 1 },
  });
});
