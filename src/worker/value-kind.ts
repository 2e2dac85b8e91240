/**
 * What a value is, by what it holds and not by what it says of itself. Nothing here throws: a proxy
 * that refuses to be looked at is of the kind `broken`.
 */

import { errorText } from "../base/error-text.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";
import {
  exec, getOwnPropertyDescriptor, getPrototypeOf, indexOf, isArray, ownKeys, slice, slotGetter, stringify, uncurry,
} from "../base/primordials.ts";

/** Kinds of objects. `boxed` is `new Number(1)` and its like, `bytes` a typed array or raw buffer. */
export type ObjectKind =
  | "array" | "object" | "map" | "set" | "date" | "regexp" | "error" | "promise" | "url" | "bytes" | "boxed" | "broken";

/** Writing out larger ones takes time that grows with the square of their digits: about 100,000. */
const MAX_BIGINT = 1n << 332_192n;
const MAX_CHAIN = 50;

const globals = globalThis as { URL?: typeof URL; SharedArrayBuffer?: typeof SharedArrayBuffer };
const objectPrototype: object = Object.prototype;
const objectToString = uncurry(Object.prototype.toString);
const { isView } = ArrayBuffer;
const ByteArray = Uint8Array;
const typedArray = getPrototypeOf(Uint8Array.prototype) as object;
const typedLength = slotGetter(typedArray, "length") as (value: object) => number;
const typedTag = slotGetter(typedArray, Symbol.toStringTag) as (value: object) => string | undefined;
const mapSize = slotGetter(Map.prototype, "size");
const setSize = slotGetter(Set.prototype, "size");
const bufferSize = slotGetter(ArrayBuffer.prototype, "byteLength");
const sharedSize = slotGetter(globals.SharedArrayBuffer?.prototype, "byteLength");
const viewBuffer = slotGetter(DataView.prototype, "buffer") as (value: object) => ArrayBuffer;
const viewOffset = slotGetter(DataView.prototype, "byteOffset") as (value: object) => number;
const viewSize = slotGetter(DataView.prototype, "byteLength") as (value: object) => number;
const urlHref = slotGetter(globals.URL?.prototype, "href");
const regexpSource = slotGetter(RegExp.prototype, "source");
const regexpFlags = slotGetter(RegExp.prototype, "flags");
const dateTime = uncurry(Date.prototype.getTime) as (value: object) => number;
const dateIso = uncurry(Date.prototype.toISOString) as (value: object) => string;
const mapGet = uncurry(Map.prototype.get);
const mapEntries = uncurry(Map.prototype.entries);
const setValues = uncurry(Set.prototype.values);
const nextEntry = uncurry(new Map<unknown, unknown>().entries().next);
const nextMember = uncurry(new Set<unknown>().values().next);
const unboxers = [Number, String, Boolean, BigInt, Symbol].map((type) => uncurry(type.prototype.valueOf as () => unknown));

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
  [typedArray, "bytes"],
  [globals.SharedArrayBuffer?.prototype, "bytes"],
  [globals.URL?.prototype, "url"],
  ...[Number, String, Boolean, BigInt, Symbol].map((type): [unknown, ObjectKind] => [type.prototype, "boxed"]),
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
      const kind: ObjectKind | undefined =
        prototype === null ? foreignKind(value) : mapGet(KINDS, prototype);
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
    if (kind === "map") mapSize(value);
    else if (kind === "set") setSize(value);
    else if (kind === "date") dateTime(value);
    else if (kind === "regexp") regexpSource(value);
    else if (kind === "url") urlHref(value);
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

/** ISO text of a date, null when it is invalid. */
export function isoOf(date: object): string | null {
  const time = dateTime(date);
  return time === time ? dateIso(date) : null;
}

/** Text of a regular expression. `flags` reads properties a program may have changed. */
export function regexpText(value: object): string {
  let flags: unknown = "";
  try {
    flags = regexpFlags(value);
  } catch {
    // The source alone still tells what it matches.
  }
  return cleanText(`/${regexpSource(value) as string}/${flags as string}`);
}

export const hrefOf = (url: object): string => cleanText(urlHref(url) as string);
export const sizeOfMap = mapSize as (map: object) => number;
export const sizeOfSet = setSize as (set: object) => number;

/** What a boxed primitive holds. Throws on anything else. */
export function unbox(value: object): unknown {
  for (let index = 0; index < unboxers.length; index += 1) {
    try {
      return (unboxers[index] as (value: object) => unknown)(value);
    } catch {
      // Boxes another type.
    }
  }
  throw new TypeError("not a boxed primitive");
}

/** Steps through a map's entries or a set's members while it lives; undefined at the end. */
export function stepper(value: object, kind: "map" | "set"): () => { item: unknown } | undefined {
  if (kind === "map") {
    const entries = mapEntries(value as Map<unknown, unknown>);
    return () => {
      const step = nextEntry(entries);
      return step.done ? undefined : { item: step.value };
    };
  }
  const members = setValues(value as Set<unknown>);
  return () => {
    const step = nextMember(members);
    return step.done ? undefined : { item: step.value };
  };
}

/** Number of elements of a typed array, bytes of a raw buffer or view. */
export function bytesLength(value: object): number {
  return isView(value) ? (typedTag(value) === undefined ? viewSize(value) : typedLength(value)) : rawSize(value);
}

function rawSize(value: object): number {
  try {
    return bufferSize(value) as number;
  } catch {
    return sharedSize(value) as number;
  }
}

/** The elements as a typed array: the value itself, or a view of the bytes it holds. */
export function elementsOf(value: object): ArrayLike<number | bigint> {
  if (!isView(value)) return new ByteArray(value as ArrayBuffer);
  if (typedTag(value) !== undefined) return value as unknown as ArrayLike<number | bigint>;
  return new ByteArray(viewBuffer(value), viewOffset(value), viewSize(value));
}

/** Name of typed array or buffer. */
export const bytesName = (value: object): string => (isView(value) && typedTag(value)) || classNameOf(value) || "ArrayBuffer";

/** Name of the class an object was made by; empty for plain objects and where it cannot be read. */
export function classNameOf(value: object): string {
  try {
    let prototype = getPrototypeOf(value) as object | null;
    for (let step = 0; prototype !== null && prototype !== objectPrototype && step < MAX_CHAIN; step += 1) {
      const maker: unknown = getOwnPropertyDescriptor(prototype, "constructor")?.value;
      const name: unknown = typeof maker === "function" ? getOwnPropertyDescriptor(maker, "name")?.value : undefined;
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
