/** The message of anything that was thrown. Reading it may run the thrower's code, which may throw again. */

import { cleanText, cutLine } from "./plain-text.ts";
import {
  bigintToString,
  getPrototypeOf,
  hasOwn,
  isArray,
  max,
  min,
  ownKeys,
  pairBoundary,
  slice,
  stringify,
  symbolToString,
  uncurry,
} from "./primordials.ts";

/** Longest text of one error; the middle of a longer one is left out. */
const MAX_TEXT = 16_000;
const TAIL = 4_000;
const MAX_PART = 1_000;
/** Errors described in one text: causes, listed errors and errors thrown while reading them. */
const MAX_ERRORS = 20;
const MAX_DEPTH = 5;
const MAX_LISTED = 5;
const MAX_FIELDS = 5;

const errorPrototype = Error.prototype;
const objectToString = uncurry(Object.prototype.toString);

/** What is left to spend on one text, and the errors it is inside of. */
interface Budget {
  errors: number;
  path: unknown[];
}

/**
 * The message of anything thrown: never throws, at most about 16,000 characters, cleaned. Line breaks of a
 * message stay. An error's class is named unless it is `Error`; causes and listed errors follow in brackets.
 */
export function errorText(thrown: unknown): string {
  try {
    return bounded(describe(thrown, { errors: MAX_ERRORS, path: [] }), MAX_TEXT) || "(empty text)";
  } catch {
    // Only a nearly full stack gets here; the caller still needs a text.
    return "an error that could not be described";
  }
}

/** Name of an error's class, or `Error` when it cannot be read. */
export function errorName(error: object): string {
  try {
    const { name } = error as { name?: unknown };
    return typeof name === "string" && name !== ""
      ? cutLine(cleanText(slice(name, 0, MAX_PART)), 100)
      : "Error";
  } catch {
    // A getter of the program's that throws: the name is not worth a message.
    return "Error";
  }
}

/** Is it an `Error`, by its prototypes or, when of another realm, by its tag? A proxy that refuses to say is none. */
export function isError(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    let prototype: unknown = getPrototypeOf(value);
    for (let step = 0; step < 50 && typeof prototype === "object" && prototype !== null; step += 1) {
      if (prototype === errorPrototype) return true;
      prototype = getPrototypeOf(prototype);
    }
    return objectToString(value) === "[object Error]";
  } catch {
    // The trap of a proxy or a tag that throws.
    return false;
  }
}

function describe(thrown: unknown, budget: Budget): string {
  if (typeof thrown !== "object" || thrown === null) return scalarText(thrown);
  if (budget.errors === 0 || budget.path.length === MAX_DEPTH) return "…";
  for (let index = 0; index < budget.path.length; index += 1)
    if (budget.path[index] === thrown) return "[Circular]";
  budget.errors -= 1;
  budget.path[budget.path.length] = thrown;
  const text = describeObject(thrown, budget);
  budget.path.length -= 1;
  return text;
}

function describeObject(thrown: object, budget: Budget): string {
  let message: unknown;
  try {
    ({ message } = thrown as { message?: unknown });
  } catch (error) {
    message = `[message throws: ${describe(error, budget)}]`;
  }
  if (!isError(thrown) && typeof message !== "string") return fieldsText(thrown, budget);
  const name = isError(thrown) ? errorName(thrown) : "Error";
  const text = typeof message === "string" ? message : message === undefined ? "" : describe(message, budget);
  const head = text === "" ? name : name === "Error" ? text : `${name}: ${text}`;
  return `${bounded(head, MAX_TEXT)}${listText(thrown, budget)}${causeText(thrown, budget)}`;
}

function causeText(thrown: object, budget: Budget): string {
  try {
    const { cause } = thrown as { cause?: unknown };
    return cause === undefined ? "" : ` (cause: ${bounded(describe(cause, budget), MAX_PART)})`;
  } catch {
    // An unreadable cause explains nothing; the message stands.
    return "";
  }
}

function listText(thrown: object, budget: Budget): string {
  try {
    const { errors } = thrown as { errors?: unknown };
    if (!isError(thrown) || !isArray(errors)) return "";
    const count = errors.length;
    let text = "";
    for (let index = 0; index < min(count, MAX_LISTED); index += 1) {
      text += `${index === 0 ? "" : "; "}${bounded(describe(errors[index], budget), MAX_PART)}`;
    }
    const more = count > MAX_LISTED ? `; …and ${count - MAX_LISTED} more` : "";
    return ` (${count} ${count === 1 ? "error" : "errors"}${count > 0 ? ": " : ""}${text}${more})`;
  } catch {
    // A list that cannot be read is as good as none.
    return "";
  }
}

/** The first fields of an object that is no error, one level deep. */
function fieldsText(thrown: object, budget: Budget): string {
  try {
    if (isArray(thrown)) return `an array of ${thrown.length}`;
    const keys = ownKeys(thrown);
    let text = "";
    for (let index = 0; index < min(keys.length, MAX_FIELDS); index += 1) {
      const key = keys[index] as string;
      const value: unknown = (thrown as Record<string, unknown>)[key];
      const inner = typeof value === "string" ? stringify(bounded(value, 200)) : describeField(value, budget);
      text += `${index === 0 ? "" : ", "}${cutLine(cleanText(slice(key, 0, MAX_PART)), 60)}: ${inner}`;
    }
    return `{${text}${keys.length > MAX_FIELDS ? `, …${keys.length - MAX_FIELDS} more` : ""}}`;
  } catch (error) {
    return `an object that throws when it is read: ${bounded(describe(error, budget), MAX_PART)}`;
  }
}

function describeField(value: unknown, budget: Budget): string {
  if (isError(value)) return bounded(describe(value, budget), MAX_PART);
  return typeof value === "object" && value !== null ? (isArray(value) ? "[…]" : "{…}") : scalarText(value);
}

function scalarText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "bigint":
      // Writing a huge one out takes quadratic time.
      return value < 10n ** 100n && value > -(10n ** 100n)
        ? bigintToString(value)
        : "a BigInt of over 100 digits";
    case "symbol":
      return symbolToString(value);
    case "function":
      return functionText(value);
    default:
      return `${value as number}`;
  }
}

/** `[Function: name]`; only a plain own `name` is believed. */
function functionText(value: object): string {
  try {
    const name: unknown = hasOwn(value, "name") ? (value as { name: unknown }).name : "";
    return typeof name === "string" && name !== "" ? `[Function: ${bounded(name, 100)}]` : "[Function]";
  } catch {
    // A proxy of a function that throws.
    return "[Function]";
  }
}

/** The text cleaned, and its middle left out when it is longer than `limit` characters. */
function bounded(text: string, limit: number): string {
  // Sequences that are taken out may make it fit, but the work on a huge text stays bounded.
  const huge = text.length > 4 * MAX_TEXT;
  const clean = cleanText(huge ? slice(text, 0, 2 * MAX_TEXT) + slice(text, -2 * MAX_TEXT) : text);
  if (!huge && clean.length <= limit) return clean;
  const tail = limit > TAIL * 2 ? TAIL : 0;
  const note = ` …${text.length - limit} characters left out… `;
  const start = pairBoundary(clean, max(0, limit - tail));
  return (
    slice(clean, 0, start) +
    (tail === 0 ? "…" : note + slice(clean, pairBoundary(clean, clean.length - tail)))
  );
}
