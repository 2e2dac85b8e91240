import type { Span } from "./pen.ts";

/** `1 line`, `3 lines`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** `536ms`, `1.42s`, `2m 05s`, `1h 02m`. */
export function duration(ms: number): string {
  if (!(ms >= 0)) return "0ms";
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_995) return `${(ms / 1_000).toFixed(2)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** The same without parts of a second, for what changes while it is looked at. */
export const elapsed = (ms: number): string =>
  ms >= 59_500 ? duration(ms) : `${Math.floor(Math.max(0, ms) / 1_000)}s`;

const two = (value: number): string => String(value).padStart(2, "0");

/** `812 B`, `3.4 KB`, `1.2 GB`. */
export const bytes = (count: number): string =>
  count < 1_000 ? `${Math.round(count)} B` : `${scaled(count, "KB MB GB TB".split(" "))}`;

/** `812`, `3.4k`, `1.2M`. */
export const tokens = (count: number): string =>
  count < 1_000 ? `${Math.round(count)}` : scaled(count, ["k", "M", "G", "T"], "");

function scaled(count: number, units: readonly string[], gap = " "): string {
  let value = count;
  let unit = "";
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1_000;
    unit = next;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${gap}${unit}`;
}

/** US dollars: `$0.0042`, `$1.37`. */
export const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;

/** A fact at the right edge, where there is anything to say. */
export const fact = (isThere: boolean, text: () => string, tone?: Span["tone"]): Span[] =>
  isThere ? [tone ? { text: text(), tone } : { text: text() }] : [];
