/**
 * JSON text of a returned value. Plain data comes out as `JSON.stringify` writes it; anything else is
 * replaced by its nearest JSON, and a warning says where and what it was. Walks with a stack of its own,
 * so depth costs no call stack, and stops as soon as the text is over the limit.
 */

import {
  apply,
  bigintToString,
  charCodeAt,
  hasOwn,
  ownKeys,
  stringify,
  uncurry,
} from "../base/primordials.ts";
import { type ReplacedKind, replaceObject, type Shape, withArticle } from "./json-replacement.ts";
import { WarningList } from "./json-warnings.ts";
import { isWithin } from "../base/utf8-size.ts";
import { unbox } from "./object-slots.ts";
import { failureText, isSmallBigint, kindOf, lengthOf, opaqueName } from "./value-kind.ts";

/** Readers of JSON recurse; thousands of levels would overflow their stacks. */
const MAX_DEPTH = 1_000;
/** Fields without a value that may be skipped before the walk gives up: they take time but no room. */
const MAX_SKIPPED = 1_000_000;

/** The text of one value, and what it cost to make it JSON. */
export interface JsonResult {
  /** The text; absent when the value is undefined, or omitted. */
  json?: string;
  /** The text would be over `maxBytes`. */
  omitted: boolean;
  /** At most 20, such as `result.a[2] is a Map`, and one that counts the rest. */
  warnings: string[];
}

/** JSON text of the JSON-safe part of `value`, at most `maxBytes` of UTF-8. Never throws. */
export function toJson(value: unknown, options: { maxBytes: number }): JsonResult {
  if (value === undefined) return { omitted: false, warnings: [] };
  const writer = new JsonWriter(options.maxBytes);
  try {
    const json = writer.write(value);
    const warnings = writer.warnings.list();
    return json === "" ? { omitted: false, warnings } : { json, omitted: json === undefined, warnings };
  } catch (error) {
    // Built-ins patched beyond use, or a text beyond the longest string of the engine.
    return { omitted: true, warnings: [`result could not be turned into JSON: ${failureText(error)}`] };
  }
}

/** One container that is being written. */
interface Frame extends Shape {
  source: object;
  length: number;
  index: number;
  written: boolean;
  /** Key or index of the current child. */
  at: string | number;
  /** An undefined or an empty item was named; more of them in the same array are only counted. */
  named: { undefined?: true; empty?: true } | undefined;
}

const END = Symbol("end");
/** Characters collected before they are laid out as one part. */
const PART = 16_384;
const join = uncurry(Array.prototype.join);
const setHas = uncurry(Set.prototype.has);
const setAdd = uncurry(Set.prototype.add);
const setDelete = uncurry(Set.prototype.delete);

