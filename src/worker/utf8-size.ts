/** Size in UTF-8 without Node's `Buffer`. */

import { charCodeAt, exec } from "../base/primordials.ts";

/** Does a text without lone surrogates take at most `maxBytes`? */
export function isWithin(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return true;
  const start = exec(/[^\0-\x7f]/, text)?.index ?? text.length;
  let bytes = text.length;
  for (let index = start; index < text.length && bytes <= maxBytes; index += 1) {
    const code = charCodeAt(text, index);
    // Each half of a surrogate pair is two bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes <= maxBytes;
}
