/** Bounds on text a child wrote. What is cut is copied: a slice would keep the whole line it came from alive. */

import { cleanText } from "../base/plain-text.ts";
import { pairBoundary } from "../base/primordials.ts";

/** The text cleaned, or of one longer than `max` UTF-16 units its beginning and `…`, within `max` units. */
export function boundedText(text: string, max: number): string {
  if (text.length <= max) return cleanText(text);
  return copied(`${cleanText(text.slice(0, pairBoundary(text, max - 1)))}…`);
}

/** The end of a text, cleaned: at most `max` UTF-16 units, with `…` in front when more came before. */
export function boundedTail(text: string, max: number): string {
  if (text.length <= max) return cleanText(text);
  return copied(`…${cleanText(text.slice(pairBoundary(text, text.length - max + 1)))}`);
}

/** The text as it is, or of a longer one the whole characters that fit into `maxBytes` of UTF-8. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.allocUnsafe(maxBytes);
  return bytes.toString("utf8", 0, bytes.write(text));
}

const copied = (text: string): string => Buffer.from(text).toString();
