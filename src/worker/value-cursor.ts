/** Readable text of single values, and cursors over the children of containers. Nothing here throws. */

import { errorName, errorText } from "../base/error-text.ts";
import { cleanText } from "../base/plain-text.ts";
import {
  apply,
  bigintToString,
  hasOwn,
  ownKeys,
  slice,
  stringify,
  symbolToString,
} from "../base/primordials.ts";
import {
  bytesLength,
  elementsOf,
  hrefOf,
  isoOf,
  regexpText,
  sizeOfMap,
  sizeOfSet,
  stepper,
  unbox,
} from "./object-slots.ts";
import {
  bytesName,
  classNameOf,
  failureText,
  functionName,
  isSmallBigint,
  keyText,
  kindOf,
  lengthOf,
  type ObjectKind,
  opaqueName,
  readFailure,
} from "./value-kind.ts";

const MAX_ELEMENTS = 20;
/** Empty items of an array looked at one by one before it is asked for its keys. */
const MAX_PROBES = 1_000;

/** Text that stands for itself, without quotes. */
export class Verbatim {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Asks for the private field: `instanceof` would run the trap of a proxy. */
  static is(value: object): value is Verbatim {
    return #text in value;
  }

  get text(): string {
    return this.#text;
  }
}

/** Steps through the children of one container. */
export interface Cursor {
  /** What stands before and after the children. */
  readonly open: string;
  readonly close: "}" | "]";
  /** Key or index of the current child, and what stands before its value: the key with a colon, nothing in lists. */
  key: string | number;
  label: string;
  /** Key of the current map entry, in a list of one. */
  mapKey: [key: unknown] | undefined;
  value: unknown;
  /** Moves to the next child; false at the end. */
  next(): boolean;
  /** Number of named fields; 0 in lists, maps and sets. */
  readonly fields: number;
}

/** What `toJSON` makes of an object that is of none of the language's own kinds; itself when that fails. */
export function resolveToJson(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || Verbatim.is(value)) return value;
  try {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function" && kindOf(value) === "object") return apply(toJSON, value, [`${key}`]);
  } catch {
    // Its own fields are shown instead; `toJson` has warned.
  }
  return value;
}

/** Text of anything that is neither string nor object. */
export function scalarText(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return isSmallBigint(value) ? `${bigintToString(value)}n` : "[BigInt of over 100000 digits]";
    case "symbol":
      return cleanText(slice(symbolToString(value), 0, 200));
    case "function": {
      const name = functionName(value);
      return name === "" ? "[Function (anonymous)]" : `[Function: ${name}]`;
    }
    case "number":
      return value === 0 && 1 / value < 0 ? "-0" : `${value}`;
    default:
      return `${value as boolean}`;
  }
}

/** Text of an object that shows as one piece, or a cursor over the children of one that holds others. */
export function openObject(value: object): Cursor | string {
  const kind = kindOf(value);
  try {
    if (kind === "object") return new FieldCursor(value);
    if (kind === "array") return new ArrayCursor(value as unknown[]);
    return kind === "map" || kind === "set" ? new MemberCursor(value, kind) : specialText(value, kind);
  } catch (error) {
    return thrownText(error);
  }
}

function specialText(value: object, kind: ObjectKind): string {
  switch (kind) {
    case "date":
      return `Date ${isoOf(value) ?? "(invalid)"}`;
    case "regexp":
      return regexpText(value);
    case "url":
      return `URL ${hrefOf(value)}`;
    case "promise":
      return "Promise {…}";
    case "bytes":
      return bytesText(value);
    case "boxed": {
      const inner = unbox(value);
      return `[boxed ${typeof inner === "string" ? stringify(cleanText(inner)) : scalarText(inner)}]`;
    }
    case "error": {
      const text = errorText(value);
      return text === "Error" || errorName(value) !== "Error" ? text : `Error: ${text}`;
    }
    default:
      return `[throws: ${readFailure(value)}]`;
  }
}

