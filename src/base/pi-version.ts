/** Which pi this package works with. */

/** Oldest pi that has everything the tools need and that the tests pass on. */
export const OLDEST_PI = "1.3.0";

/** A sentence for a pi that is too old, by its exported `VERSION`; one without a version is. */
export function piVersionProblem(version: unknown): string | undefined {
  const found = numbersOf(version);
  const oldest = numbersOf(OLDEST_PI) ?? [];
  if (found && compare(found, oldest) >= 0) return undefined;
  const name = found ? `pi ${String(version)}` : "a pi of unknown version";
  return `pi-ptc-subagents needs pi ${OLDEST_PI} or newer and this is ${name}, so its tools are missing: update with \`npm install -g @earendil-works/pi-coding-agent\`.`;
}

/** Major, minor and patch; a pre-release counts as the version it leads to. */
function numbersOf(version: unknown): number[] | undefined {
  const match = typeof version === "string" ? /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) : null;
  return match ? match.slice(1, 4).map(Number) : undefined;
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((number, at) => number !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
