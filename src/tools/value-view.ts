/** The part of a returned value that a row can show, within a bound of bytes. */

import { cleanText, cutLine } from "../base/plain-text.ts";
import type { Json } from "../program/outcome.ts";
import type { ContainerView, ValueView } from "../render/details.ts";

const MAX_DEPTH = 4;
const MAX_CHILDREN = 6;
/** Containers of as many scalars stand on one line, also where no deeper level is shown. */
const MAX_INLINE = 5;
const MAX_CHARS = 120;
/** With one level of this, six entries of six texts each are under 10 KiB. */
const FEW_CHARS = 24;
/** Terminal sequences are taken out before a text is cut, so more of it is looked at. */
const READ_CHARS = 480;

/** How much is kept; the first that fits is taken. */
const BOUNDS = [
  { depth: MAX_DEPTH, chars: MAX_CHARS },
  { depth: 3, chars: MAX_CHARS },
  { depth: 2, chars: MAX_CHARS },
  { depth: 1, chars: MAX_CHARS },
] as const;

/** `value` as far as a row shows it: the deepest view of at most `maxBytes` of JSON, which is 10 KiB or more. */
export function viewValue(value: Json, maxBytes: number): ValueView {
  for (const { depth, chars } of BOUNDS) {
    const view = viewAt(value, depth, chars);
    if (Buffer.byteLength(JSON.stringify(view)) <= maxBytes) return view;
  }
  return viewAt(value, 1, FEW_CHARS);
}

function viewAt(value: Json, depth: number, chars: number): ValueView {
  if (typeof value === "string") return shortText(value, chars);
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const keys = isList ? [] : Object.keys(value);
  const size = isList ? value.length : keys.length;
  const childAt = (index: number): Json => (isList ? value[index] : value[keys[index] as string]) ?? null;
  const kept = Math.min(size, MAX_CHILDREN);
  const indices = Array.from({ length: kept }, (_, index) => index);
  const isInline = size <= MAX_INLINE && indices.every((index) => isScalar(childAt(index)));
  if (depth === 0 && !isInline) return isList ? { size, items: [] } : { size, keys: [], items: [] };
  const view: ContainerView = {
    size,
    ...(isList ? {} : { keys: keys.slice(0, kept).map((key) => shortText(key, chars)) }),
    items: indices.map((index) => viewAt(childAt(index), Math.max(0, depth - 1), chars)),
  };
  return view;
}

const isScalar = (value: Json): boolean => typeof value !== "object" || value === null;

function shortText(text: string, chars: number): string {
  const head = cleanText(text.slice(0, READ_CHARS));
  return cutLine(text.length > READ_CHARS && head.length <= chars ? `${head}…` : head, chars);
}
