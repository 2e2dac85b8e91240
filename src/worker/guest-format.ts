/** What `console` prints in an engine without `util.format`: values as the result of a program shows them. */

import { errorText, isError } from "../base/error-text.ts";
import { charCodeAt, indexOf, slice, stringify } from "../base/primordials.ts";
import type { FormatValues } from "./capture-console.ts";
import type { StackPlaces } from "./engine.ts";
import { programFrames } from "./error-report.ts";
import { valueText } from "./value-text.ts";

/** Text of one value; the rest of a longer one is left out, which is said. */
const MAX_SHOWN = 262_144;
const PERCENT = 37;

/** A formatter like `util.format`: `%s %d %i %f %j %o %O %c` in a first text, then the other values. */
export function createGuestFormat(places: StackPlaces): FormatValues {
  return (values) => {
    const first = values[0];
    let text = "";
    let next = 0;
    if (typeof first === "string" && values.length > 1) {
      const filled = fillIn(first, values, places);
      text = filled.text;
      next = filled.used;
    }
    for (; next < values.length; next += 1) text += `${next === 0 ? "" : " "}${shown(values[next], places)}`;
    return text;
  };
}

function fillIn(
  pattern: string,
  values: readonly unknown[],
  places: StackPlaces,
): { text: string; used: number } {
  let text = "";
  let used = 1;
  let from = 0;
  for (let at = indexOf(pattern, "%"); at >= 0 && at < pattern.length - 1; at = indexOf(pattern, "%", at)) {
    const letter = pattern[at + 1] as string;
    const isEscape = charCodeAt(pattern, at + 1) === PERCENT;
    const filled = isEscape
      ? "%"
      : used < values.length
        ? directive(letter, values[used], places)
        : undefined;
    at += filled === undefined ? 1 : 2;
    if (filled === undefined) continue;
    text += slice(pattern, from, at - 2) + filled;
    from = at;
    if (!isEscape) used += 1;
  }
  return { text: text + slice(pattern, from), used };
}

/** Text of a value by a directive's letter; undefined when there is no such directive. */
function directive(letter: string, value: unknown, places: StackPlaces): string | undefined {
  switch (letter) {
    case "s":
    case "o":
    case "O":
      return shown(value, places);
    case "d":
      return numberText(asNumber(value));
    case "i":
      return numberText(whole(asNumber(value)));
    case "f":
      return typeof value === "symbol" ? "NaN" : `${+(value as number)}`;
    case "j":
      return stringify(value as string) ?? "undefined";
    case "c":
      return "";
    default:
      return undefined;
  }
}

const numberText = (number: number | bigint): string =>
  typeof number === "bigint" ? `${number}n` : `${number}`;

/** Without its fraction. */
const whole = (number: number | bigint): number | bigint =>
  typeof number === "bigint" ? number : number - (number % 1);

function asNumber(value: unknown): number | bigint {
  if (typeof value === "bigint") return value;
  return typeof value === "symbol" || typeof value === "object" ? Number.NaN : +(value as number);
}

function shown(value: unknown, places: StackPlaces): string {
  if (typeof value === "string") return value;
  if (isError(value)) return errorShown(value, places);
  let text = "";
  for (const piece of valueText(value)) {
    text += piece;
    if (text.length > MAX_SHOWN) return `${slice(text, 0, MAX_SHOWN)}… (cut: print parts of it)`;
  }
  return text;
}

function errorShown(error: object, places: StackPlaces): string {
  let text = errorText(error);
  const frames = programFrames(error, places);
  for (let index = 0; index < frames.length; index += 1) text += `\n    at ${frames[index]}`;
  return text;
}
