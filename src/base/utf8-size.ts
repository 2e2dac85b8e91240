/** Sizes in UTF-8, also where Node's `Buffer` is not there. */

import { charCodeAt, exec } from "./primordials.ts";

const byteLength = (globalThis as { Buffer?: { byteLength(text: string): number } }).Buffer?.byteLength;

/** Bytes a text takes; past `maxBytes` any larger number. A lone surrogate takes 2 or 3. */
export function utf8Length(text: string, maxBytes = Infinity): number {
  if (byteLength) return byteLength(text);
  const start = exec(/[^\0-\x7f]/, text)?.index ?? text.length;
  let bytes = text.length;
  for (let index = start; index < text.length && bytes <= maxBytes; index += 1) {
    const code = charCodeAt(text, index);
    // Each half of a surrogate pair is two bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

export function isWithin(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || utf8Length(text, maxBytes) <= maxBytes;
}
