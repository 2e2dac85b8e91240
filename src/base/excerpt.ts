import { cleanText, cutLine } from "./plain-text.ts";

/** A caret further right would point past what is shown. */
const MAX_CARET = 150;

/** A line with its number and a caret under the column, both from 1; empty when it is blank or not there. */
export function excerptOf(source: string, line: number, column?: number): string {
  const text = source.split("\n", line)[line - 1];
  if (text === undefined || text.trim() === "") return "";
  const prefix = `${line} | `;
  const shown = cutLine(cleanText(prefix + text));
  if (column === undefined || column > MAX_CARET) return shown;
  const head = text.slice(0, Math.max(0, column - 1)).replace(/[^\t]/g, " ");
  return `${shown}\n${" ".repeat(prefix.length - 2)}| ${head}^`;
}
