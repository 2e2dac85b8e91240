import fc from "fast-check";
import { expect, test } from "vitest";
import { CHILD_REPORT } from "../../src/base/tool-names.ts";
import { renderDispatch } from "../../src/children/render-dispatch.ts";
import { parseReport, reportFromText, reportInstructions } from "../../src/children/report.ts";
import { cpuMsSince } from "./child-lines.ts";

const report = {
  summary: "It works",
  findings: [{ what: "The gate holds", evidence: "gate.ts:12" }],
  files_touched: ["src/gate.ts"],
};
const json = JSON.stringify(report);
const pretty = JSON.stringify(report, undefined, 2);
const other = JSON.stringify({ ...report, summary: "Another" });

test("a payload is read and everything that is no part of a report dropped, usage too", () => {
  const [finding] = report.findings;
  const payload = {
    ...report,
    findings: [{ ...finding, confidence: 1 }],
    usage: { input: 9e9 },
    verdict: "great",
  };
  expect(parseReport(payload)).toEqual(report);
  expect(parseReport({ summary: "", findings: [], files_touched: [] })).toEqual({
    summary: "",
    findings: [],
    files_touched: [],
  });
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a text", json],
  ["an array", [report]],
  ["no summary", { ...report, summary: undefined }],
  ["no findings", { ...report, findings: undefined }],
  ["no files", { ...report, files_touched: undefined }],
  ["a summary that is no text", { ...report, summary: 5 }],
  ["findings that are no list", { ...report, findings: { length: 0 } }],
  ["a finding that is a text", { ...report, findings: ["found"] }],
  ["a finding without evidence", { ...report, findings: [{ what: "a" }] }],
  ["a finding of null", { ...report, findings: [null] }],
  ["a file that is no text", { ...report, files_touched: ["a", { path: "b" }] }],
])("%s is no report", (_name, payload) => {
  expect(parseReport(payload)).toBeUndefined();
});

test("a report is cleaned and bounded, and what was left out is told", () => {
  const huge = parseReport({
    summary: `\u001b[31m${"s".repeat(10_000_000)}`,
    findings: Array.from({ length: 200_000 }, (_, index) => ({ what: `w${index}`, evidence: "e" })),
    files_touched: ["a".repeat(100_000), "b"],
  });
  expect(huge?.summary).toMatch(/^s+…$/);
  expect(JSON.stringify(huge).length).toBeLessThan(5_000_000);
  const kept = (huge?.findings.length ?? 0) - 1;
  expect(kept).toBeGreaterThan(20);
  expect(huge?.findings.at(-1)?.what).toBe(`… ${200_000 - kept} more findings were too much to keep`);
  expect(huge?.files_touched).toEqual(["… 2 more files were too much to keep"]);
});

test("one file that was left out is told as one", () => {
  const findings = Array.from({ length: 200_000 }, () => ({ what: "w", evidence: "e" }));
  const huge = parseReport({ summary: "s", findings, files_touched: ["a"] });
  expect(huge?.files_touched).toEqual(["… 1 more file was too much to keep"]);
});

test.each([
  ["backticks", `Done.\n\n\`\`\`json\n${pretty}\n\`\`\`\n`],
  ["a fence right under the text", `Done.\n\`\`\`json\n${json}\n\`\`\`\nMore.`],
  ["tildes", `~~~json\n${pretty}\n~~~`],
  ["tildes with backticks in the info string", `~~~ json \`x\`\n${json}\n~~~`],
  ["a longer fence", `\`\`\`\`\`json\n${json}\n\`\`\`\`\`\`\`  \n`],
  ["a shorter fence inside a longer one", `\`\`\`\`json\n${json.replace("{", "{\n")}\n\`\`\`\``],
  ["a fence that is never closed", `Done.\n\`\`\`json\n${pretty}\n`],
  ["a fence that is never closed, without a last newline", `\`\`\`\n${pretty}`],
  ["no info string", `\`\`\`\n${json}\n\`\`\``],
  ["an info string of several words", `\`\`\`  JSON title="report"\n${json}\n\`\`\``],
  ["three blanks of indentation", `   \`\`\`json\n   ${json}\n  \`\`\``],
  ["CR LF", `Done.\r\n\`\`\`json\r\n${pretty.replaceAll("\n", "\r\n")}\r\n\`\`\`\r\n`],
  ["CR alone", `Done.\r\`\`\`json\r${json}\r\`\`\`\r`],
  ["blank lines around the object", `\`\`\`json\n\n  ${json}  \n\n\`\`\``],
  ["a shell block after it", `\`\`\`json\n${json}\n\`\`\`\nRun:\n\`\`\`sh\nnpm test\n\`\`\`\n`],
  ["a broken block after it", `\`\`\`json\n${json}\n\`\`\`\n\`\`\`json\n{"summary": \n\`\`\`\n`],
  ["an array after it", `\`\`\`json\n${json}\n\`\`\`\n\`\`\`json\n[${other}]\n\`\`\`\n`],
  ["a report without findings after it", `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n{"summary":"s"}\n\`\`\``],
  ["another report before it", `\`\`\`json\n${other}\n\`\`\`\ntext\n~~~json\n${json}\n~~~`],
  [
    "a tilde fence inside a backtick block",
    `\`\`\`json\n${json}\n\`\`\`\n\`\`\`\n~~~json\n${other}\n~~~\n\`\`\``,
  ],
])("a report is found in the text: %s", (_name, text) => {
  expect(reportFromText(text)).toEqual(report);
});

