/**
 * Reads `<agent dir>/ptc.json`. A file that is absent means the defaults; everything else that is wrong is
 * told in sentences that name the file, the key, the value and what is accepted. A bad key falls back to its
 * default and the others are kept. Nothing is ever written and nothing throws.
 *
 * Reading is synchronous and happens once: a file caught half-written by an editor is reported as broken
 * and read again when the next session starts.
 */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TObject, TSchema } from "typebox";
import { DEFAULT_CONFIG, LIMIT_RANGES, limitProblem, MAX_TIMER_MS, type PtcConfig } from "./limits.ts";
import { nearestName } from "./nearest-name.ts";

/** pi's copy of TypeBox, handed in because built files import no host package. */
export interface TypeBox {
  typebox: Pick<typeof import("typebox"), "Type">;
  typeboxValue: Pick<typeof import("typebox/value"), "Check">;
}

/** Which engine runs programs (spec 1.12). */
export type EngineKind = "node" | "quickjs";

/** `wake`: at once, with a run of its own when idle; `steer`: in runs that happen anyway; `quiet`: only when it looks. */
export type NotifyKind = "wake" | "steer" | "quiet";

/** What the user may set. */
export interface PtcSettings {
  limits: Readonly<PtcConfig>;
  /** Vessel of the node engine; absent = decided by what runs pi. */
  isolation?: "process" | "thread";
  engine: EngineKind;
  /** Days that files with complete texts are kept. */
  retention: Readonly<{
    outputDays: number;
    /** Days that ended tasks are kept. */
    taskDays: number;
    /** Ended tasks that a session keeps. */
    maxTasks: number;
  }>;
  /** How the model hears of tasks that ended. */
  notify: NotifyKind;
  /** Longest wait of `pi -p` for running tasks, in milliseconds. */
  printWaitMs: number;
  /** Rows for running children above the editor. */
  widget: boolean;
  /** Most estimated tokens that tool declarations take in a description. */
  declarationBudget: number;
  /** Absolute path of the executable that runs children; absent = the pi that runs us. */
  command?: string;
  /** More arguments for every child. */
  childArgs: readonly string[];
  /** Tools that read-only children may have beside those that read files. */
  readOnlyTools: readonly string[];
}

/** Settings that always work, and one sentence for each thing in the file that was ignored. */
export interface SettingsReading {
  path: string;
  settings: Readonly<PtcSettings>;
  problems: string[];
}

/** Name of the settings file inside pi's agent folder. */
export const SETTINGS_FILE = "ptc.json";

/** A settings file larger than this is somebody else's. */
const MAX_FILE_BYTES = 1_048_576;

/** What applies without a file. */
export const DEFAULT_SETTINGS: Readonly<PtcSettings> = Object.freeze({
  limits: DEFAULT_CONFIG,
  engine: "node",
  retention: Object.freeze({ outputDays: 7, taskDays: 30, maxTasks: 500 }),
  notify: "wake",
  printWaitMs: 600_000,
  widget: true,
  declarationBudget: 3_000,
  childArgs: Object.freeze([]),
  readOnlyTools: Object.freeze([]),
});

/** Schema of the file. Each leaf's `description` says, after "it must be", what is accepted. */
export function settingsSchema(type: TypeBox["typebox"]["Type"]): TObject {
  const limits = Object.entries(LIMIT_RANGES).map(([key, { min, max, integer }]) => {
    const range = {
      minimum: min,
      maximum: max,
      description: `${integer ? "a whole number" : "a number"} from ${min} to ${max}`,
    };
    return [key, type.Optional(integer ? type.Integer(range) : type.Number(range))] as const;
  });
  const closed = { additionalProperties: false };
  const days = { minimum: 1, maximum: 3_650, description: "a number of days from 1 to 3650" };
  const tasks = { minimum: 1, maximum: 100_000, description: "a whole number of tasks from 1 to 100000" };
  const wait = {
    minimum: 0,
    maximum: MAX_TIMER_MS,
    description: `a whole number of milliseconds from 0 to ${MAX_TIMER_MS}`,
  };
  const path = { pattern: "\\S", description: "the absolute path of an executable" };
  const budget = { minimum: 0, maximum: 100_000, description: "a whole number of tokens from 0 to 100000" };
  const listOf = (item: TSchema, description: string): TSchema =>
    type.Optional(type.Array(item, { description: `a list of ${description}` }));
  const oneOf = (values: string[]): TSchema =>
    type.Optional(
      type.Union(
        values.map((value) => type.Literal(value)),
        { description: values.map((value) => JSON.stringify(value)).join(" or ") },
      ),
    );
  return type.Object(
    {
      limits: type.Optional(type.Object(Object.fromEntries(limits), closed)),
      isolation: oneOf(["process", "thread"]),
      engine: oneOf(["node", "quickjs"]),
      retention: type.Optional(
        type.Object(
          {
            outputDays: type.Optional(type.Number(days)),
            taskDays: type.Optional(type.Number(days)),
            maxTasks: type.Optional(type.Integer(tasks)),
          },
          closed,
        ),
      ),
      notify: oneOf(["wake", "steer", "quiet"]),
      printWaitMs: type.Optional(type.Integer(wait)),
      widget: type.Optional(type.Boolean({ description: "true or false" })),
      declarationBudget: type.Optional(type.Integer(budget)),
      command: type.Optional(type.String(path)),
      childArgs: listOf(
        type.String({ pattern: "^[^\\u0000]*$", description: "a string: one argument for pi" }),
        "strings, each one argument for pi",
      ),
      readOnlyTools: listOf(
        type.String({ pattern: "\\S", description: "a string: the name of a tool" }),
        "strings, each the name of a tool",
      ),
    },
    closed,
  );
}

