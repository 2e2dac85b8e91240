/** Keys of what the package declares, for tables in pages that have a row for each. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./packed.ts";

/** Keys of an interface as the built declarations of `file` have it. */
export function declaredKeys(file: string, name: string): string[] {
  const text = readFileSync(join(CHECKOUT, "dist/types", `${file}.d.ts`), "utf8");
  const [, body] = new RegExp(`interface ${name} \\{\n([^]*?)\n\\}`).exec(text) ?? [];
  if (body === undefined) throw new Error(`${file} declares no interface ${name}`);
  return [...body.matchAll(/^ {4}(\w+)\??[:(]/gm)].map(([, key]) => key as string);
}

/** A name without its parameters and its mark for what may be absent. */
export const bareName = (name: string): string => /^\w*/.exec(name.trim())?.[0] ?? "";
