/** Rows of the program tools in every state (spec 5.1). */

import { describe, expect, test } from "vitest";
import { Pen } from "../../src/render/pen.ts";
import { type CallState, drawCall, drawProgram, programTitle } from "../../src/render/program-row.ts";
import { NAMED, plainPen, SCREEN } from "./canvas.ts";

const DONE = {
  tool: "ptc_run_code",
  description: "Count things",
  running: false,
  logs: [],
  narrations: [],
  phases: [],
  warnings: [],
  subCalls: [],
  calls: { total: 0, failed: 0 },
  imageCount: 0,
  durationMs: 536,
  queuedMs: 0,
};
const LIVE = { ...DONE, running: true, durationMs: 3_400 };
const state = (more: object = {}) => ({
  isExpanded: false,
  isPartial: false,
  isError: false,
  content: [],
  ...more,
});
const rows = (details: unknown, more: object = {}, width = 60): string[] =>
  drawProgram(plainPen(), details, state(more), width);

describe("the title of a program", () => {
  test.each([
    [{ description: " Count things ", code: "x" }, "Count things"],
    [{ meta: { name: "Review", description: "all of it" }, script: "x" }, "Review"],
    [{ meta: { name: " ", description: "all of it" }, script: "x" }, "all of it"],
    [{ code: "// a comment\n\n  const a = 1;\nreturn a" }, "const a = 1;"],
    [{ code: '```ts\n"use strict";\n{\n/* c */\nreturn 5\n```' }, "return 5"],
    [{ description: "two\nlines\u001b[31m" }, "two lines"],
    [{}, ""],
    [undefined, ""],
    [{ description: 5, code: null }, ""],
  ])("of %j is %j", (args, title) => expect(programTitle(SCREEN, args)).toBe(title));
});

describe("the row of a call", () => {
  const drawn = (more: Partial<CallState>, title = "abc"): string[] =>
    drawCall(new Pen(SCREEN, NAMED), title, { label: "PTC", isInterrupted: false, ...more }, 60);

  test("is the label and the title", () => {
    expect(drawn({})).toEqual(["<toolTitle>*PTC*</>  <text>abc</>"]);
    expect(drawn({}, "")).toEqual(["<toolTitle>*PTC*</>"]);
  });

  test("has one bright character while the program runs", () => {
    expect(drawn({ runningAt: 160 })).toEqual(["<toolTitle>*PTC*</>  <dim>a</><text>*b*</><dim>c</>"]);
  });

  test("says that pi ended before the program", () => {
    expect(drawn({ isInterrupted: true })[1]).toMatch(/interrupted/);
  });
});

