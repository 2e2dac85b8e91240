/** How a bench reports: one line a figure, and the statistics behind it. */

/** Prints `bench <name> <measured> <= <limit> ok|MISS`. A miss does not fail the bench; it is there to be seen. */
export function figure(name: string, measured: number, limit: number, unit: string): void {
  const verdict = measured <= limit ? "ok" : "MISS";
  console.log(`bench ${name} ${round(measured)}${unit} <= ${limit}${unit} ${verdict}`);
}

/** Prints a number that has no limit: the floor beside a figure, or what a ratio is made of. */
export function note(name: string, measured: number, unit: string): void {
  console.log(`  note ${name} ${round(measured)}${unit}`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
