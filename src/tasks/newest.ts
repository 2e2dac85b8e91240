/** The `count` greatest of the `names` that are meant, greatest first. Sorting a large folder takes longer than reading it. */
export function newestOf(
  names: readonly string[],
  count: number,
  isMeant: (name: string) => boolean,
): string[] {
  let top: string[] = [];
  let least = "";
  for (const name of names) {
    if (name <= least || !isMeant(name)) continue;
    top.push(name);
    if (top.length < 2 * count) continue;
    top = greatest(top, count);
    least = top.at(-1) as string;
  }
  return greatest(top, count);
}

const greatest = (names: readonly string[], count: number): string[] =>
  names.toSorted().toReversed().slice(0, count);
