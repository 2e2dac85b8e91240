import { countOf } from "./facts.ts";
import type { Span } from "./pen.ts";
import { oneLine, type Screen, type Tone } from "./screen.ts";
import type { Branch } from "./tree.ts";

/** A labelled block of lines under an expanded row. */
export interface TextBlock {
  label: string;
  lines: readonly string[];
  /** Lines there are; default: as many as given. */
  total?: number;
  max: number;
  /** Which lines are kept when there are too many. */
  keep: "first" | "last";
  /** What one line is called where the cut is counted. */
  noun?: string;
  tone?: Tone;
  /** Lines are shown whole, each on as many rows as it needs. */
  isWhole?: boolean;
}

/** The block as a branch; none when it has no line. Every cut is counted. */
export function textBlock(screen: Screen, block: TextBlock): Branch[] {
  const { label, lines, max, keep, noun = "line", tone = "toolOutput", isWhole = false } = block;
  const total = Math.max(block.total ?? 0, lines.length);
  if (total === 0) return [];
  const shown = keep === "first" ? lines.slice(0, max) : lines.slice(-max);
  const rows: Branch[] = shown.map((line) => ({
    line: [{ text: oneLine(screen, line), tone }],
    isText: true,
    isWhole,
  }));
  const hidden = total - shown.length;
  if (hidden > 0) {
    const word = keep === "first" ? "more" : "earlier";
    const cut: Branch = {
      line: [{ text: `…+${countOf(hidden, `${word} ${noun}`)}`, tone: "dim" }],
      isText: true,
    };
    if (keep === "first") rows.push(cut);
    else rows.unshift(cut);
  }
  const head: Span[] = [
    { text: label, tone: "muted" },
    { text: ` (${total})`, tone: "dim" },
  ];
  return [{ line: head, children: rows }];
}
