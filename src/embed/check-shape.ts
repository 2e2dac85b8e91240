/** Checks what embedders hand over: declarations are gone at run time, and a slip would be ignored or told by the engine. */

import { nearestName } from "../base/nearest-name.ts";
import { isObject, showValue } from "../base/settings-file.ts";

/** What one field may be. */
export interface Shape {
  /** As in "it must be …". */
  wanted: string;
  fits: (value: unknown) => boolean;
  required?: true;
}

/** Fields by name. */
export type Shapes<Name extends string = string> = Readonly<Record<Name, Shape>>;

export const TEXT: Shape = {
  wanted: "a string that is not empty",
  fits: (value) => typeof value === "string" && value !== "",
};
export const FUNCTION: Shape = { wanted: "a function", fits: (value) => typeof value === "function" };
export const FLAG: Shape = { wanted: "true or false", fits: (value) => typeof value === "boolean" };
export const OBJECT: Shape = { wanted: "an object", fits: isObject };
export const ARRAY: Shape = { wanted: "an array", fits: Array.isArray };

export const required = (shape: Shape): Shape => ({ ...shape, required: true });
export const oneOf = (words: readonly string[]): Shape => ({
  wanted: `one of ${words.join(", ")}`,
  fits: (value) => words.includes(value as string),
});

/** A sentence for each field of `value` that is wrong or, where `isOpen` is not set, unknown; `undefined` counts as absent. */
export function shapeProblems(
  name: string,
  value: unknown,
  shapes: Shapes,
  { isOpen = false, hint }: { isOpen?: boolean; hint?: (key: string) => string | undefined } = {},
): string[] {
  const needed = Object.keys(shapes).filter((key) => shapes[key]?.required);
  if (!isObject(value)) {
    const withKeys = needed.length > 0 ? ` with ${needed.join(" and ")}` : "";
    return [`${name} is ${show(value)}; it must be an object${withKeys}`];
  }
  const unknown = isOpen ? [] : unknownKeys(name, value, shapes, hint);
  const wrong = Object.entries(shapes).flatMap(([key, shape]) => {
    const entry = value[key];
    if (entry === undefined ? !shape.required : shape.fits(entry)) return [];
    return [`${pathOf(name, key)} is ${show(entry)}; it must be ${shape.wanted}`];
  });
  return [...unknown, ...wrong];
}

/** Throws a `TypeError` of all problems, if there are any. */
export function refuse(caller: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new TypeError(`${caller}: ${problems.join("; ")}`);
}

function unknownKeys(
  name: string,
  value: Record<string, unknown>,
  shapes: Shapes,
  hint: (key: string) => string | undefined = () => undefined,
): string[] {
  const known = Object.keys(shapes);
  return Object.keys(value).flatMap((key) => {
    if (known.includes(key) || value[key] === undefined) return [];
    const near = nearestName(key, known);
    const next =
      hint(key) ??
      (near === undefined ? `; known: ${known.join(", ")}` : ` (did you mean ${pathOf(name, near)}?)`);
    return [`${pathOf(name, key)} is unknown${next}`];
  });
}

/** The options themselves go without saying. */
const pathOf = (name: string, key: string): string => (name === "options" ? key : `${name}.${key}`);

/** A value in a few words; `undefined` and functions have no JSON. */
export const show = (value: unknown): string =>
  typeof value === "function" ? "a function" : showValue(value);
