import type { Span } from "./pen.ts";

/** Time one character stays bright. */
export const SHIMMER_MS = 150;

const PLAIN = /^[ -~]*$/;

/** The characters of a text as a reader sees them. */
export function graphemes(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  return Array.from(segments, ({ segment }) => segment);
}

/** The text dim but for one bright character, which stands one further every 150 ms and begins anew at the end. */
export function shimmer(characters: readonly string[], atMs: number): Span[] {
  if (characters.length === 0) return [];
  const bright = Math.floor(atMs / SHIMMER_MS) % characters.length;
  const spans: Span[] = [
    { text: characters.slice(0, bright).join(""), tone: "dim" },
    { text: characters[bright] ?? "", tone: "text", isBold: true },
    { text: characters.slice(bright + 1).join(""), tone: "dim" },
  ];
  return spans.filter(({ text }) => text !== "");
}
