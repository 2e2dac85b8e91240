/** What `store` keeps (spec 1.3), the same on both sides. */

import { utf8Length } from "./utf8-size.ts";

export const MAX_VALUE_BYTES = 262_144;
/** Of all keys and values. */
export const MAX_STORE_BYTES = 1_048_576;
export const MAX_KEY_CHARS = 256;

export const isStoreKey = (key: unknown): key is string =>
  typeof key === "string" && key !== "" && key.length <= MAX_KEY_CHARS;

export const valueBytes = (json: string): number => utf8Length(json);

export const entryBytes = (key: string, json: string): number => utf8Length(key) + utf8Length(json);
