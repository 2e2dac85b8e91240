/** The `count` greatest of `names`, greatest first. Sorting all of a large folder takes longer than reading it. */
export function newestOf(names: readonly string[], count: number): string[] {
  if (names.length <= count) return names.toSorted().toReversed();
  let top: string[] = [];
  let least = "";
  for (const name of names) {
    if (name <= least) continue;
    top.push(name);
    if (top.length < 2 * count) continue;
    top = greatest(top, count);
    least = top.at(-1) as string;
  }
  return greatest(top, count);
}

const greatest = (names: readonly string[], count: number): string[] =>
  names.toSorted().toReversed().slice(0, count);
