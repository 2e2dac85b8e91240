/** The text of a run, piece by piece (spec 1.8). What whole programs give is in text.test.ts. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { truncateTail } from "@earendil-works/pi-coding-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunText, type TextRules } from "../../src/program/run-text.ts";

let folder: string;
let rules: TextRules;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ptc-text-"));
  rules = { truncateTail, outputDir: async () => folder };
});
afterAll(() => rmSync(folder, { recursive: true }));

const ERROR = { kind: "exception", message: "the reason", excerpt: "    at program:1:1" } as const;

describe("the text of a good run", () => {
  test("has its parts in order, each only when there is something", async () => {
    const text = new RunText();
    expect((await text.compose([], "value", rules)).text).toBe(
      "The program returned an empty text and printed nothing.",
    );
    text.value.add("the value");
    expect((await text.compose([], "value", rules)).text).toBe("the value");
    text.addLog("warn", "careful");
    text.addLog("info", "printed");
    text.addNarration("said");
    text.phases.push("one", "two");
    expect((await text.compose(["odd\u001b[1m"], "value", rules)).text).toBe(
      "Phases: one → two\nsaid\n[warn] careful\nprinted\nthe value\nWarning: odd",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of nothing at all says what is missing", async () => {
    const { text } = await new RunText().compose([], "missing", rules);
    expect(text).toMatch(/returned nothing and printed nothing: `return` is missing/);
    expect((await new RunText().compose([], "undefined", rules)).text).toMatch(
      /^The program returned undefined and printed nothing\. .*`return await main\(\)`/,
    );
  });

  test("marks the level once for an entry that came in parts", async () => {
    const text = new RunText();
    text.addLog("error", "a", true);
    text.addLog("error", "b", true);
    text.addLog("error", "c");
    text.addLog("error", "d");
    expect((await text.compose([], "missing", rules)).text).toBe("[error] abc\n[error] d");
  });

  test("of 50 KB stays whole, and of one byte more loses its first line to the file", async () => {
    const lines = (last: number) => [...Array.from({ length: 511 }, () => "x".repeat(99)), "y".repeat(last)];
    const [whole, cut] = [new RunText(), new RunText()];
    for (const line of lines(100)) whole.addLog("log", line);
    for (const line of lines(101)) cut.addLog("log", line);
    expect((await whole.compose([], "missing", rules)).fullOutputPath).toBeUndefined();
    const { text, fullOutputPath } = await cut.compose([], "missing", rules);
    expect(text.split("\n\n").at(-1)).toBe(`[Showing lines 2-512 of 512. Full output: ${fullOutputPath}]`);
    expect(readFileSync(fullOutputPath as string, "utf8")).toBe(`${lines(101).join("\n")}\n`);
    expect(statSync(fullOutputPath as string).mode & 0o777).toBe(0o600);
  });

  test("never cuts a line inside a character, a grapheme or a colour", async () => {
    const units = ["é", "😀", "👩‍👩‍👧‍👦", "e\u0301", "\u001b[31mr\u001b[0m", "漢"];
    for (const unit of units) {
      for (let shift = 0; shift < 12; shift += 1) {
        const text = new RunText();
        text.value.add("-".repeat(shift) + unit.repeat(200));
        const [line] = (await text.compose([], "value", rules)).text.split("\n") as [string];
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line.isWellFormed()).toBe(true);
        const plain = unit.replaceAll(/\u001b\[\d+m/g, "");
        expect(line.replace(/…$/, "").slice(shift).replaceAll(plain, "")).toBe("");
      }
    }
  });
});

describe("the text of a failed run", () => {
  test("has the error first, then what was captured, without the value", async () => {
    const text = new RunText();
    text.addLog("log", "printed");
    text.value.add("half a value");
    expect((await text.composeFailure(ERROR, [], rules)).text).toBe(
      "code run failed (exception): the reason\n    at program:1:1\nCaptured output:\nprinted",
    );
  });

  test("without output is the error alone, and warnings follow it", async () => {
    const { text } = await new RunText().composeFailure({ ...ERROR, excerpt: "" }, ["w"], rules);
    expect(text).toBe("code run failed (exception): the reason\nWarning: w");
  });

  test("never loses the error to its output, and keeps within pi's bounds", async () => {
    const text = new RunText();
    for (let index = 0; index < 5_000; index += 1) text.addLog("log", `${index} ${"x".repeat(150)}`);
    const made = await text.composeFailure(ERROR, [], rules);
    expect(made.text.startsWith("code run failed (exception): the reason\n    at program:1:1\n")).toBe(true);
    const [block] = made.text.split("\n\n[Showing") as [string];
    expect(Buffer.byteLength(block)).toBeLessThanOrEqual(51_200);
    expect(block.split("\n").length).toBeLessThanOrEqual(2_000);
    expect(block).toContain("4999 xxx");
  });

  test("shows 24 lines of a long message, and the file has it whole", async () => {
    const message = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join("\n");
    const { text, fullOutputPath } = await new RunText().composeFailure({ ...ERROR, message }, [], rules);
    expect(text).toContain("line 23");
    expect(text).not.toContain("line 24");
    expect(readFileSync(fullOutputPath as string, "utf8")).toContain("line 999");
  });
});

describe("a complete text that cannot be kept", () => {
  test.each([
    ["no folder", async () => Promise.reject(new Error("no space left"))],
    ["a folder that is none", async () => "/dev/null"],
  ])("for %s is a warning under the text", async (_why, outputDir) => {
    const text = new RunText();
    text.value.add("x".repeat(300));
    const made = await text.compose([], "value", { truncateTail, outputDir });
    expect(made).toMatchObject({ truncated: true });
    expect(made.fullOutputPath).toBeUndefined();
    expect(made.warning).toMatch(/^the full output could not be written to a file: /);
    expect(made.text).toBe(
      `${"x".repeat(199)}…\n\nLong lines were cut at 200 characters.\n[Showing lines 1-1 of 1.]\nWarning: ${made.warning}`,
    );
  });
});
