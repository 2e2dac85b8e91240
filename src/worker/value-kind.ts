/**
 * What a value is, by what it holds and not by what it says of itself. Nothing here throws: a proxy
 * that refuses to be looked at is of the kind `broken`.
 */

import { errorText } from "../base/error-text.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";
import {
  exec,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  indexOf,
  isArray,
  mapGet,
  ownKeys,
  slice,
  stringify,
  uncurry,
} from "../base/primordials.ts";
import {
  boxes,
  bytesLength,
  hrefOf,
  isoOf,
  isView,
  regexpText,
  sizeOfMap,
  sizeOfSet,
  typedArrayName,
  typedArrayPrototype,
  unbox,
} from "./object-slots.ts";

/** Kinds of objects. `boxed` is `new Number(1)` and its like, `bytes` a typed array or raw buffer. */
export type ObjectKind =
  | "array"
  | "object"
  | "map"
  | "set"
  | "date"
  | "regexp"
  | "error"
  | "promise"
  | "url"
  | "bytes"
  | "boxed"
  | "broken";

/** Writing out larger ones takes time that grows with the square of their digits: about 100,000. */
const MAX_BIGINT = 1n << 332_192n;
const MAX_CHAIN = 50;

const globals = globalThis as { URL?: typeof URL; SharedArrayBuffer?: typeof SharedArrayBuffer };
const objectPrototype: object = Object.prototype;
const objectToString = uncurry(Object.prototype.toString);

/** Kinds by the built-in prototype an object descends from. */
const KINDS = new Map<unknown, ObjectKind>([
  [Map.prototype, "map"],
  [Set.prototype, "set"],
  [Date.prototype, "date"],
  [RegExp.prototype, "regexp"],
  [Error.prototype, "error"],
  [Promise.prototype, "promise"],
  [ArrayBuffer.prototype, "bytes"],
  [DataView.prototype, "bytes"],
  [typedArrayPrototype, "bytes"],
  [globals.SharedArrayBuffer?.prototype, "bytes"],
  [globals.URL?.prototype, "url"],
  ...boxes.map((type): [unknown, ObjectKind] => [type.prototype, "boxed"]),
]);

/** The same for objects of another realm (`node:vm`), by the tag the language gives them. */
const TAGS = new Map<string, ObjectKind>([
  ["[object Map]", "map"],
  ["[object Set]", "set"],
  ["[object Date]", "date"],
  ["[object RegExp]", "regexp"],
  ["[object Error]", "error"],
  ["[object Promise]", "promise"],
  ["[object ArrayBuffer]", "bytes"],
]);

/** The kind of an object. Descent alone is not believed where a slot can be read. */
export function kindOf(value: object): ObjectKind {
  try {
    if (isArray(value)) return "array";
    let prototype = getPrototypeOf(value) as object | null;
    if (prototype === objectPrototype || prototype === null) return "object";
    if (isView(value)) return "bytes";
    for (let step = 0; step < MAX_CHAIN; step += 1) {
      if (prototype === objectPrototype) return "object";
      const kind: ObjectKind | undefined = prototype === null ? foreignKind(value) : mapGet(KINDS, prototype);
      if (kind !== undefined) return holds(value, kind) ? kind : "object";
      prototype = getPrototypeOf(prototype) as object | null;
    }
    return "object";
  } catch {
    // Only a proxy throws here; `readFailure` asks it again for the reason.
    return "broken";
  }
}

function foreignKind(value: object): ObjectKind {
  try {
    return mapGet(TAGS, objectToString(value)) ?? "object";
  } catch {
    // Its own tag throws, so it is none of the language's.
    return "object";
  }
}

function holds(value: object, kind: ObjectKind): boolean {
  try {
    if (kind === "map") sizeOfMap(value);
    else if (kind === "set") sizeOfSet(value);
    else if (kind === "date") isoOf(value);
    else if (kind === "regexp") regexpText(value);
    else if (kind === "url") hrefOf(value);
    else if (kind === "bytes") bytesLength(value);
    else if (kind === "boxed") unbox(value);
    return true;
  } catch {
    // The slot is missing: an object that merely inherits, or a proxy.
    return false;
  }
}

/** Why an object cannot be looked at. */
export function readFailure(value: object): string {
  try {
    isArray(value);
    getPrototypeOf(value);
    ownKeys(value);
    return "it cannot be read";
  } catch (error) {
    return failureText(error);
  }
}

/** One short line for what a getter or trap threw. */
export const failureText = (error: unknown): string => firstLine(errorText(error), 120);

function firstLine(text: string, length: number): string {
  const end = indexOf(text, "\n");
  return cutLine(end < 0 ? text : `${slice(text, 0, end)} …`, length);
}

/** Length of an array. A proxy of one may name anything. */
export function lengthOf(array: unknown[]): number {
  const length: unknown = array.length;
  return typeof length === "number" && length > 0 ? length : 0;
}

/** Name of a typed array or buffer. */
export const bytesName = (value: object): string =>
  typedArrayName(value) || classNameOf(value) || "ArrayBuffer";

/** Name of the class an object was made by; empty for plain objects and where it cannot be read. */
export function classNameOf(value: object): string {
  try {
    let prototype = getPrototypeOf(value) as object | null;
    for (let step = 0; prototype !== null && prototype !== objectPrototype && step < MAX_CHAIN; step += 1) {
      const maker: unknown = getOwnPropertyDescriptor(prototype, "constructor")?.value;
      const name: unknown =
        typeof maker === "function" ? getOwnPropertyDescriptor(maker, "name")?.value : undefined;
      if (typeof name === "string" && name !== "") return name === "Object" ? "" : shortName(name);
      prototype = getPrototypeOf(prototype) as object | null;
    }
  } catch {
    // A trap that throws: the object goes without a name.
  }
  return "";
}

/** Tag of an object that shows no fields but is not empty either (`Headers`, a generator); else empty. */
export function opaqueName(value: object): string {
  try {
    const tag: unknown = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
    return typeof tag === "string" && tag !== "Object" ? shortName(tag) : "";
  } catch {
    // A getter of the program's; without a tag it is an ordinary empty object.
    return "";
  }
}

/** Name of a function; empty when it has none that can be read. */
export function functionName(value: object): string {
  try {
    const name: unknown = getOwnPropertyDescriptor(value, "name")?.value;
    return typeof name === "string" ? shortName(name) : "";
  } catch {
    // A proxy of a function.
    return "";
  }
}

const shortName = (name: string): string => firstLine(cleanText(slice(name, 0, 200)), 60);

/** May it be written out in digits? */
export const isSmallBigint = (value: bigint): boolean => value < MAX_BIGINT && value > -MAX_BIGINT;

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Can this key stand without quotes? */
export const isIdentifier = (key: string): boolean => exec(IDENTIFIER, key) !== null;

/** A key as it is written in front of a value: bare, or as a JSON string. */
export function keyText(key: string): string {
  const clean = cleanText(key);
  return isIdentifier(clean) ? clean : stringify(clean);
}
