/**
 * The text of a dispatch for the model. Up to its first blank line each line that begins at the left edge is ours,
 * and what a child wrote stands behind a label or is indented; behind the blank line everything is the child's answer.
 * So a child can add no line of ours, and tags like ours or the host's lose their `<` to `&lt;`.
 */

import { cleanText, cutLine } from "../base/plain-text.ts";
import type { ChildReport, ChildUsage, DispatchResult } from "./dispatch.ts";

const MAX_FINDINGS = 20;
const MAX_FILES = 20;
const MAX_EVIDENCE_CHARS = 150;
const MAX_WHAT_CHARS = 300;
const MAX_PATH_CHARS = 300;
const MAX_SUMMARY_CHARS = 2_000;
const MAX_NOTE_CHARS = 4_000;

/**
 * The beginning of what may be a tag of ours, of pi's prompts and messages, or of the formats models are trained on, also
 * with blanks or unseen characters in it. Groups: these; a name that code never has; a word that it may have; what
 * joins more to that word.
 */
const HOST_TAG =
  /<(?=([\s/!?\u00ad\u200b-\u200d\u2060\ufeff]*)(?:(pi-|ptc|bg-task|system-|antml|available_skills|previous-summary|[|\uff5c][^\s<>|\uff5c]{1,64}[|\uff5c]>)|(system|user|assistant|human|developer|tool|function|invoke|instruction|skill|addendum|cwd|summary|conversation)s?(?![a-z0-9$])([-_]?)))/gi;
/** What makes a word with a blank before it a tag: an end, or an attribute. */
const TAG_REST = /^\s+[\w-]*(?:\s*\/?>|\s+[\w-]+\s*=[^=])/;
/** No type is called so, as far as one can tell. */
const ROLE = /^(?:system|assistant|human|developer)>/;
const MAX_BEFORE = 200;
const MAX_REST = 200;

/** What a child wrote, cleaned and unable to open or close a tag of ours or the host's. Code stays as it is. */
export function asData(text: string): string {
  return cleanText(text).replaceAll(HOST_TAG, (start, ...found: unknown[]) => {
    const [lead, own, word, join, at, whole] = found as [string, string?, string?, string?, number?, string?];
    if (own !== undefined || word === undefined) return "&lt;";
    const index = at ?? 0;
    const before = (whole ?? "").slice(Math.max(0, index - MAX_BEFORE), index);
    const rest = (whole ?? "").slice(index + 1, index + 1 + MAX_REST);
    return isCode({ lead, word, join: join ?? "", before, rest }) ? start : "&lt;";
  });
}

/** A component, a type's parameter, a comparison, or HTML's own `summary`. */
function isCode(tag: { lead: string; word: string; join: string; before: string; rest: string }): boolean {
  const { lead, word, join, before, rest } = tag;
  if (/^[A-Z][a-z]/.test(word) && join === "") return true;
  const isClosing = lead.includes("/");
  if (word === "summary" && join === "") return isClosing || /<details\b[^<>]*>\s*$/.test(before);
  if (isClosing) return false;
  if (lead === "") return /[\w$]$/.test(before) && !ROLE.test(rest);
  return /^\s+$/.test(lead) && /[\w$)\]]\s*$/.test(before) && !TAG_REST.test(rest);
}

/** Text for the model: error and warnings, report, usage, a blank line, the child's answer. */
export function renderDispatch(result: DispatchResult): string {
  const { errorMessage, warnings = [], report, usage, text } = result;
  const head = [
    ...(result.status === "rejected"
      ? [`Dispatch rejected: ${note(errorMessage ?? "no reason given")}`]
      : []),
    ...warnings.map((warning) => `Warning: ${note(warning)}`),
    ...(report ? reportLines(report, result.reportChannel) : []),
    ...(usage ? [usageLine(usage)] : []),
  ];
  const answer = asData(text);
  if (answer.trim() === "") return head.join("\n");
  return head.length === 0 ? answer : `${head.join("\n")}\n\n${answer}`;
}

/** The numbers of the structured usage on one line. */
export function usageLine({
  input,
  output,
  cost,
  turns,
}: Omit<ChildUsage, "cacheRead" | "cacheWrite">): string {
  return `usage: input ${input} output ${output} cost $${cost} turns ${turns}`;
}

function reportLines({ summary, findings, files_touched: files }: ChildReport, channel: string): string[] {
  return [
    `<pi-ptc-report channel="${channel}">`,
    `summary: ${indented(summary, MAX_SUMMARY_CHARS)}`,
    `findings: ${findings.length}`,
    ...findings
      .slice(0, MAX_FINDINGS)
      .flatMap(({ what, evidence }) => [
        `- ${oneLine(what, MAX_WHAT_CHARS)}`,
        `  evidence: ${oneLine(evidence, MAX_EVIDENCE_CHARS)}`,
      ]),
    ...moreThan(MAX_FINDINGS, findings.length, "findings"),
    `files touched: ${files.length}`,
    ...files.slice(0, MAX_FILES).map((file) => `- ${oneLine(file, MAX_PATH_CHARS)}`),
    ...moreThan(MAX_FILES, files.length, "files"),
    "</pi-ptc-report>",
  ];
}

const moreThan = (shown: number, all: number, what: string): string[] =>
  all > shown ? [`(${all - shown} more ${what} left out)`] : [];

const oneLine = (text: string, max: number): string =>
  cutWithCount(cleanText(text).replaceAll(/\s+/g, " "), max);

const note = (text: string): string => indented(text, MAX_NOTE_CHARS);

/** The text without blank lines, each further line indented. */
const indented = (text: string, max: number): string =>
  cutWithCount(cleanText(text).trim(), max).replaceAll(/\s*[\n\u2028\u2029]\s*/g, "\n  ");

/** At most `max` characters, and how many there are beyond. */
function cutWithCount(text: string, max: number): string {
  const kept = cutLine(text, max);
  if (kept === text) return asData(text);
  return `${asData(kept)} (${text.length - kept.length + 1} more characters left out)`;
}