class JsonWriter {
  readonly warnings = new WarningList();
  readonly #maxBytes: number;
  readonly #frames: Frame[] = [];
  readonly #open = new Set<unknown>();
  #text = "";
  /** Finished text. Built up in one string it would be a tree of millions of nodes, several times its size. */
  readonly #parts: string[] = [];
  #finishedLength = 0;
  #skipped = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The whole text; undefined when it is over the limit, empty when `toJSON` makes nothing of the value. */
  write(value: unknown): string | undefined {
    const resolved = this.#resolve(value, "");
    if (resolved === undefined) return "";
    this.#put(resolved);
    while (this.#frames.length > 0) {
      if (this.#text.length > PART) this.#finishPart();
      // A character is at least one byte.
      if (this.#finishedLength > this.#maxBytes || this.#skipped > MAX_SKIPPED) return undefined;
      this.#step(this.#frames[this.#frames.length - 1] as Frame);
    }
    this.#finishPart();
    if (this.#finishedLength > this.#maxBytes) return undefined;
    const text = this.#parts.length === 1 ? (this.#parts[0] as string) : join(this.#parts, "");
    return isWithin(text, this.#maxBytes) ? text : undefined;
  }

  #finishPart(): void {
    this.#finishedLength += this.#text.length;
    // Reading a character makes the engine lay the string out flat.
    charCodeAt(this.#text, 0);
    this.#parts[this.#parts.length] = this.#text;
    this.#text = "";
  }

  #step(frame: Frame): void {
    let value = this.#child(frame);
    if (value === END) {
      this.#text += frame.close;
      setDelete(this.#open, frame.source);
      this.#frames.length -= 1;
      return;
    }
    if (typeof value === "object" && value !== null) value = this.#resolve(value, frame.at);
    if (frame.close === "}") {
      if (value === undefined) {
        this.#skipped += 1;
        return;
      }
      this.#text += `${frame.written ? "," : ""}${stringify(frame.at as string)}:`;
    } else if (frame.written) this.#text += ",";
    frame.written = true;
    if (value === undefined) this.#gap(frame, "undefined", "is undefined");
    this.#put(value);
  }

  /** The frame's next child, its place noted in the frame. */
  #child(frame: Frame): unknown {
    if (frame.next) return this.#nextMember(frame, frame.next);
    const { source, index, keys } = frame;
    if (index >= frame.length) return END;
    frame.index = index + 1;
    frame.at = keys ? (keys[index] as string) : index;
    try {
      const value: unknown = (source as Record<string | number, unknown>)[frame.at];
      if (value === undefined && !keys && !hasOwn(source, index)) {
        this.#gap(frame, "empty", "is an empty item");
        return null;
      }
      return value;
    } catch (error) {
      this.warnings.add(this.#frames, `throws when it is read: ${failureText(error)}`);
      return null;
    }
  }

  #nextMember(frame: Frame, next: () => { item: unknown } | undefined): unknown {
    const step = next();
    if (!step) return END;
    frame.at = frame.index;
    frame.index += 1;
    if (frame.close === "]") return step.item;
    const entry = step.item as unknown[];
    // A getter may have added a key that is no string since the keys were looked at.
    if (typeof entry[0] !== "string") return undefined;
    frame.at = entry[0];
    return entry[1];
  }

  #gap(frame: Frame, gap: "undefined" | "empty", what: string): void {
    frame.named ??= {};
    if (frame.named[gap]) this.warnings.count();
    else this.warnings.add(this.#frames, what);
    frame.named[gap] = true;
  }

  /** What `toJSON` makes of an object, as `JSON.stringify` asks it; dates, URLs and bytes have their own rule. */
  #resolve(value: unknown, key: string | number): unknown {
    if (typeof value !== "object" || value === null) return value;
    let method: unknown;
    try {
      method = (value as { toJSON?: unknown }).toJSON;
    } catch {
      // Reading the other fields will fail as well, and be told then.
    }
    if (typeof method !== "function") return value;
    const kind = kindOf(value);
    if (kind === "date" || kind === "url" || kind === "bytes") return value;
    try {
      return apply(method, value, [`${key}`]);
    } catch (error) {
      this.warnings.add(this.#frames, `has a toJSON that throws: ${failureText(error)}`);
      return value;
    }
  }

  #put(value: unknown): void {
    switch (typeof value) {
      case "string":
        // Too long as it is: writing it out would only take memory.
        this.#text += value.length > this.#maxBytes ? value : stringify(value);
        return;
      case "number":
        if (value - value !== 0 || (value === 0 && 1 / value < 0)) this.#oddNumber(value);
        else this.#text += value;
        return;
      case "boolean":
        this.#text += value;
        return;
      case "object":
        if (value === null) this.#text += "null";
        else this.#putObject(value);
        return;
      case "bigint":
        this.#replace("is a BigInt", isSmallBigint(value) ? `"${bigintToString(value)}"` : "null");
        return;
      case "undefined":
        this.#text += "null";
        return;
      default:
        this.#replace(`is a ${typeof value}`, "null");
    }
  }

  #oddNumber(value: number): void {
    this.#replace(`is ${value === 0 ? "-0" : value}`, value === 0 ? "0" : "null");
  }

  #replace(what: string, json: string): void {
    this.warnings.add(this.#frames, what);
    this.#text += json;
  }

  #putObject(value: object): void {
    if (setHas(this.#open, value)) return this.#replace("is a circular reference", "null");
    if (this.#frames.length >= MAX_DEPTH) return this.#replace(`is deeper than ${MAX_DEPTH} levels`, "null");
    const kind = kindOf(value);
    try {
      if (kind === "array") this.#enter(value, { close: "]", length: lengthOf(value as unknown[]) });
      else if (kind === "object") this.#putFields(value);
      else if (kind === "boxed") this.#put(unbox(value));
      else this.#putReplaced(value, kind);
    } catch (error) {
      this.#replace(`throws when it is read: ${failureText(error)}`, "null");
    }
  }

  #putFields(value: object): void {
    if (typeof (value as { then?: unknown }).then === "function")
      return this.#replace("is a thenable", "null");
    const keys = ownKeys(value);
    if (keys.length === 0) {
      const name = opaqueName(value);
      return name === "" ? void (this.#text += "{}") : this.#replace(`is ${withArticle(name)}`, "{}");
    }
    this.#enter(value, { close: "}", keys, length: keys.length });
  }

  #putReplaced(value: object, kind: ReplacedKind): void {
    const { what, json, shape } = replaceObject(value, kind);
    this.warnings.add(this.#frames, what);
    if (shape) this.#enter(shape.source ?? value, shape);
    else this.#text += json;
  }

  #enter(source: object, shape: Shape): void {
    const { close, keys, next, length = 0 } = shape;
    setAdd(this.#open, source);
    this.#text += close === "]" ? "[" : "{";
    const frame = { source, close, keys, next, length, index: 0, written: false, at: 0, named: undefined };
    this.#frames[this.#frames.length] = frame;
  }
}
