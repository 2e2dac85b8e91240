import { pairBoundary } from "../base/primordials.ts";

const { stringify } = JSON;

/** Bytes of a text as JSON in UTF-8. Control characters and lone surrogates take six each. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(stringify(text));
}

/** `text`, or a head of it and `…`, whose JSON is at most `maxBytes`. Surrogate pairs stay whole. */
export function fitText(text: string, maxBytes: number): string {
  // No character takes less than a byte, so a longer head never fits.
  const head = text.slice(0, maxBytes);
  if (head.length === text.length && jsonBytes(text) <= maxBytes) return text;
  let low = 0;
  let high = head.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(`${cutAt(head, middle)}…`) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return `${cutAt(head, low)}…`;
}

const cutAt = (text: string, length: number): string => text.slice(0, pairBoundary(text, length));

/** What a list may take. */
export interface ListBound {
  maxItems: number;
  maxItemBytes: number;
  maxBytes: number;
}

/** The newest lines that fit, oldest first, each cut to its own bound. */
export function fitTail(lines: readonly string[], bound: ListBound): string[] {
  const kept: string[] = [];
  let left = bound.maxBytes;
  for (let index = lines.length - 1; index >= 0 && kept.length < bound.maxItems; index--) {
    const line = fitText(lines[index] ?? "", bound.maxItemBytes);
    left -= jsonBytes(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept.toReversed();
}