test("backticks inside the JSON are no fence", () => {
  const ticks = { ...report, summary: "use ```x``` and ~~~", findings: [{ what: "```", evidence: "`a`" }] };
  expect(reportFromText(`\`\`\`json\n${JSON.stringify(ticks, undefined, 2)}\n\`\`\``)).toEqual(ticks);
});

test.each([
  ["no fence", json],
  ["four blanks of indentation", `    \`\`\`json\n${json}\n    \`\`\``],
  ["a tab of indentation", `\t\`\`\`json\n${json}\n\t\`\`\``],
  ["a fence on the line of the text", `Done.\`\`\`json\n${json}\n\`\`\``],
  ["two backticks", `\`\`json\n${json}\n\`\``],
  ["a backtick in the info string", `\`\`\`js\`on\n${json}\n`],
  ["text after the object", `\`\`\`json\n${json}\nand so on\n\`\`\``],
  ["text behind a fence that is never closed", `\`\`\`json\n${json}\n\nThat is all.`],
  ["a closing fence with text behind it", `\`\`\`json\n${json}\n\`\`\` end\n`],
  ["a closing fence that is shorter", `\`\`\`\`json\n${json}\n\`\`\`\n`],
  ["nothing", ""],
  ["an opening fence and nothing else", "```json"],
])("there is no report in the text: %s", (_name, text) => {
  expect(reportFromText(text)).toBeUndefined();
});

const TEN_MB = 10_000_000;
const fill = (unit: string): string => unit.repeat(TEN_MB / unit.length);

test.each([
  ["backticks on one line", fill("`")],
  ["backticks and a letter", `${fill("`")}x\``],
  ["empty blocks", fill("```\n```\n")],
  ["opening fences with info strings", fill("```a\n")],
  ["blocks that nearly are reports", fill('```\n{"summary"}\n```\n')],
  ["blanks before a fence", fill("   ")],
  ["fences of growing length", Array.from({ length: 4_000 }, (_, n) => `${"`".repeat(n + 3)}\n`).join("")],
  ["carriage returns", fill("\r```\r")],
  ["one open object", `\`\`\`json\n{"summary":"${fill("x")}`],
  ["nested brackets", `\`\`\`json\n{"summary":${fill("[")}`],
])("10 MB of hostile text are looked through in time: %s", (_name, text) => {
  const before = process.cpuUsage();
  expect(reportFromText(text)).toBeUndefined();
  expect(cpuMsSince(before)).toBeLessThan(5_000);
});

test("a report of 10 MB is found and bounded", () => {
  const big = { ...report, findings: [{ what: "w", evidence: fill("e") }] };
  const found = reportFromText(`\`\`\`json\n${JSON.stringify(big)}\n\`\`\``);
  expect(found?.summary).toBe("It works");
  expect(found?.findings[0]?.evidence.length).toBeLessThanOrEqual(65_536);
});

test("the instructions name the tool and every field, and their own example would be read", () => {
  const text = reportInstructions();
  for (const word of [CHILD_REPORT, "`summary`", "`findings`", "`what`", "`evidence`", "`files_touched`"])
    expect(text).toContain(word);
  expect(reportFromText(text)).toMatchObject({ files_touched: ["path"] });
});

const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom("```", "~~~", "````", "json", "\n", "\r", " ", "{", "}", json, "\t", "`"),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

test("no text makes reading or rendering throw, and a fence behind it is found unless one is open", () => {
  fc.assert(
    fc.property(markdown, fc.object(), (text, payload) => {
      reportFromText(text);
      parseReport(payload);
      renderDispatch({
        status: "rejected",
        text,
        started: true,
        agentName: "a",
        durationMs: 1,
        reportChannel: "none",
      });
      const opened = text.replaceAll(/[`~]/g, "");
      expect(reportFromText(`${opened}\n\`\`\`json\n${other}\n\`\`\`\n`)?.summary).toBe("Another");
    }),
    { seed: 20_260_417, numRuns: 2_000 },
  );
});
