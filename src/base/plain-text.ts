/**
 * Text that is safe to show: no terminal sequences, no invisible controls, only whole characters.
 * Every pass is linear in the text, and a text that is clean already is returned as it is.
 */

import { charCodeAt, exec, pairBoundary, slice, uncurry } from "./primordials.ts";

/** What is removed besides lone surrogates: C0 but `\n` and `\t`, DEL, C1, and the marks that reorder text. */
const DIRTY = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A surrogate without its other half. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * One sequence or control. Payloads exclude ESC and C1, so no character is scanned from two starts.
 * An unterminated 7-bit string goes with the rest of its line, if that is short; else, and always in
 * 8-bit form (mis-decoded UTF-8 looks like one: a right quote holds U+009D), only its opening goes.
 */
const REMOVED = new RegExp(
  [
    /(?:\x1b\]|\x9d)[^\n\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)/, // OSC, on one line
    /(?:\x1b[PX^_k]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*(?:\x1b\\|\x9c)/, // DCS, SOS, PM, APC, title
    /\x1b[\]PX^_k][^\0-\x1f\x7f-\x9f]{0,256}(?=[\0-\x1f\x7f-\x9f]|$)/, // unterminated
    /(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]?/, // CSI
    /\x1b[ -/]{0,16}[0-~]?/, // any other escape
    /[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/,
    /[\x90\x98\x9d-\x9f]/,
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);

const wellFormed = "isWellFormed" in String.prototype ? uncurry(String.prototype.isWellFormed) : undefined;

function hasLoneSurrogate(text: string): boolean {
  if (wellFormed) return !wellFormed(text);
  LONE.lastIndex = 0;
  return exec(LONE, text) !== null;
}

function without(pattern: RegExp, text: string): string {
  let kept = "";
  let from = 0;
  pattern.lastIndex = 0;
  for (let match = exec(pattern, text); match !== null; match = exec(pattern, text)) {
    if (match.index > from) kept += slice(text, from, match.index);
    from = pattern.lastIndex;
  }
  return kept + slice(text, from);
}

/** The text without terminal sequences, controls (`\n` and `\t` stay), bidi marks and lone surrogates. */
export function cleanText(text: string): string {
  // Surrogates first: taking a sequence out from between two halves must not leave them lone.
  const whole = hasLoneSurrogate(text) ? without(LONE, text) : text;
  return exec(DIRTY, whole) === null ? whole : without(REMOVED, whole);
}

const isAscii = (code: number): boolean => code >= 0x20 && code <= 0x7e;

/** Graphemes are found by the engine's own segmenter; QuickJS has none. */
const { Segmenter } = (globalThis as { Intl?: Partial<typeof Intl> }).Intl ?? {};

/** Last index at or before `end` where a grapheme starts; 0 when one grapheme fills the text up to there. */
function graphemeBoundary(line: string, end: number): number {
  // Between two plain ASCII characters there always is a boundary.
  let start = end;
  while (start > 0 && !(isAscii(charCodeAt(line, start - 1)) && isAscii(charCodeAt(line, start)))) start -= 1;
  if (start === end || !Segmenter) return end;
  try {
    // Made per cut, not at load: the first one of a process takes 12 ms.
    const segments = new Segmenter(undefined, { granularity: "grapheme" }).segment(slice(line, start, end + 2));
    return start + (segments.containing(end - start)?.index ?? 0);
  } catch {
    // A program may have patched the segmenter; whole code points are what is left then.
    return end;
  }
}

/**
 * The line itself, or when it is longer than `max` UTF-16 units its beginning and `…`, together at most
 * `max` units. Cuts at a grapheme, and at a code point where a single grapheme is longer than that.
 */
export function cutLine(line: string, max = 200): string {
  if (line.length <= max) return line;
  if (max < 1) return "";
  const end = pairBoundary(line, max - 1);
  return `${slice(line, 0, graphemeBoundary(line, end) || end)}…`;
}