describe("the row of a result", () => {
  test("shows a value and the facts at the right edge", () => {
    const details = {
      ...DONE,
      value: { size: 2, keys: ["file", "clipNow"], items: ["a.png", true] },
      totals: { result: 1, logs: 6, narrations: 0, phases: 2, warnings: 1 },
      imageCount: 1,
      childCost: 0.0421,
      fullOutputPath: "/there",
    };
    const facts = "• 6 output lines · 2 phases · 1 image · 1 warning · truncated · 536ms · $0.0421";
    const left = '  → {file: "a.png", clipNow: true}';
    expect(rows(details, {}, 130)).toEqual([left + facts.padStart(130 - left.length)]);
    expect(rows(details, {}, 110)[0]).toBe(`  ├─ file: "a.png"${facts.padStart(110 - 18)}`);
  });

  test("says that the model was shown a part, also where the rest could not be kept", () => {
    expect(rows({ ...DONE, value: 1, truncated: true })[0]).toContain("truncated");
    expect(rows({ ...DONE, value: 1, truncated: true })[0]).not.toContain("expired");
    expect(rows({ ...DONE, value: 1 })[0]).not.toContain("truncated");
  });

  test("says that the file with the complete text has expired", () => {
    expect(rows({ ...DONE, value: 1, fullOutputPath: "/gone" })[0]).toContain("truncated, file expired");
  });

  test.each([
    [{ ...DONE, value: 47, result: "47" }, "→ 47"],
    [{ ...DONE, value: { size: 0, keys: [], items: [] } }, "→ {}"],
    [{ ...DONE }, "done"],
    [{ ...DONE, result: "Map(1) {1 → 2}\nmore" }, "→ Map(1) {1 → 2}↵more"],
    [{ ...DONE, error: { kind: "exception", message: "boom\nat x" } }, "failed: boom at x"],
    [{ ...DONE, error: { kind: "timeout", message: "" } }, "failed: timeout"],
    [{ ...DONE, error: { kind: "abort", message: "the run was aborted" } }, "canceled: the run was aborted"],
    [{ ...DONE, running: true }, "interrupted: the program did not end"],
  ])("%j reads %j", (details, text) => {
    expect(rows(details)[0]).toBe(`  ${text}`.padEnd(60 - 7) + "• 536ms");
  });

  test("has a failure in the error colour and a cancellation in that of warnings", () => {
    const pen = new Pen(SCREEN, NAMED);
    const drawn = (kind: string): string =>
      drawProgram(pen, { ...DONE, error: { kind, message: "why" } }, state(), 60)[0] ?? "";
    expect(drawn("exception")).toContain("<error>failed: why</>");
    expect(drawn("abort")).toContain("<warning>canceled: why</>");
  });

  test("keeps calls below a failure, and connectors right between value and calls", () => {
    const calls = {
      subCalls: [{ id: 1, name: "read", args: "a", status: "ok", startedMs: 0, durationMs: 1 }],
      calls: { total: 1, failed: 0 },
    };
    expect(rows({ ...DONE, ...calls, error: { kind: "exception", message: "boom" } }).slice(1)).toEqual([
      "  └─ 1 call",
      "     └─ ✓ read ok 1ms  a",
    ]);
    const value = { size: 1, keys: ["deep"], items: [{ size: 6, items: [1, 2, 3, 4, 5, 6] }] };
    expect(rows({ ...DONE, ...calls, value }).filter((row) => !/\[\d\]/.test(row))).toEqual([
      expect.stringMatching(/^ {2}├─ deep: Array\(6\) +• 536ms$/),
      "  └─ 1 call",
      "     └─ ✓ read ok 1ms  a",
    ]);
  });
});

describe("the row of a running program", () => {
  test("shows phase, newest line and elapsed time", () => {
    const live = (more: object): string => rows({ ...LIVE, ...more }, { isPartial: true }, 40)[0] ?? "";
    expect(live({})).toMatch(/^ {2}running +• 3s$/);
    expect(live({ phase: "Read", narrations: ["one", "two"], logs: ["log"] })).toMatch(
      /^ {2}Read · two +• 3s$/,
    );
    expect(live({ logs: ["log", " "] })).toMatch(/^ {2}log +• 3s$/);
    expect(live({ childCost: 0.5 })).toMatch(/• \$0\.50 · 3s$/);
  });

  test("shows its calls, and what an open one says", () => {
    const subCalls = [
      { id: 1, name: "bash", args: "make", status: "running", startedMs: 400, partial: "cc x.c" },
    ];
    const drawn = rows({ ...LIVE, subCalls, calls: { total: 1, failed: 0 } }, { isPartial: true });
    expect(drawn.slice(1)).toEqual(["  └─ 1 call", "     └─ ● bash running 3s  make · cc x.c"]);
  });
});

