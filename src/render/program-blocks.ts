/** What an expanded program row shows below its result and calls. */

import { countOf } from "./facts.ts";
import { countIn, type Fields, fieldsOf, textOf, textsOf } from "./read-fields.ts";
import { oneLine, type Screen } from "./screen.ts";
import { textBlock } from "./text-block.ts";
import type { Branch } from "./tree.ts";

/** Lines of each block (spec 5.1). */
const MAX = { value: 12, code: 3, phases: 8, narrations: 12, logs: 12, warnings: 4, error: 12 };

/** Code, phases, log, console, warnings, images, error and file, each where there is any. */
export function programBlocks(screen: Screen, details: Fields): Branch[] {
  const totals = fieldsOf(details["totals"]);
  const list = (key: "phases" | "narrations" | "logs" | "warnings") => ({
    lines: textsOf(details[key]),
    total: countIn(totals[key]),
    max: MAX[key],
  });
  const { lines, total } = fieldsOf(details["code"]);
  return [
    ...valueBlock(screen, details, countIn(totals["result"])),
    ...textBlock(screen, {
      label: "code",
      lines: textsOf(lines),
      total: countIn(total),
      max: MAX.code,
      keep: "first",
    }),
    ...textBlock(screen, { label: "phases", ...list("phases"), keep: "last", noun: "phase", tone: "accent" }),
    ...textBlock(screen, { label: "log", ...list("narrations"), keep: "last" }),
    ...textBlock(screen, { label: "console", ...list("logs"), keep: "last" }),
    ...textBlock(screen, {
      label: "warnings",
      ...list("warnings"),
      keep: "last",
      noun: "warning",
      tone: "warning",
      isWhole: true,
    }),
    ...imageBranch(details),
    ...errorBlock(screen, details),
    ...fileBranch(screen, details),
  ];
}

/** A text of several lines, of which the result's row shows the beginning only. */
function valueBlock(screen: Screen, details: Fields, total: number): Branch[] {
  const { value } = details;
  const lines = textOf(details["result"]).split("\n");
  if (lines.length < 2 || (value !== undefined && typeof value !== "string")) return [];
  return textBlock(screen, { label: "value", lines, total, max: MAX.value, keep: "first" });
}

function imageBranch(details: Fields): Branch[] {
  const count = countIn(details["imageCount"]);
  if (count === 0) return [];
  const where = details["error"] === undefined ? "" : " not attached";
  return [{ line: [{ text: `${countOf(count, "image")}${where}`, tone: "muted" }] }];
}

function errorBlock(screen: Screen, details: Fields): Branch[] {
  const { kind, message, excerpt } = fieldsOf(details["error"]);
  const text = [textOf(message), textOf(excerpt)].filter((part) => part !== "").join("\n");
  const name = oneLine(screen, textOf(kind));
  return textBlock(screen, {
    label: name === "" ? "error" : `error, ${name}`,
    lines: text === "" ? [] : text.split("\n"),
    max: MAX.error,
    keep: "first",
    tone: "error",
    isWhole: true,
  });
}

function fileBranch(screen: Screen, details: Fields): Branch[] {
  const path = textOf(details["fullOutputPath"]);
  if (path === "") return [];
  const name = screen.fileExists(path) ? "full output" : "full output (expired)";
  return [
    {
      isWhole: true,
      line: [
        { text: `${name}: `, tone: "muted" },
        { text: oneLine(screen, path), tone: "toolOutput" },
      ],
    },
  ];
}
