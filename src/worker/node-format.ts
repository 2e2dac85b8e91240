import { formatWithOptions } from "node:util";

const { apply } = Reflect;
const OPTIONS = Object.freeze({ colors: false });

/** `util.format` without colors. Throws what its values throw. */
export function formatValues(values: readonly unknown[]): string {
  // A spread would run patched array iteration.
  const list: unknown[] = [OPTIONS];
  for (let index = 0; index < values.length; index += 1) list[index + 1] = values[index];
  return apply(formatWithOptions, undefined, list) as string;
}
