import type { Theme } from "@earendil-works/pi-coding-agent";

/** What drawing needs from pi-tui and from outside this room, which loads nothing itself. */
export interface Screen {
  /** Columns a text takes; pi ends with an error when a row has more than the terminal. */
  visibleWidth(text: string): number;
  truncateToWidth(text: string, maxWidth: number, ellipsis?: string): string;
  /** The text without terminal sequences, controls, bidi marks and lone surrogates; `\n` and `\t` stay. */
  cleanText(text: string): string;
  fileExists(path: string): boolean;
}

/** The colours of pi's theme. */
export type Palette = Pick<Theme, "fg" | "bold">;

/** The theme's tokens that rows use. */
export const TONES = [
  "accent",
  "dim",
  "muted",
  "text",
  "success",
  "warning",
  "error",
  "toolTitle",
  "toolOutput",
  "syntaxString",
  "syntaxNumber",
  "syntaxKeyword",
] as const;

export type Tone = (typeof TONES)[number];

/** Longer lines are cut before they are measured: no terminal shows as much. */
const MAX_UNITS = 1_024;
const PLAIN = /^[ -~]*$/;

/** `text` on one line, cleaned; breaks become `joint`. At most about a thousand characters of it. */
export function oneLine(screen: Screen, text: string, joint = " "): string {
  const head = text.length > MAX_UNITS ? `${text.slice(0, MAX_UNITS)}…` : text;
  if (PLAIN.test(head)) return head;
  return screen
    .cleanText(head)
    .replaceAll(/\s*[\n\u2028\u2029]\s*/g, joint)
    .replaceAll(/[\t\u0085]/g, " ");
}

/** The lines of `text`, each cleaned, of at most `max` lines, and how many there are. */
export function textLines(screen: Screen, text: string, max: number): { lines: string[]; total: number } {
  const all = text.split(/\r?\n|[\u2028\u2029]/);
  if (all.at(-1) === "") all.pop();
  return { lines: all.slice(0, max).map((line) => oneLine(screen, line)), total: all.length };
}
