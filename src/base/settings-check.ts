/** Keeps of a settings object what the schema accepts, and says what is wrong with the rest. */

import type { TObject, TSchema } from "typebox";
import { LIMIT_RANGES, limitProblem, type PtcConfig } from "./limits.ts";
import { nearestName } from "./nearest-name.ts";
import { isObject, showValue } from "./settings-file.ts";
import type { TypeBox } from "./settings-schema.ts";

type Check = TypeBox["typeboxValue"]["Check"];

interface Level {
  schema: TObject;
  value: Record<string, unknown>;
  /** Name of the group with its dot; empty at the top. */
  prefix: string;
  /** What applies instead of the bad value of a key. */
  instead: (name: string) => string;
  report: (problem: string) => void;
}

/** The entries of `value` that the schema accepts; each other one is reported. */
export function pickValid(level: Level, check: Check): Record<string, unknown> {
  const { schema, value, prefix, report } = level;
  const good: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const name = prefix + key;
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (!property) {
      report(unknownKey(level, key, entry));
    } else if (isGroup(property)) {
      if (isObject(entry))
        good[key] = pickValid({ ...level, schema: property, value: entry, prefix: `${name}.` }, check);
      else
        report(
          `${name} is ${showValue(entry)}; it must be an object with ${Object.keys(property.properties).join(", ")}; ignored`,
        );
    } else if (check(property, entry) && limitFits(name, entry)) {
      good[key] = entry;
    } else {
      report(`${badValue({ name, entry, property }, check)}; ${level.instead(name)}`);
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
  { name, entry, property }: { name: string; entry: unknown; property: TSchema },
  check: Check,
): string {
  const { items } = property as { items?: TSchema };
  if (items && Array.isArray(entry)) {
    const index = entry.findIndex((item) => !check(items, item));
    return badValue({ name: `${name}[${index}]`, entry: entry[index], property: items }, check);
  }
  const key = limitKey(name);
  const accepted = (property as { description?: string }).description ?? "valid";
  const sentence = key && limitProblem(key, entry);
  return sentence ?? `${name} is ${showValue(entry)}; it must be ${accepted}`;
}

function limitKey(name: string): keyof PtcConfig | undefined {
  const key = name.startsWith("limits.") ? name.slice("limits.".length) : "";
  return Object.hasOwn(LIMIT_RANGES, key) ? (key as keyof PtcConfig) : undefined;
}

function unknownKey({ schema, prefix }: Level, key: string, entry: unknown): string {
  const known = Object.keys(schema.properties).filter((one) => !one.startsWith("$"));
  const near = nearestName(key, known);
  const name = near === undefined ? ofAGroup(schema, key) : prefix + near;
  const names = known.map((one) => prefix + one).join(", ");
  const hint = name === undefined ? `known keys: ${names}` : `did you mean ${name}?`;
  return `unknown key ${showValue(prefix + key)} with the value ${showValue(entry)}; ${hint}; ignored`;
}

/** The key of a group that was written beside it. */
function ofAGroup(schema: TObject, key: string): string | undefined {
  for (const [group, property] of Object.entries(schema.properties)) {
    const near = isGroup(property) ? nearestName(key, Object.keys(property.properties)) : undefined;
    if (near !== undefined) return `${group}.${near}`;
  }
  return undefined;
}

const isGroup = (schema: TSchema): schema is TObject =>
  isObject((schema as { properties?: unknown }).properties);
