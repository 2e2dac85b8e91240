/** What stands in JSON for an object that JSON does not know. */

import { exec, stringify } from "../base/primordials.ts";
import { bytesLength, elementsOf, hrefOf, isoOf, regexpText, stepper } from "./object-slots.ts";
import { bytesName, classNameOf, type ObjectKind, readFailure } from "./value-kind.ts";

/** A typed array with more elements is left out: nobody reads them, and as JSON they take 4 times the room. */
const MAX_ELEMENTS = 4_096;

/** Kinds of objects that are replaced. */
export type ReplacedKind = Exclude<ObjectKind, "array" | "object" | "boxed">;

/** How the children of a container are found. */
export interface Shape {
  close: "]" | "}";
  /** The container they are read from, when it is not the value itself. */
  source?: object;
  /** Field names, for an object; else children go by index up to `length`. */
  keys?: string[];
  length?: number;
  /** Steps through a map or set. */
  next?: () => { item: unknown } | undefined;
}

/** A replacement: what the value was, and the JSON or the container that stands for it. */
interface Replacement {
  what: string;
  json?: string;
  shape?: Shape;
}

/** The replacement of an object. Throws what reading it throws. */
export function replaceObject(value: object, kind: ReplacedKind): Replacement {
  switch (kind) {
    case "map":
      return {
        what: "is a Map",
        shape: { close: hasTextKeys(value) ? "}" : "]", next: stepper(value, kind) },
      };
    case "set":
      return { what: "is a Set", shape: { close: "]", next: stepper(value, kind) } };
    case "error": {
      const what = `is ${withArticle(classNameOf(value) || "Error")}`;
      return { what, shape: { close: "}", keys: ["name", "message"], length: 2 } };
    }
    case "bytes": {
      const what = `is ${withArticle(bytesName(value))}`;
      const length = bytesLength(value);
      return length > MAX_ELEMENTS
        ? { what, json: "null" }
        : { what, shape: { close: "]", source: elementsOf(value), length } };
    }
    case "date": {
      const iso = isoOf(value);
      return iso === null
        ? { what: "is an invalid Date", json: "null" }
        : { what: "is a Date", json: stringify(iso) };
    }
    case "regexp":
      return { what: "is a RegExp", json: stringify(regexpText(value)) };
    case "url":
      return { what: "is a URL", json: stringify(hrefOf(value)) };
    case "promise":
      return { what: "is a Promise that was not awaited", json: "null" };
    case "broken":
      return { what: `throws when it is read: ${readFailure(value)}`, json: "null" };
  }
}

/** `a Map`, `an Error`. */
export const withArticle = (name: string): string => `${exec(/^[AEIO]/, name) ? "an" : "a"} ${name}`;

/** Are all keys of a map strings? Then it is an object in JSON, else a list of pairs. */
function hasTextKeys(map: object): boolean {
  const next = stepper(map, "map");
  for (let step = next(); step; step = next())
    if (typeof (step.item as unknown[])[0] !== "string") return false;
  return true;
}