/** Reads the user's settings from `agentDir`. */
export function readSettings(agentDir: string, typebox: TypeBox): SettingsReading {
  const path = join(agentDir, SETTINGS_FILE);
  const problems: string[] = [];
  const report = (problem: string): void => void problems.push(`${path}: ${problem}`);
  const given = readObject(path, report);
  const schema = settingsSchema(typebox.typebox.Type);
  const good = given
    ? pickValid({ schema, value: given, prefix: "", report }, typebox.typeboxValue.Check)
    : {};
  return { path, settings: merge(good), problems };
}

function merge(good: Record<string, unknown>): Readonly<PtcSettings> {
  const { limits, retention, ...rest } = good as Partial<PtcSettings>;
  return Object.freeze({
    ...DEFAULT_SETTINGS,
    ...rest,
    limits: Object.freeze({ ...DEFAULT_SETTINGS.limits, ...limits }),
    retention: Object.freeze({ ...DEFAULT_SETTINGS.retention, ...retention }),
  });
}

/** The file as an object; undefined when absent or unusable. */
function readObject(path: string, report: (problem: string) => void): Record<string, unknown> | undefined {
  let text: string;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) {
      // Opening a pipe or a device would block pi.
      report(
        `this is ${stats.isDirectory() ? "a directory" : "no regular file"}, not a settings file; the defaults apply`,
      );
      return undefined;
    }
    if (stats.size > MAX_FILE_BYTES) {
      report(`the file has ${stats.size} bytes; settings have at most ${MAX_FILE_BYTES}; the defaults apply`);
      return undefined;
    }
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") report(`cannot be read (${code ?? message}); the defaults apply`);
    return undefined;
  }
  return parseObject(text, report);
}

function parseObject(text: string, report: (problem: string) => void): Record<string, unknown> | undefined {
  if (text.trim() === "") {
    report("the file is empty; write {} or delete it; the defaults apply");
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    report(`not valid JSON (${error instanceof Error ? error.message : String(error)}); the defaults apply`);
    return undefined;
  }
  if (isObject(value)) return value;
  report(`the file holds ${show(value)}; it must hold one JSON object; the defaults apply`);
  return undefined;
}

interface Level {
  schema: TObject;
  value: Record<string, unknown>;
  prefix: string;
  report: (problem: string) => void;
}

/** The entries of `value` that the schema accepts; each other one is reported. */
function pickValid(level: Level, check: TypeBox["typeboxValue"]["Check"]): Record<string, unknown> {
  const { schema, value, prefix, report } = level;
  const good: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const name = prefix + key;
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (!property) {
      report(
        unknownKey(
          name,
          entry,
          Object.keys(schema.properties).map((known) => prefix + known),
        ),
      );
    } else if (isGroup(property)) {
      if (isObject(entry))
        good[key] = pickValid({ schema: property, value: entry, prefix: `${name}.`, report }, check);
      else
        report(
          `${name} is ${show(entry)}; it must be an object with ${Object.keys(property.properties).join(", ")}; ignored`,
        );
    } else if (check(property, entry) && limitFits(name, entry)) {
      good[key] = entry;
    } else {
      report(badValue(name, entry, property, check));
    }
  }
  return good;
}

/** TypeBox has no say over `Infinity`, which JSON writes as 1e999; the limits do. */
function limitFits(name: string, entry: unknown): boolean {
  const key = limitKey(name);
  return key === undefined || limitProblem(key, entry) === undefined;
}

function badValue(
  name: string,
  entry: unknown,
  property: TSchema,
  check: TypeBox["typeboxValue"]["Check"],
): string {
  const { items } = property as { items?: TSchema };
  if (items && Array.isArray(entry)) {
    const index = entry.findIndex((item) => !check(items, item));
    return badValue(`${name}[${index}]`, entry[index], items, check);
  }
  const key = limitKey(name);
  const accepted = (property as { description?: string }).description ?? "valid";
  const sentence = key && limitProblem(key, entry);
  return `${sentence ?? `${name} is ${show(entry)}; it must be ${accepted}`}; the default applies`;
}

function limitKey(name: string): keyof PtcConfig | undefined {
  const key = name.startsWith("limits.") ? name.slice("limits.".length) : "";
  return Object.hasOwn(LIMIT_RANGES, key) ? (key as keyof PtcConfig) : undefined;
}

function unknownKey(name: string, entry: unknown, known: string[]): string {
  const near = nearestName(name, known);
  const hint = near ? `did you mean ${near}?` : `known keys: ${known.join(", ")}`;
  return `unknown key ${show(name)} with the value ${show(entry)}; ${hint}; ignored`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isGroup = (schema: TSchema): schema is TObject =>
  isObject((schema as { properties?: unknown }).properties);

/** A JSON value in at most some 60 characters. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (isObject(value)) return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