function bytesText(value: object): string {
  const length = bytesLength(value);
  const elements = elementsOf(value);
  let text = `${bytesName(value)}(${length}) [`;
  for (let index = 0; index < length && index < MAX_ELEMENTS; index += 1) {
    text += `${index === 0 ? "" : ", "}${scalarText(elements[index])}`;
  }
  return length > MAX_ELEMENTS ? `${text}, …${length - MAX_ELEMENTS} more]` : `${text}]`;
}

const thrownText = (error: unknown): string => `[throws: ${failureText(error)}]`;

abstract class ChildCursor {
  key: string | number = "";
  label = "";
  mapKey: [key: unknown] | undefined;
  value: unknown;
}

class FieldCursor extends ChildCursor implements Cursor {
  readonly open: string;
  readonly close = "}";
  readonly fields: number;
  readonly #source: object;
  readonly #keys: string[];
  #index = 0;

  constructor(source: object) {
    super();
    this.#source = source;
    this.#keys = ownKeys(source);
    this.fields = this.#keys.length;
    const name = classNameOf(source) || (this.fields === 0 ? opaqueName(source) : "");
    this.open = name === "" ? "{" : `${name} {`;
  }

  next(): boolean {
    if (this.#index >= this.fields) return false;
    const key = this.#keys[this.#index] as string;
    this.#index += 1;
    this.key = key;
    this.label = `${keyText(key)}: `;
    try {
      this.value = this.#read(key);
    } catch (error) {
      this.value = new Verbatim(thrownText(error));
    }
    return true;
  }

  /** Pictures are attached to the result; their base64 has no place in a text. */
  #read(key: string): unknown {
    const source = this.#source as Record<string, unknown>;
    const value = source[key];
    if (key !== "data" || typeof value !== "string" || source["type"] !== "image") return value;
    return new Verbatim(`[base64, ${value.length} characters]`);
  }
}

class ArrayCursor extends ChildCursor implements Cursor {
  readonly open = "[";
  readonly close = "]";
  readonly fields = 0;
  readonly #source: unknown[];
  readonly #count: number;
  #index = 0;
  #keys: string[] | undefined;
  #keyIndex = 0;
  #probes = 0;

  constructor(source: unknown[]) {
    super();
    this.#source = source;
    this.#count = lengthOf(source);
  }

  next(): boolean {
    const index = this.#index;
    if (index >= this.#count) return false;
    this.#index = index + 1;
    this.key = index;
    try {
      this.value = this.#source[index];
      if (this.value === undefined && !hasOwn(this.#source, index)) {
        this.#index = this.#endOfGap(index + 1);
        const empty = this.#index - index;
        this.value = new Verbatim(`<${empty} empty ${empty === 1 ? "item" : "items"}>`);
      }
    } catch (error) {
      this.value = new Verbatim(thrownText(error));
    }
    return true;
  }

  /** First index from `start` on that holds something. Long gaps are skipped by the array's keys, not walked. */
  #endOfGap(start: number): number {
    let index = start;
    for (; this.#probes < MAX_PROBES; this.#probes += 1, index += 1) {
      if (index >= this.#count || hasOwn(this.#source, index)) return index;
    }
    this.#keys ??= ownKeys(this.#source);
    for (; this.#keyIndex < this.#keys.length; this.#keyIndex += 1) {
      const key = this.#keys[this.#keyIndex] as string;
      const at = +key;
      if (at >= index && at < this.#count && `${at >>> 0}` === key) return at;
    }
    return this.#count;
  }
}

class MemberCursor extends ChildCursor implements Cursor {
  readonly open: string;
  readonly close = "}";
  readonly fields = 0;
  readonly #isMap: boolean;
  readonly #step: () => { item: unknown } | undefined;

  constructor(source: object, kind: "map" | "set") {
    super();
    this.#isMap = kind === "map";
    this.#step = stepper(source, kind);
    this.open = this.#isMap ? `Map(${sizeOfMap(source)}) {` : `Set(${sizeOfSet(source)}) {`;
  }

  next(): boolean {
    const step = this.#step();
    if (!step) return false;
    if (this.#isMap) {
      const entry = step.item as [unknown, unknown];
      this.mapKey = [entry[0]];
      this.value = entry[1];
    } else this.value = step.item;
    return true;
  }
}
