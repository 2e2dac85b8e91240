import { describe, expect, test } from "vitest";
import { reportThrown } from "../../src/worker/error-report.ts";

const FILE = "file:///work/ptc-program.js";
const PLACES = { fileName: FILE, columnShift: 0 };
const SOURCE = "const a = 1;\n\n  a.b.c();\nreturn a";
/** An error as V8 writes the stack of one thrown in a program. */
function thrown(...frames: string[]): Error {
  const error = new TypeError("no c");
  error.stack = ["TypeError: no c", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
}

describe("a report", () => {
  test("has the message, the program's own frames and the failing line", () => {
    const error = thrown(
      `inner (${FILE}:3:5)`,
      "Array.map (<anonymous>)",
      `async program (${FILE}:1:1)`,
      "file:///work/dist/worker.cjs:1:1",
    );
    expect(reportThrown(error, SOURCE, PLACES)).toEqual({
      kind: "exception",
      message: "TypeError: no c",
      excerpt: [
        "    at inner (program:3:5)",
        "    at program (program:1:1)",
        "3 |   a.b.c();",
        "  |     ^",
      ].join("\n"),
    });
  });

  test("has at most eight frames", () => {
    const frames = Array.from({ length: 50 }, (_, index) => `f${index} (${FILE}:1:${index + 1})`);
    const { excerpt } = reportThrown(thrown(...frames), SOURCE, PLACES);
    expect(excerpt.match(/^ {4}at /gm)).toHaveLength(8);
  });

  test.each([
    ["of a line that is not in the text", thrown(`f (${FILE}:99:1)`)],
    ["of a blank line", thrown(`f (${FILE}:2:1)`)],
  ])("%s has frames and no line", (_what, error) => {
    expect(reportThrown(error, SOURCE, PLACES).excerpt).toMatch(/^ {4}at f \(program:\d+:1\)$/);
  });

  test.each([
    ["a text", "plain", "plain"],
    ["nothing", undefined, "undefined"],
    ["an object", { code: 7 }, "{code: 7}"],
  ])("of %s has no excerpt", (_what, value, message) => {
    expect(reportThrown(value, SOURCE, PLACES)).toEqual({ kind: "exception", message, excerpt: "" });
  });

  test("survives a stack that is none, is huge, or throws", () => {
    const odd = (stack: PropertyDescriptor) => Object.defineProperty(new Error("m"), "stack", stack);
    const throws = odd({
      get: () => {
        throw new Error("no");
      },
    });
    for (const error of [odd({ value: 7 }), odd({ value: null }), throws]) {
      expect(reportThrown(error, SOURCE, PLACES)).toMatchObject({ message: "m", excerpt: "" });
    }
    const huge = odd({ value: `    at f (${FILE}:1:1)\n`.repeat(1e5) });
    expect(reportThrown(huge, SOURCE, PLACES).excerpt.length).toBeLessThan(1_000);
  });

  test("has no colours or controls", () => {
    const error = thrown(`f\u001b[31m (${FILE}:1:1)`);
    error.message = "\u001b[31mred\u0007";
    const report = reportThrown(error, SOURCE, PLACES);
    expect(report.message + report.excerpt).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  });
});
