/** Readers of what built-in objects hold inside. Each throws on a value that has no such slot, a proxy included. */

import { cleanText } from "../base/plain-text.ts";
import { getPrototypeOf, slotGetter, uncurry } from "../base/primordials.ts";

const globals = globalThis as { URL?: typeof URL; SharedArrayBuffer?: typeof SharedArrayBuffer };
const ByteArray = Uint8Array;
const mapEntries = uncurry(Map.prototype.entries);
const setValues = uncurry(Set.prototype.values);
const nextEntry = uncurry(new Map<unknown, unknown>().entries().next);
const nextMember = uncurry(new Set<unknown>().values().next);
const dateTime = uncurry(Date.prototype.getTime) as (value: object) => number;
const dateIso = uncurry(Date.prototype.toISOString) as (value: object) => string;
const regexpSource = slotGetter(RegExp.prototype, "source");
const regexpFlags = slotGetter(RegExp.prototype, "flags");
const urlHref = slotGetter(globals.URL?.prototype, "href");
const bufferSize = slotGetter(ArrayBuffer.prototype, "byteLength");
const sharedSize = slotGetter(globals.SharedArrayBuffer?.prototype, "byteLength");
const viewBuffer = slotGetter(DataView.prototype, "buffer") as (value: object) => ArrayBuffer;
const viewOffset = slotGetter(DataView.prototype, "byteOffset") as (value: object) => number;
const viewSize = slotGetter(DataView.prototype, "byteLength") as (value: object) => number;

/** Prototype of all typed arrays. */
export const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
const typedLength = slotGetter(typedArrayPrototype, "length") as (value: object) => number;
const typedTag = slotGetter(typedArrayPrototype, Symbol.toStringTag) as (value: object) => string | undefined;

/** The classes whose objects box a scalar. */
export const boxes = [Number, String, Boolean, BigInt, Symbol] as const;
const unboxers = boxes.map((type) => uncurry(type.prototype.valueOf as () => unknown));

/** Entries of a map. */
export const sizeOfMap = slotGetter(Map.prototype, "size") as (map: object) => number;
/** Members of a set. */
export const sizeOfSet = slotGetter(Set.prototype, "size") as (set: object) => number;

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

/** ISO text of a date, null when it is invalid. */
export function isoOf(date: object): string | null {
  const time = dateTime(date);
  // Only NaN differs from itself.
  return time === time ? dateIso(date) : null;
}

/** Text of a regular expression. */
export function regexpText(value: object): string {
  const source = regexpSource(value) as string;
  let flags: unknown = "";
  try {
    // Reads properties of the expression, which a program may have changed.
    flags = regexpFlags(value);
  } catch {
    // The source alone still tells what it matches.
  }
  return cleanText(`/${source}/${flags as string}`);
}

/** A URL as cleaned text. */
export const hrefOf = (url: object): string => cleanText(urlHref(url) as string);

/** The scalar in a box. */
export function unbox(value: object): unknown {
  for (let index = 0; index < unboxers.length; index += 1) {
    try {
      return (unboxers[index] as (value: object) => unknown)(value);
    } catch {
      // Boxes another type.
    }
  }
  throw new TypeError("not a boxed scalar");
}

/** Is it a typed array or `DataView`? The only reader here that never throws. */
export const { isView } = ArrayBuffer;

/** Number of elements of a typed array, bytes of a raw buffer or view. */
export function bytesLength(value: object): number {
  if (isView(value)) return typedTag(value) === undefined ? viewSize(value) : typedLength(value);
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

/** Class of a typed array, which a subclass cannot hide; empty for buffers and views. */
export const typedArrayName = (value: object): string => (isView(value) && typedTag(value)) || "";
