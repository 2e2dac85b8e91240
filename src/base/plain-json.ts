/** Two views on values that should be JSON: one makes them so, one says where they are not. */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deepest nesting that is copied. */
const MAX_DEPTH = 200;
/** Most values that are copied: shared references would otherwise grow without end. */
const MAX_VALUES = 4_000_000;

/** Copies one value at a depth; undefined when JSON has no word for it. */
type Copy = (value: unknown, depth: number) => Json | undefined;

/**
 * A JSON copy of anything a tool may have returned. What JSON has no word for is left out of objects and is
 * `null` in arrays, as in `JSON.stringify`; so are cycles, getters that throw, and all below 200 levels. A value
 * of over 4 million parts is `null`. Never throws.
 */
export function toPlainJson(value: unknown): Json {
  for (const createCopy of [quickCopy, carefulCopy]) {
    const budget = new Budget();
    try {
      return createCopy(budget)(value, 0) ?? null;
    } catch {
      // Most often a cycle, else code of the tool's that throws: once more, with care. A proxy may throw even then.
      if (budget.left < 0) return null;
    }
  }
  return null;
}

class Budget {
  left = MAX_VALUES;

  spend(parts: number): void {
    this.left -= parts + 1;
    if (this.left < 0) throw new RangeError("too many values");
  }
}

/** For what is JSON already, as nearly everything is: throws at what is not. */
function quickCopy(budget: Budget): Copy {
  const copy: Copy = (value, depth) => {
    if (typeof value !== "object" || value === null) return scalar(value);
    if (depth > MAX_DEPTH) throw new RangeError("nested too deep");
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw new TypeError("no plain JSON");
    if (Array.isArray(value)) {
      budget.spend(value.length);
      const items: Json[] = [];
      for (let index = 0; index < value.length; index++) items.push(copy(value[index], depth + 1) ?? null);
      return items;
    }
    const keys = Object.keys(value);
    budget.spend(keys.length);
    const entries: { [key: string]: Json } = {};
    for (const key of keys) setEntry(entries, key, copy((value as Record<string, unknown>)[key], depth + 1));
    return entries;
  };
  return copy;
}

/** For everything else: what throws or comes round again costs only itself. */
function carefulCopy(budget: Budget): Copy {
  const open = new Set<object>();
  const copy: Copy = (value, depth) => {
    if (typeof value !== "object" || value === null) return scalar(value);
    if (depth > MAX_DEPTH || open.has(value)) return null;
    open.add(value);
    const own = read(value, "toJSON");
    const copied = typeof own === "function" ? copy(called(value, own), depth + 1) : copyParts(value, depth);
    open.delete(value);
    return copied;
  };
  const copyParts = (value: object, depth: number): Json => {
    if (Array.isArray(value)) {
      budget.spend(value.length);
      return Array.from({ length: value.length }, (_, index) => copy(read(value, index), depth + 1) ?? null);
    }
    const keys = Object.keys(value);
    budget.spend(keys.length);
    const entries: { [key: string]: Json } = {};
    for (const key of keys) setEntry(entries, key, copy(read(value, key), depth + 1));
    return entries;
  };
  return copy;
}

function scalar(value: unknown): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "bigint" ? value.toString() : undefined;
}

function setEntry(entries: { [key: string]: Json }, key: string, value: Json | undefined): void {
  if (value === undefined) return;
  // Assigning it would set the prototype.
  if (key === "__proto__") {
    Object.defineProperty(entries, key, { value, enumerable: true, configurable: true, writable: true });
  } else entries[key] = value;
}

function read(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch {
    // A getter that throws has no value.
    return null;
  }
}

function called(value: object, toJson: Function): unknown {
  try {
    return toJson.call(value);
  } catch {
    // See `read`.
    return null;
  }
}

/**
 * Says where `value` is no plain JSON, as `args.a.b[0] is NaN`; undefined when it is. Unlike JSON itself
 * it objects to what would be changed or lost on the way.
 */
export function jsonProblem(value: unknown, path: string): string | undefined {
  try {
    return problemAt(value, path, new Set());
  } catch {
    return `${path} cannot be read: a getter or proxy in it throws, or it is nested too deep`;
  }
}

function problemAt(value: unknown, path: string, open: Set<object>): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (typeof value !== "object") return `${path} is ${nameOf(value)}`;
  if (open.has(value)) return `${path} is a cycle`;
  if (open.size >= MAX_DEPTH) return `${path} is nested more than ${MAX_DEPTH} deep`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== null && prototype !== Object.prototype)
    return `${path} is a ${classOf(value)}`;
  open.add(value);
  const problem = Array.isArray(value)
    ? problemInArray(value, path, open)
    : problemInObject(value, path, open);
  open.delete(value);
  return problem;
}

function problemInArray(value: readonly unknown[], path: string, open: Set<object>): string | undefined {
  for (let index = 0; index < value.length; index++) {
    const problem = problemAt(value[index], `${path}[${index}]`, open);
    if (problem) return problem;
  }
  return undefined;
}

function problemInObject(value: object, path: string, open: Set<object>): string | undefined {
  for (const [key, entry] of Object.entries(value)) {
    const at = /^[A-Za-z_$][\w$]*$/.test(key)
      ? `${path}.${key}`
      : `${path}[${JSON.stringify(key.slice(0, 80))}]`;
    const problem = problemAt(entry, at, open);
    if (problem) return problem;
  }
  return undefined;
}

const nameOf = (value: unknown): string => (value === undefined ? "undefined" : `a ${typeof value}`);

function classOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name.slice(0, 60) : "class instance";
}
