/** Text that is safe to show. Every pass is linear. */

import { charCodeAt, exec, pairBoundary, slice, uncurry } from "./primordials.ts";

const DIRTY = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Payloads exclude ESC and C1, so no character is scanned from two starts. An unterminated string goes with
 * the short rest of its line; in 8-bit form, which mis-decoded UTF-8 looks like, only its opening goes.
 */
const SEQUENCE_OR_CONTROL = new RegExp(
  [
    /(?:\x1b\]|\x9d)[^\n\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)/, // OSC
    /(?:\x1b[PX^_k]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*(?:\x1b\\|\x9c)/, // DCS, SOS, PM, APC
    /\x1b[\]PX^_k][^\0-\x1f\x7f-\x9f]{0,256}(?=[\0-\x1f\x7f-\x9f]|$)/, // unterminated
    /(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]?/, // CSI
    /\x1b[ -/]{0,16}[0-~]?/,
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
  LONE_SURROGATE.lastIndex = 0;
  return exec(LONE_SURROGATE, text) !== null;
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
  const whole = hasLoneSurrogate(text) ? without(LONE_SURROGATE, text) : text;
  return exec(DIRTY, whole) === null ? whole : without(SEQUENCE_OR_CONTROL, whole);
}

const isAscii = (code: number): boolean => code >= 0x20 && code <= 0x7e;

const { Segmenter } = (globalThis as { Intl?: Partial<typeof Intl> }).Intl ?? {};

function graphemeBoundary(line: string, end: number): number {
  // Between two ASCII characters there always is a boundary.
  let start = end;
  while (start > 0 && !(isAscii(charCodeAt(line, start - 1)) && isAscii(charCodeAt(line, start)))) start -= 1;
  // QuickJS has no segmenter.
  if (start === end || !Segmenter) return end;
  try {
    // Made per cut, not at load: the first one of a process takes 12 ms.
    const segments = new Segmenter(undefined, { granularity: "grapheme" }).segment(
      slice(line, start, end + 2),
    );
    return start + (segments.containing(end - start)?.index ?? 0);
  } catch {
    // A program may have patched the segmenter.
    return end;
  }
}

/** The line, or of one longer than `max` UTF-16 units its first graphemes and `…`, within `max` units. */
export function cutLine(line: string, max = 200): string {
  if (line.length <= max) return line;
  if (max < 1) return "";
  const end = pairBoundary(line, max - 1);
  return `${slice(line, 0, graphemeBoundary(line, end) || end)}…`;
}
