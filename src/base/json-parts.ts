import { indexOf } from "./primordials.ts";

/** Most values in a JSON text that pi reads: checking cost by the value (5 million took 6 s). */
export const MAX_JSON_PARTS = 500_000;
const UNCOUNTED_CHARS = 1_048_576;
const SEPARATORS = [",", "[", "{"];

/** True when `json` holds more values. Separators inside its strings count, too. */
export function hasTooManyParts(json: string): boolean {
  if (json.length <= UNCOUNTED_CHARS) return false;
  let parts = 0;
  for (let kind = 0; kind < SEPARATORS.length; kind += 1) {
    const separator = SEPARATORS[kind] as string;
    for (let at = indexOf(json, separator); at >= 0; at = indexOf(json, separator, at + 1)) {
      parts += 1;
      if (parts > MAX_JSON_PARTS) return true;
    }
  }
  return false;
}
