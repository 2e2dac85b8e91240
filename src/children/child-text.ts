/** Bounds on a child's text. Cuts are copies: a slice would keep its line alive. */

import { cleanText } from "../base/plain-text.ts";
import { pairBoundary } from "../base/primordials.ts";

/** The text cleaned; over `max` UTF-16 units its beginning and `…`. */
export function boundedText(text: string, max: number): string {
  if (text.length <= max) return cleanText(text);
  return copied(`${cleanText(text.slice(0, pairBoundary(text, max - 1)))}…`);
}

/** The text cleaned; over `max` UTF-16 units `…` and its end. */
export function boundedTail(text: string, max: number): string {
  if (text.length <= max) return cleanText(text);
  const from = text.length - max + 1;
  return copied(`…${cleanText(text.slice(pairBoundary(text, from) < from ? from + 1 : from))}`);
}

/** The text, or the whole characters of it that fit. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.allocUnsafe(maxBytes);
  return bytes.toString("utf8", 0, bytes.write(text));
}

const copied = (text: string): string => Buffer.from(text).toString();
