/**
 * The `console` a program sees. Each call becomes one text with a level; nothing is printed here. A value
 * that cannot be formatted shows what it throws, so that no console call ever fails a program.
 */

import { cleanText } from "../base/plain-text.ts";
import { indexOf, mapDelete, mapGet, mapSet, max, min, slice, uncurry } from "../base/primordials.ts";
import { tableText } from "./console-table.ts";
import type { LogLevelKind } from "./protocol.ts";
import { failureText } from "./value-kind.ts";

/** Turns console arguments into text, as `util.format` does. May throw. */
export type FormatValues = (values: readonly unknown[]) => string;

type Emit = (level: LogLevelKind, text: string) => void;

const MAX_GROUPS = 20;
const captureStackTrace = (Error as Partial<typeof Error>).captureStackTrace;
const repeat = uncurry(String.prototype.repeat);
const toFixed = uncurry(Number.prototype.toFixed as (this: number, digits: number) => string);
const now = (globalThis.performance ?? Date).now.bind(globalThis.performance ?? Date);

/** A console that hands each entry to `emit`, cleaned and indented by its groups. Its methods need no `this`. */
export function createCapturedConsole(
  emit: Emit,
  format: FormatValues,
): Record<string, (...args: unknown[]) => void> {
  const printer = new Printer(emit, format);
  const print =
    (level: LogLevelKind) =>
    (...args: unknown[]) =>
      printer.print(level, args);
  const log = print("log");
  const trace = (...args: unknown[]): void => printer.trace(args, trace);
  return {
    log,
    info: print("info"),
    warn: print("warn"),
    error: print("error"),
    debug: print("debug"),
    dir: (value) => printer.print("log", [value]),
    dirxml: log,
    table: (data, columns) => printer.table(data, columns),
    trace,
    assert: (...args) => printer.assert(args),
    clear: () => {},
    group: (...args) => printer.group(args),
    groupCollapsed: (...args) => printer.group(args),
    groupEnd: () => printer.groupEnd(),
    ...timers(printer),
    ...counters(printer),
  };
}

function timers(printer: Printer): Record<string, (...args: unknown[]) => void> {
  const starts = new Map<string, number>();
  const tell = (label: string, rest: unknown[]): void => {
    const start = mapGet(starts, label);
    if (start === undefined) return printer.write("warn", `Timer "${label}" does not exist`);
    const after = rest.length === 0 ? "" : ` ${printer.text(rest)}`;
    printer.write("log", `${label}: ${toFixed(now() - start, 1)}ms${after}`);
  };
  return {
    time: (given) => {
      const label = printer.label(given);
      if (mapGet(starts, label) === undefined) mapSet(starts, label, now());
      else printer.write("warn", `Timer "${label}" already exists`);
    },
    timeLog: (given, ...rest) => tell(printer.label(given), rest),
    timeEnd: (given) => {
      const label = printer.label(given);
      tell(label, []);
      mapDelete(starts, label);
    },
  };
}

function counters(printer: Printer): Record<string, (...args: unknown[]) => void> {
  const counts = new Map<string, number>();
  return {
    count: (given) => {
      const label = printer.label(given);
      const count = (mapGet(counts, label) ?? 0) + 1;
      mapSet(counts, label, count);
      printer.write("log", `${label}: ${count}`);
    },
    countReset: (given) => {
      const label = printer.label(given);
      if (!mapDelete(counts, label)) printer.write("warn", `Count for "${label}" does not exist`);
    },
  };
}

class Printer {
  readonly #emit: Emit;
  readonly #format: FormatValues;
  #groups = 0;

  constructor(emit: Emit, format: FormatValues) {
    this.#emit = emit;
    this.#format = format;
  }

  print(level: LogLevelKind, values: readonly unknown[]): void {
    this.write(level, this.text(values));
  }

  write(level: LogLevelKind, text: string): void {
    const clean = cleanText(text);
    this.#emit(
      level,
      this.#groups === 0 ? clean : indented(clean, repeat("  ", min(this.#groups, MAX_GROUPS))),
    );
  }

  /** Text of the values together, or when one of them throws, of each by itself. */
  text(values: readonly unknown[]): string {
    try {
      return this.#format(values);
    } catch {
      // One value spoils them all; the others are still worth reading.
    }
    let text = "";
    for (let index = 0; index < values.length; index += 1)
      text += `${index === 0 ? "" : " "}${this.#alone(values[index])}`;
    return text;
  }

  #alone(value: unknown): string {
    try {
      return this.#format([value]);
    } catch (error) {
      return `[throws: ${failureText(error)}]`;
    }
  }

  /** Name of a timer or counter. */
  label(given: unknown): string {
    return given === undefined ? "default" : typeof given === "string" ? given : this.text([given]);
  }

  table(data: unknown, columns: unknown): void {
    const text = tableText(data, columns, (value) =>
      typeof value === "string" ? value : this.#alone(value),
    );
    if (text === undefined) this.print("log", [data]);
    else this.write("log", text);
  }

  trace(values: readonly unknown[], method: () => void): void {
    const text = values.length === 0 ? "" : `: ${this.text(values)}`;
    this.write("error", `Trace${text}${stackText(method)}`);
  }

  assert(values: readonly unknown[]): void {
    if (values[0]) return;
    const rest: unknown[] = [];
    for (let index = 1; index < values.length; index += 1) rest[index - 1] = values[index];
    this.write("error", rest.length === 0 ? "Assertion failed" : `Assertion failed: ${this.text(rest)}`);
  }

  group(values: readonly unknown[]): void {
    if (values.length > 0) this.print("log", values);
    this.#groups += 1;
  }

  groupEnd(): void {
    this.#groups = max(0, this.#groups - 1);
  }
}

function indented(text: string, indent: string): string {
  let out = indent;
  let from = 0;
  for (let end = indexOf(text, "\n"); end >= 0; end = indexOf(text, "\n", from)) {
    out += `${slice(text, from, end)}\n${indent}`;
    from = end + 1;
  }
  return out + slice(text, from);
}

/** Stack lines of the program that called `method`. Engines without `captureStackTrace` show none. */
function stackText(method: () => void): string {
  try {
    const holder: { stack?: unknown } = {};
    captureStackTrace?.(holder, method);
    const { stack } = holder;
    // The first line names an error that nobody threw.
    return typeof stack === "string" && indexOf(stack, "\n") >= 0 ? slice(stack, indexOf(stack, "\n")) : "";
  } catch {
    // A program may have replaced how stacks are prepared; the message stands without one.
    return "";
  }
}