describe("an expanded row", () => {
  const lines = (count: number, word: string): string[] =>
    Array.from({ length: count }, (_, at) => `${word} ${at + 1}`);
  const details = {
    ...DONE,
    value: "first\nsecond",
    result: "first\nsecond",
    code: { lines: ["one", "two", "three"], total: 9 },
    phases: lines(10, "phase"),
    narrations: lines(14, "told"),
    logs: lines(200, "line"),
    warnings: lines(6, "warning"),
    totals: { result: 2, logs: 5_000, narrations: 14, phases: 10, warnings: 6 },
    imageCount: 2,
  };

  test("labels and caps every block and counts every cut", () => {
    const drawn = rows(details, { isExpanded: true });
    const block = (label: string): string[] => {
      const from = drawn.findIndex((row) => row.includes(`─ ${label}`));
      const length = drawn.slice(from + 1).findIndex((row) => /^ {2}[├└]/.test(row));
      return drawn
        .slice(from + 1, length < 0 ? undefined : from + 1 + length)
        .map((row) => row.replace(/^ {2}[│ ] */, ""));
    };
    expect(block("value (2)")).toEqual(["first", "second"]);
    expect(block("code (9)")).toEqual(["one", "two", "three", "…+6 more lines"]);
    expect(block("phases (10)")).toEqual(["…+2 earlier phases", ...lines(10, "phase").slice(2)]);
    expect(block("log (14)")).toEqual(["…+2 earlier lines", ...lines(14, "told").slice(2)]);
    expect(block("console (5000)")).toEqual(["…+4988 earlier lines", ...lines(200, "line").slice(-12)]);
    expect(block("warnings (6)")).toEqual(["…+2 earlier warnings", ...lines(6, "warning").slice(2)]);
    expect(drawn.at(-1)).toBe("  └─ 2 images");
  });

  test("shows the error in full, at most 12 lines of it, and the file", () => {
    const error = { kind: "exception", message: "boom\nsecond", excerpt: lines(20, "at").join("\n") };
    const drawn = rows({ ...DONE, error, imageCount: 1, fullOutputPath: "/there" }, { isExpanded: true });
    expect(drawn).toContain("  ├─ 1 image not attached");
    expect(drawn).toContain("  ├─ error, exception (22)");
    expect(drawn).toContain("  │     second");
    expect(drawn).toContain("  │     …+10 more lines");
    expect(drawn.at(-1)).toBe("  └─ full output: /there");
  });

  test.each([40, 80, 110, 130])("cuts neither the error, a warning, nor the path at %i columns", (width) => {
    const words = `start ${"word ".repeat(60)}END`;
    const path = `/tmp/out/${"0123456789".repeat(12)}/ptc-519a39d4-8e40-4ca4-b322-8149d072ba11.txt`;
    const error = { kind: "exception", message: words, excerpt: `1 | ${"x".repeat(200)}` };
    const warnings = [`heed ${"this ".repeat(40)}OK`];
    const all = { ...DONE, error, warnings, fullOutputPath: path };
    const drawn = rows(all, { isExpanded: true }, width);
    for (const row of drawn) expect(SCREEN.visibleWidth(row)).toBeLessThanOrEqual(width);
    // The first row is the collapsed one.
    const text = drawn.slice(1).map((row) => row.replace(/^[ │├└─]+/, "").trimEnd());
    expect(text.join("\n")).not.toContain("…");
    expect(text.join(" ")).toContain(words);
    expect(text.join(" ")).toContain(warnings[0]);
    expect(text.join("")).toContain(`full output (expired):${path}`);
    expect(text.join("")).toContain("x".repeat(200));
  });

  test("gives one line of an error a dozen rows at most", () => {
    const error = { kind: "exception", message: "word ".repeat(300) };
    const drawn = rows({ ...DONE, error }, { isExpanded: true }, 40);
    expect(drawn.filter((row) => row.includes("word word"))).toHaveLength(12);
    expect(drawn.at(-1)?.trim()).toBe("…");
  });

  test("has nothing to add where there is nothing", () => {
    expect(rows({ ...DONE, value: 1 }, { isExpanded: true })).toHaveLength(1);
  });
});

describe("a result without details of ours", () => {
  const content = [{ type: "text", text: "first\n\nsecond" }, { type: "image" }];

  test.each([[undefined], [null], [{}], [[]], ["x"], [{ tool: "bash" }]])(
    "%j shows the result's text",
    (details) => {
      expect(rows(details, { content })).toEqual(["  first", "     …+1 more line"]);
      expect(rows(details, { content, isExpanded: true })).toEqual(["  first", "     second"]);
      expect(rows(details, { content, isError: true })[0]).toBe("  failed: first");
      const long = [
        { type: "text", text: `refused ${"word ".repeat(60)}END\nsecond ${"word ".repeat(60)}END` },
      ];
      const shown = rows(details, { content: long, isError: true, isExpanded: true });
      expect(shown.join("")).not.toContain("…");
      expect(shown.filter((row) => row.endsWith("END"))).toHaveLength(2);
      expect(rows(details, { content: long, isError: true })).toHaveLength(2);
      expect(rows(details, {})).toEqual(["  done"]);
    },
  );

  test("and details of an older version show what they have", () => {
    expect(rows({ tool: "ptc_run_code", result: "47" })).toEqual(["  → 47"]);
    expect(rows({ tool: "ptc_workflow" })).toEqual(["  done"]);
  });
});
