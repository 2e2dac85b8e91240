/** Finds what a misspelt name was probably meant to be. */

/** Longest name that is compared; longer ones are no typing slips. */
const MAX_NAME_CHARS = 64;

/** The known name closest to `name` in at most two or, for long names, three edits; undefined when none is. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_CHARS) return undefined;
  const allowed = name.length > 8 ? 3 : name.length > 3 ? 2 : 1;
  let best: string | undefined;
  let bestEdits = allowed + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestEdits) continue;
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Levenshtein distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
