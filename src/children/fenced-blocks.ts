/** Finds fenced code blocks by CommonMark's rules (spec.commonmark.org, "Fenced code blocks"), outside of lists and quotes. */

const BACKTICK = 0x60;
const TILDE = 0x7e;
const SPACE = 0x20;
const MAX_INDENT = 3;
const MIN_FENCE = 3;

/** A run of backticks or tildes at the beginning of a line. */
interface Fence {
  char: number;
  length: number;
  /** What follows on the line. */
  rest: string;
}

/** Contents of the last `max` blocks that begin with `{`, in order. One that is never closed ends with the text. */
export function fencedObjects(text: string, max: number): string[] {
  // Each of these ends a line.
  const lines = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  const found: string[] = [];
  const keep = (start: number, end: number): void => {
    const content = lines.slice(start, end).trim();
    if (!content.startsWith("{")) return;
    found.push(content);
    if (found.length >= max * 2) found.splice(0, found.length - max);
  };
  let open: { fence: Fence; contentStart: number } | undefined;
  for (let start = 0; start < lines.length;) {
    const newline = lines.indexOf("\n", start);
    const end = newline < 0 ? lines.length : newline;
    const fence = fenceAt(lines, start, end);
    if (fence && !open) {
      if (opens(fence)) open = { fence, contentStart: Math.min(end + 1, lines.length) };
    } else if (fence && open && closes(fence, open.fence)) {
      keep(open.contentStart, start);
      open = undefined;
    }
    start = end + 1;
  }
  if (open) keep(open.contentStart, lines.length);
  return found.slice(-max);
}

function fenceAt(text: string, start: number, end: number): Fence | undefined {
  let from = start;
  while (from < end && from - start < MAX_INDENT && text.charCodeAt(from) === SPACE) from += 1;
  const char = text.charCodeAt(from);
  if (char !== BACKTICK && char !== TILDE) return undefined;
  let to = from;
  while (to < end && text.charCodeAt(to) === char) to += 1;
  return to - from < MIN_FENCE ? undefined : { char, length: to - from, rest: text.slice(to, end) };
}

/** After backticks an info string has none, for that would be a code span. */
const opens = ({ char, rest }: Fence): boolean => char === TILDE || !rest.includes("`");

const closes = (fence: Fence, opening: Fence): boolean =>
  fence.char === opening.char && fence.length >= opening.length && /^[ \t]*$/.test(fence.rest);
