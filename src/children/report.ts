/** What a child says it did: the shape, how it is asked for and how it is read (spec 2.7). */

import { CHILD_REPORT } from "../base/tool-names.ts";
import { boundedText } from "./child-text.ts";
import type { ChildReport } from "./dispatch.ts";
import { fencedObjects } from "./fenced-blocks.ts";

/** UTF-16 units kept of one report, and of one text in it. */
const MAX_REPORT_CHARS = 1_048_576;
const MAX_FIELD_CHARS = 65_536;
/** What an item costs beside its texts, so that empty ones are bounded too. */
const ITEM_CHARS = 8;
/** A text with more blocks than this that could be reports is not looked through to its beginning. */
const MAX_BLOCKS = 1_000;

/** The report in `payload`, bounded; undefined when a field is missing or of a wrong type. Other fields are dropped. */
export function parseReport(payload: unknown): ChildReport | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  const { summary, findings, files_touched: files } = payload as Record<string, unknown>;
  if (typeof summary !== "string" || !Array.isArray(findings) || !Array.isArray(files)) return undefined;
  if (!findings.every(isFinding) || !files.every((file) => typeof file === "string")) return undefined;
  const budget = { left: MAX_REPORT_CHARS };
  const report: ChildReport = { summary: spend(summary, budget), findings: [], files_touched: [] };
  for (const { what, evidence } of findings) {
    if (!affordsItem(budget)) break;
    report.findings.push({ what: spend(what, budget), evidence: spend(evidence, budget) });
  }
  for (const file of files) {
    if (!affordsItem(budget)) break;
    report.files_touched.push(spend(file, budget));
  }
  const lostFindings = findings.length - report.findings.length;
  if (lostFindings > 0) report.findings.push({ what: lostText(lostFindings, "finding"), evidence: "" });
  const lostFiles = files.length - report.files_touched.length;
  if (lostFiles > 0) report.files_touched.push(lostText(lostFiles, "file"));
  return report;
}

const lostText = (count: number, noun: string): string =>
  `… ${count} more ${count === 1 ? `${noun} was` : `${noun}s were`} too much to keep`;

const isFinding = (value: unknown): value is { what: string; evidence: string } => {
  if (typeof value !== "object" || value === null) return false;
  const { what, evidence } = value as Record<string, unknown>;
  return typeof what === "string" && typeof evidence === "string";
};

function affordsItem(budget: { left: number }): boolean {
  budget.left -= ITEM_CHARS;
  return budget.left >= 0;
}

function spend(text: string, budget: { left: number }): string {
  const kept = boundedText(text, Math.max(1, Math.min(budget.left, MAX_FIELD_CHARS)));
  budget.left -= kept.length;
  return kept;
}

/** The report in the last fenced block of `text` that holds one. */
export function reportFromText(text: string): ChildReport | undefined {
  for (const block of fencedObjects(text, MAX_BLOCKS).toReversed()) {
    const report = parseReport(parsed(block));
    if (report) return report;
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Any other code in a block.
    return undefined;
  }
}

/** What a child is told about the report, as a part of its prompt. */
export function reportInstructions(): string {
  return [
    "When your task is done, hand back one report beside your final answer, a JSON object of this shape:",
    "",
    "```json",
    '{"summary": "...", "findings": [{"what": "...", "evidence": "..."}], "files_touched": ["path"]}',
    "```",
    "",
    "- `summary`: what came of the task, in one to three sentences.",
    "- `findings`: each with `what` you found and the `evidence` for it, such as a path with a line or the output of a command. `[]` when there are none.",
    "- `files_touched`: paths of the files you created, changed or deleted. `[]` when there are none.",
    "",
    `All three are required. If you have the tool \`${CHILD_REPORT}\`, call it with this object and then write your final answer as text. If you do not have it, end your final answer with the object in a fenced block marked \`json\`, as above.`,
  ].join("\n");
}
