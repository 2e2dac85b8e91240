/**
 * The units of a UTF-8 decoder: a whole character, or the beginning of one that is shown as one replacement character.
 * Text that is cut only between units reads the same in pieces.
 */

/** Longest unit. */
export const MAX_UNIT_BYTES = 4;

/** How many bytes the unit at `at` has; `open` when the bytes end before it does. */
export interface Utf8Unit {
  length: number;
  open: boolean;
}

/** The unit that begins at `at`, which must be the start of one. */
export function unitAt(bytes: Uint8Array, at: number): Utf8Unit {
  const lead = bytes[at] ?? 0;
  const wanted = lengthOf(lead);
  let length = 1;
  while (length < wanted) {
    const byte = bytes[at + length];
    if (byte === undefined) return { length, open: true };
    const [least, most] = length === 1 ? secondRange(lead) : [0x80, 0xbf];
    if (byte < least || byte > most) break;
    length += 1;
  }
  return { length, open: false };
}

/** The start of the unit that `at` lies inside of; `at` itself where a unit begins, or the bytes end. */
export function unitStart(bytes: Uint8Array, at: number): number {
  for (let start = at - 1; start >= 0 && at - start < MAX_UNIT_BYTES; start -= 1) {
    const byte = bytes[start] as number;
    if (byte >= 0x80 && byte < 0xc0) continue;
    return at < bytes.length && start + unitAt(bytes, start).length > at ? start : at;
  }
  return at;
}

/** How many bytes at the end are the beginning of a character whose rest is missing. */
export function openBytes(bytes: Uint8Array): number {
  for (let back = 1; back < MAX_UNIT_BYTES && back <= bytes.length; back += 1) {
    const start = bytes.length - back;
    const byte = bytes[start] as number;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const unit = unitAt(bytes, start);
    return unit.open && unit.length === back ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Overlong forms, surrogates and what lies beyond Unicode have no second byte. */
function secondRange(lead: number): readonly [least: number, most: number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}
