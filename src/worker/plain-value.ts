/** A quick way for results in an engine that interprets: plain data becomes JSON natively. The rest is for `toJson`. */

import { getPrototypeOf, isArray, ownKeys, stringify } from "../base/primordials.ts";

type Container = Record<string | number, unknown>;

/** Parts that may still be looked at. */
interface Budget {
  left: number;
}

const objectPrototype: object = Object.prototype;
const arrayPrototype: object = Array.prototype;
const scalarPrototypes: readonly object[] = [String.prototype, Number.prototype, Boolean.prototype];

/** Deeper values are left to the walks that keep a stack of their own. Cycles end here, too. */
const MAX_DEPTH = 150;
/** What `plainJson` says of a container of too many parts, which comes from shared references most often: they multiply. */
export const LARGER = "larger";
/** A shorter text is shown as quickly without. */
const MIN_TEXT = 65_536;

/** The JSON of a container or long text of plain data, as `JSON.stringify` writes it; undefined for all others. */
export function plainJson(value: unknown, maxParts: number): string | undefined {
  if (typeof value === "string" ? value.length < MIN_TEXT : typeof value !== "object" || value === null)
    return undefined;
  try {
    for (let index = 0; index < scalarPrototypes.length; index += 1)
      if ("toJSON" in (scalarPrototypes[index] as object)) return undefined;
    const budget = { left: maxParts };
    if (isPlain(value, 0, budget)) return stringify(value as string);
    return budget.left < 0 ? LARGER : undefined;
  } catch {
    // A getter or proxy that throws, or no memory for the text: the walks say which.
    return undefined;
  }
}

function isPlain(value: unknown, depth: number, budget: Budget): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      // JSON has no word for NaN, the infinities and -0.
      return value - value === 0 && (value !== 0 || 1 / value > 0);
    case "object":
      return value === null || (depth <= MAX_DEPTH && isPlainContainer(value as Container, depth, budget));
    default:
      return false;
  }
}

function isPlainContainer(container: Container, depth: number, budget: Budget): boolean {
  if (container["toJSON"] !== undefined) return false;
  const isList = isArray(container);
  if (getPrototypeOf(container) !== (isList ? arrayPrototype : objectPrototype)) return false;
  const keys = isList ? undefined : ownKeys(container);
  const count = keys ? keys.length : (container["length"] as number);
  if (count === 0 && !isList && container[Symbol.toStringTag as never] !== undefined) return false;
  budget.left -= count;
  if (budget.left < 0) return false;
  for (let index = 0; index < count; index += 1) {
    const part = container[keys ? (keys[index] as string) : index];
    // Most parts are texts and nulls: a call for each would take as long as all the rest.
    if (part !== null && typeof part !== "string" && !isPlain(part, depth + 1, budget)) return false;
  }
  return true;
}
