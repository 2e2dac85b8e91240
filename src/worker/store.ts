/** `store` and `load`: small JSON values that later programs of the same branch see. */

import { jsonProblem } from "../base/plain-json.ts";
import {
  entryBytes,
  isStoreKey,
  MAX_KEY_CHARS,
  MAX_STORE_BYTES,
  MAX_VALUE_BYTES,
  valueBytes,
} from "../base/store-limits.ts";

const { parse, stringify } = JSON;

/** Values of one run: what it started with, and what it changed. */
export class ProgramStore {
  readonly #values: Map<string, string>;
  readonly #changes = new Map<string, string | null>();
  #bytes: number;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(values));
    this.#bytes = 0;
    for (const [key, text] of this.#values) this.#bytes += entryBytes(key, text);
  }

  /** Keeps a JSON value; `undefined` removes the key. Throws when it is no JSON or too large. */
  readonly store = (key: unknown, value: unknown): void => {
    if (!isStoreKey(key))
      throw new TypeError(`store: the key must be a string of 1 to ${MAX_KEY_CHARS} characters`);
    const before = this.#values.get(key);
    const problem = value === undefined ? undefined : jsonProblem(value, `the value of "${key}"`);
    if (problem !== undefined) throw new TypeError(`store: ${problem}; only plain JSON is kept`);
    const text = value === undefined ? undefined : stringify(value);
    if (value !== undefined && text === undefined)
      throw new TypeError(`store: the value of "${key}" is a ${typeof value}, not JSON`);
    const size = text === undefined ? 0 : valueBytes(text);
    if (size > MAX_VALUE_BYTES) {
      throw new RangeError(
        `store: the value of "${key}" is ${size} bytes of JSON; at most ${MAX_VALUE_BYTES} are kept. Write it to a file and store its path`,
      );
    }
    const total =
      this.#bytes -
      (before === undefined ? 0 : entryBytes(key, before)) +
      (text === undefined ? 0 : entryBytes(key, text));
    if (total > MAX_STORE_BYTES) {
      throw new RangeError(
        `store: with "${key}" the store would be ${total} bytes; at most ${MAX_STORE_BYTES} are kept. Remove keys with store(key, undefined)`,
      );
    }
    this.#bytes = total;
    if (text === undefined) this.#values.delete(key);
    else this.#values.set(key, text);
    this.#changes.set(key, text ?? null);
  };

  /** A fresh copy of a kept value, or undefined. */
  readonly load = (key: unknown): unknown => {
    const text = typeof key === "string" ? this.#values.get(key) : undefined;
    return text === undefined ? undefined : parse(text);
  };

  /** Changed keys as JSON texts; null = removed. */
  changes(): Record<string, string | null> {
    const changes = Object.create(null) as Record<string, string | null>;
    for (const [key, text] of this.#changes) changes[key] = text;
    return changes;
  }
}
