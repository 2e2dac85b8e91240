/** The text the model reads (spec 1.8; faults 8 and 15): order, bounds, the file with the rest. */

import { chmod, mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeOnVessels } from "./conformance.ts";
import { runWith, testRunner } from "./vessels.ts";

describeOnVessels("the text of a program in a %s", (vessel) => {
  const runner = testRunner(vessel);

  test("has phases, narration, console lines, value and warnings in this order", async () => {
    const source =
      'console.log("printed"); console.error("bad"); phase("one"); log("said"); phase("two"); return [1, new Map()]';
    const outcome = await runWith(runner, source, { tool: "workflow", phases: ["one"] });
    expect(outcome.text.split("\n")).toEqual([
      "Phases: one → two",
      "said",
      "printed",
      "[error] bad",
      "[1, Map(0) {}]",
      'Warning: phase "two" is not listed in meta.phases (declared: one)',
      "Warning: result[1] is a Map",
    ]);
    expect(outcome.value).toMatchObject([1, {}]);
  });

  test.each([
    ['"plain\\nlines"', "plain\nlines"],
    ["12.5", "12.5"],
    ["null", "null"],
    ["true", "true"],
    ['({ file: "a.ts", line: 12 })', '{file: "a.ts", line: 12}'],
    ["[]", "[]"],
  ])("shows the value %s as %j", async (source, text) => {
    expect((await runWith(runner, `return ${source}`)).text).toBe(text);
  });

  test("cuts a long line at 200 characters, and the file has all of it", async () => {
    const outcome = await runWith(runner, 'console.log("x".repeat(300_000) + "\\n"); return "y".repeat(201)');
    const lines = outcome.text.split("\n");
    expect(lines.every((line) => line.length <= 200 || line.startsWith("[Showing"))).toBe(true);
    expect(lines[0]?.endsWith("…")).toBe(true);
    expect(outcome.text).toContain(`Full output: ${outcome.fullOutputPath}]`);
    const whole = await readFile(outcome.fullOutputPath as string, "utf8");
    expect(whole).toBe(`${"x".repeat(300_000)}\n\n${"y".repeat(201)}\n`);
    expect((await stat(outcome.fullOutputPath as string)).mode & 0o777).toBe(0o600);
  });

  test("keeps the newest 2000 lines of many, and counts them", async () => {
    const outcome = await runWith(
      runner,
      'for (let i = 1; i <= 4_000; i++) console.log("line " + i); return "end"',
    );
    expect(outcome.text).toMatch(/^line 2002\nline 2003\n/);
    expect(outcome.text).toContain("line 4000\nend\n\n[Showing lines 2002-4001 of 4001. Full output: ");
    expect((await readFile(outcome.fullOutputPath as string, "utf8")).split("\n")).toHaveLength(4_002);
  });

  test("never cuts the error away after 4000 lines, and keeps the last of them", async () => {
    const outcome = await runWith(
      runner,
      'for (let i = 1; i <= 4_000; i++) console.log("line " + i); throw new Error("the reason")',
    );
    expect(outcome.text).toMatch(/^code run failed \(exception\): the reason\n/);
    expect(outcome.text).toContain("line 4000\n\n[Showing lines ");
    expect(Buffer.byteLength(outcome.text)).toBeLessThan(51_200 + 1_000);
    expect(await readFile(outcome.fullOutputPath as string, "utf8")).toContain("the reason");
  });

  test("says what was captured before a failure", async () => {
    const outcome = await runWith(
      runner,
      'phase("one"); log("said"); console.log("printed"); throw new Error("x")',
      { tool: "workflow" },
    );
    const lines = outcome.text.split("\n");
    expect(lines.slice(lines.indexOf("Captured output:"))).toEqual([
      "Captured output:",
      "Phases: one",
      "said",
      "printed",
    ]);
  });

  test("holds a value of 10 MiB to its bounds without stalling, and keeps it in the file", async () => {
    const outcome = await runWith(
      runner,
      'return Array.from({ length: 330_000 }, (_, i) => ({ id: i, name: "n" + i }))',
    );
    expect(outcome.ok).toBe(true);
    expect(outcome.valueOmitted).toBe(true);
    expect(outcome.value).toBeUndefined();
    expect(Buffer.byteLength(outcome.text)).toBeLessThan(51_200 + 1_000);
    expect((await stat(outcome.fullOutputPath as string)).size).toBeGreaterThan(8_000_000);
  });

  test("carries no control characters, whatever a program prints or returns", async () => {
    const outcome = await runWith(
      runner,
      String.raw`console.log("\u001b[31mred\u001b[0m \u0007 \u202e \ud800 a\rb"); return { "k\u001b[1m": "\u009b31m" }`,
    );
    // oxlint-disable-next-line no-control-regex
    expect(outcome.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\ud800]/);
    expect(outcome.text).toContain("red");
  });

  test("is delivered with a warning when the file cannot be written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ptc-test-"));
    for (const outputDir of [
      async () => join(folder, "missing"),
      async () => Promise.reject(new Error("no space left")),
    ]) {
      const broken = testRunner(vessel, {}, { outputDir });
      const outcome = await runWith(broken, 'console.log("x".repeat(500)); return "value"');
      expect(outcome).toMatchObject({ ok: true, value: "value", truncated: true });
      expect(outcome.fullOutputPath).toBeUndefined();
      expect(outcome.text).toMatch(
        /value\n\nLong lines were cut at 200 characters\.\n\[Showing lines 1-2 of 2\.\]\nWarning: the full output could not be written to a file: /,
      );
    }
    await chmod(folder, 0o700);
  });

  test("returns every JSON value unchanged", async () => {
    const value = { a: [1, "é😀\n", null, true, { b: [] }], "odd key": { "": 0 }, n: 1e300, s: "\u2028" };
    expect((await runWith(runner, `return ${JSON.stringify(value)}`)).value).toEqual(value);
  });
});

describe("the text of a program in a process", () => {
  test("takes a million lines within bounds", async () => {
    const runner = testRunner("process");
    const outcome = await runWith(
      runner,
      'for (let i = 0; i < 1e6; i++) console.log("row " + i); return "end"',
    );
    expect(outcome.ok).toBe(true);
    expect(outcome.text).toContain("row 999999\nend\n\n[Showing lines 998002-1000001 of 1000001. ");
    expect(outcome.logsTruncated).toBe(true);
  });
});
