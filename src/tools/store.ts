/**
 * `store` and `load` on the session's side: the values programs keep, as JSON texts by key. Each successful
 * program that changed some appends one custom entry; the entries on the current branch, applied from the
 * root, are the store, so it follows `/tree` and survives a resume. Entries come from a file and are checked.
 */

import { errorText } from "../base/error-text.ts";
import {
  entryBytes,
  isStoreKey,
  MAX_KEY_CHARS,
  MAX_STORE_BYTES,
  MAX_VALUE_BYTES,
  valueBytes,
} from "../base/store-limits.ts";

/** Type of the custom session entries. */
export const STORE_ENTRY_TYPE = "ptc-store";

const MAX_WARNINGS = 10;

/** Data of one entry. `set` holds JSON texts. */
export interface StoreEntry {
  set: Record<string, string>;
  delete: string[];
}

/** What is read of a session entry. */
interface BranchEntry {
  type: string;
  customType?: string;
  data?: unknown;
}

/** Where a program's changes go and come from. */
export interface StoreAccess {
  branch(): readonly BranchEntry[];
  append(entry: StoreEntry): void;
}

/** The values of a branch, JSON texts by key. */
export function readStore(branch: readonly BranchEntry[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const entry of branch) {
    if (entry.type !== "custom" || entry.customType !== STORE_ENTRY_TYPE) continue;
    const { set, delete: removed } = asEntry(entry.data);
    for (const key of removed) values.delete(key);
    for (const [key, text] of Object.entries(set)) values.set(key, text);
  }
  // `fromEntries` makes own properties, of a key `__proto__` too.
  return Object.fromEntries(values);
}

/** The well-formed part of an entry's data. */
function asEntry(data: unknown): StoreEntry {
  const { set, delete: removed } = isObject(data) ? data : {};
  return {
    set: Object.fromEntries(
      Object.entries(isObject(set) ? set : {}).filter((pair): pair is [string, string] =>
        isKept(pair[0], pair[1]),
      ),
    ),
    delete: Array.isArray(removed) ? removed.filter((key) => typeof key === "string") : [],
  };
}

function isKept(key: string, text: unknown): boolean {
  if (typeof text !== "string" || !isStoreKey(key) || valueBytes(text) > MAX_VALUE_BYTES) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Somebody edited the session file; the other keys are good.
    return false;
  }
}

/**
 * Keeps the changes of a program that succeeded (`null` removes a key), last writer wins. A change that
 * does not fit is refused with a warning that names its key; the others are kept. Never throws.
 */
export function keepChanges(changes: Readonly<Record<string, string | null>>, access: StoreAccess): string[] {
  const pairs = Object.entries(changes);
  if (pairs.length === 0) return [];
  try {
    const { entry, warnings } = fitChanges(pairs, readStore(access.branch()));
    if (Object.keys(entry.set).length + entry.delete.length > 0) access.append(entry);
    return shorten(warnings);
  } catch (thrown) {
    // The session was replaced while the program ran, or cannot be written.
    return [
      `nothing was stored (${pairs
        .map(([key]) => show(key))
        .slice(0, 5)
        .join(", ")}): ${errorText(thrown)}`,
    ];
  }
}

function fitChanges(
  pairs: [string, string | null][],
  before: Record<string, string>,
): { entry: StoreEntry; warnings: string[] } {
  const values = new Map(Object.entries(before));
  const set = new Map<string, string>();
  const removed = pairs.flatMap(([key, text]) => (text === null && values.delete(key) ? [key] : []));
  let total = [...values].reduce((sum, [key, text]) => sum + entryBytes(key, text), 0);
  const warnings: string[] = [];
  for (const [key, text] of pairs) {
    const old = values.get(key);
    if (text === null || text === old) continue;
    const after = total - (old === undefined ? 0 : entryBytes(key, old)) + entryBytes(key, text);
    const problem = changeProblem(key, text, after);
    if (problem) {
      warnings.push(`store(${show(key)}) was not kept: ${problem}`);
      continue;
    }
    total = after;
    values.set(key, text);
    set.set(key, text);
  }
  return { entry: { set: Object.fromEntries(set), delete: removed }, warnings };
}

function changeProblem(key: string, text: string, totalAfter: number): string | undefined {
  if (!isStoreKey(key)) return `a key has 1 to ${MAX_KEY_CHARS} characters`;
  if (valueBytes(text) > MAX_VALUE_BYTES)
    return `its JSON is ${valueBytes(text)} bytes, at most ${MAX_VALUE_BYTES} are kept`;
  if (totalAfter > MAX_STORE_BYTES)
    return `the store would be ${totalAfter} bytes, at most ${MAX_STORE_BYTES} are kept`;
  return undefined;
}

const show = (key: string): string => JSON.stringify(key.length > 60 ? `${key.slice(0, 59)}…` : key);

function shorten(warnings: string[]): string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), `${warnings.length - MAX_WARNINGS} more values were not kept`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
