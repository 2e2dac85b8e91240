/** Rows of `ptc_subagent`: what a child was asked, what it does, what came of it. */

import { countOf, dollars, duration, elapsed, fact, tokens } from "./facts.ts";
import type { Line, Pen, Span } from "./pen.ts";
import { drawForeign, type ResultState } from "./foreign-row.ts";
import {
  amountOf,
  countIn,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  textsOf,
} from "./read-fields.ts";
import { oneLine, type Screen } from "./screen.ts";
import { type TextBlock, textBlock } from "./text-block.ts";
import { type Branch, drawArea } from "./tree.ts";

const MAX = { findings: 20, files: 20, text: 12, warnings: 4, error: 12, stderr: 12 };

/** The line a child is introduced by: agent and label, else the first line of its task. */
export function subagentTitle(screen: Screen, args: unknown): string {
  const { agent, label, task } = fieldsOf(args);
  const [name, about] = [textOf(agent), textOf(label).trim() || firstLine(textOf(task))].map((text) =>
    oneLine(screen, text).trim(),
  );
  return [name, about].filter((part) => part !== "").join(": ");
}

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0] ?? "";

/** Rows of a child's result, whatever the details are. */
export function drawSubagent(pen: Pen, details: unknown, state: ResultState, width: number): string[] {
  const { progress, result, handle } = fieldsOf(details);
  if (isFields(handle)) return drawArea(pen, startedArea(pen.screen, handle), width);
  if (state.isPartial && isFields(progress)) return drawArea(pen, liveArea(pen.screen, progress), width);
  if (isFields(progress) && !isFields(result)) {
    const head: Line = [{ text: "interrupted: the child did not end", tone: "warning" }];
    return drawArea(pen, { head, branches: [], facts: usageFacts(progress) }, width);
  }
  if (!isFields(result)) return drawForeign(pen, state, width);
  const branches = state.isExpanded ? resultBlocks(pen.screen, result) : [];
  return drawArea(pen, { head: resultLine(pen.screen, result), branches, facts: resultFacts(result) }, width);
}

/** What a running child does now: the tool it runs, else its newest words. */
export function doingOf(screen: Screen, progress: Fields): Span[] {
  const tool = fieldsOf(progress["tool"]);
  const name = oneLine(screen, textOf(tool["name"]));
  if (name !== "" && tool["running"] === true)
    return [
      { text: "running ", tone: "dim" },
      { text: name, tone: "accent" },
    ];
  const said = oneLine(screen, textOf(progress["lastText"]));
  if (said !== "") return [{ text: said, tone: "muted" }];
  return [{ text: name === "" ? "starting" : `ran ${name}`, tone: "muted" }];
}

function startedArea(screen: Screen, handle: Fields) {
  const id = oneLine(screen, textOf(handle["taskId"]));
  const head: Span[] = [
    { text: "● ", tone: "accent" },
    { text: "started in the background", tone: "toolOutput" },
  ];
  return { head, branches: [], facts: id === "" ? [] : [{ text: id }] };
}

function liveArea(screen: Screen, progress: Fields) {
  const agent = oneLine(screen, textOf(progress["agentName"]));
  const head: Span[] = [{ text: "● ", tone: "accent" }];
  if (agent !== "") head.push({ text: `${agent} `, tone: "toolTitle" });
  head.push(...doingOf(screen, progress));
  const time = { text: elapsed(amountOf(progress["elapsedMs"])) };
  return { head, branches: [], facts: [...usageFacts(progress), time] };
}

/** Turns, tokens and cost of a child, each where there is any. */
export function usageFacts(holder: Fields): Span[] {
  const usage = fieldsOf(holder["usage"]);
  const turns = countIn(usage["turns"]) || countIn(holder["turns"]);
  const spent = tokensOf(usage);
  const cost = amountOf(usage["cost"]);
  return [
    ...fact(turns > 0, () => countOf(turns, "turn")),
    ...fact(spent > 0, () => `${tokens(spent)} ${spent === 1 ? "token" : "tokens"}`),
    ...fact(cost > 0, () => dollars(cost)),
  ];
}

const tokensOf = (usage: Fields): number =>
  ["input", "output", "cacheRead", "cacheWrite"].reduce((sum, key) => sum + amountOf(usage[key]), 0);

function resultLine(screen: Screen, result: Fields): Line {
  if (result["status"] !== "fulfilled") {
    const reason = oneLine(screen, textOf(result["errorMessage"]).trim()) || "no reason given";
    return [{ text: `${result["started"] === false ? "refused" : "failed"}: ${reason}`, tone: "error" }];
  }
  const said = oneLine(screen, textOf(fieldsOf(result["report"])["summary"]).trim() || saidBy(result));
  return [
    { text: "✓ ", tone: "success" },
    { text: said === "" ? "done" : said, tone: "toolOutput" },
  ];
}

const saidBy = (result: Fields): string => firstLine(textOf(result["text"]));

function resultFacts(result: Fields): Span[] {
  const warnings = listOf(result["warnings"]).length;
  return [
    ...fact(warnings > 0, () => countOf(warnings, "warning"), "warning"),
    ...usageFacts(result),
    ...fact(typeof result["durationMs"] === "number", () => duration(amountOf(result["durationMs"]))),
  ];
}

function resultBlocks(screen: Screen, result: Fields): Branch[] {
  const isFailed = result["status"] !== "fulfilled";
  const block = (label: string, text: string, how: Pick<TextBlock, "max" | "keep" | "isWhole">): Branch[] =>
    textBlock(screen, { label, lines: text.trim() === "" ? [] : text.trim().split("\n"), ...how });
  return [
    ...(isFailed
      ? block("error", textOf(result["errorMessage"]), { max: MAX.error, keep: "first", isWhole: true })
      : []),
    ...reportBlocks(screen, fieldsOf(result["report"])),
    ...block("answer", textOf(result["text"]), { max: MAX.text, keep: "first" }),
    ...textBlock(screen, {
      label: "warnings",
      lines: textsOf(result["warnings"]),
      max: MAX.warnings,
      keep: "last",
      noun: "warning",
      tone: "warning",
      isWhole: true,
    }),
    ...(isFailed ? block("stderr", textOf(result["stderr"]), { max: MAX.stderr, keep: "last" }) : []),
  ];
}

/** Findings and files of a report. */
export function reportBlocks(screen: Screen, report: Fields): Branch[] {
  const findings = listOf(report["findings"]).map((entry) => {
    const { what, evidence } = fieldsOf(entry);
    return [textOf(what), textOf(evidence)].filter((part) => part !== "").join(" ← ");
  });
  return [
    ...textBlock(screen, {
      label: "findings",
      lines: findings,
      max: MAX.findings,
      keep: "first",
      noun: "finding",
    }),
    ...textBlock(screen, {
      label: "files touched",
      lines: textsOf(report["files_touched"]),
      max: MAX.files,
      keep: "first",
      noun: "file",
    }),
  ];
}
