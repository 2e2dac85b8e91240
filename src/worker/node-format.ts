/** Formats console arguments as Node's own console does. The only file of the console that needs Node. */

import { formatWithOptions } from "node:util";

const { apply } = Reflect;
const OPTIONS = Object.freeze({ colors: false });

/** `util.format` without colors. May throw what the values throw when they are read. */
export function formatValues(values: readonly unknown[]): string {
  // A spread would run whatever the program made of array iteration.
  const list: unknown[] = [OPTIONS];
  for (let index = 0; index < values.length; index += 1) list[index + 1] = values[index];
  return apply(formatWithOptions, undefined, list) as string;
}
