/** Most values in a JSON text that pi reads: checking cost by the value (5 million took 6 s). */
export const MAX_JSON_PARTS = 500_000;
const UNCOUNTED_CHARS = 1_048_576;
const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;

/** True when `json` holds more values. */
export function hasTooManyParts(json: string): boolean {
  if (json.length <= UNCOUNTED_CHARS) return false;
  let parts = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code !== COMMA && code !== BRACKET && code !== BRACE) continue;
    parts += 1;
    if (parts > MAX_JSON_PARTS) return true;
  }
  return false;
}
