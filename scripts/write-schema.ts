/** Writes `ptc.schema.json`, by which editors check and complete `ptc.json`, from the schema the package reads it with. */

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Type } from "typebox";
import { DEFAULT_SETTINGS } from "../src/base/settings.ts";
import { settingsSchema } from "../src/base/settings-schema.ts";

/** Where the schema lies in the package. */
export const SCHEMA_PATH = join(dirname(import.meta.dirname), "ptc.schema.json");

interface Leaf {
  default?: unknown;
  properties?: Record<string, Leaf>;
}

/** The file's text. */
export function schemaText(): string {
  const schema = JSON.parse(JSON.stringify(settingsSchema(Type))) as Leaf;
  addDefaults(schema, DEFAULT_SETTINGS);
  const head = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Settings of pi-ptc-subagents (ptc.json)",
  };
  return `${JSON.stringify({ ...head, ...schema }, undefined, 2)}\n`;
}

function addDefaults({ properties = {} }: Leaf, defaults: object): void {
  for (const [key, leaf] of Object.entries(properties)) {
    const value = (defaults as Record<string, unknown>)[key];
    if (leaf.properties) addDefaults(leaf, value as object);
    else if (value !== undefined) leaf.default = value;
  }
}

if (import.meta.main) writeFileSync(SCHEMA_PATH, schemaText());
