/** Source files that look like those of a small service, the same every time. */

import { randomNumbers } from "./job.ts";

const AREAS = ["billing", "orders", "users", "stock", "search", "mail", "audit", "rates"];
const VERBS = ["load", "store", "check", "merge", "split", "count", "route", "trim"];

/** What varies between files. */
export interface SourceOptions {
  count: number;
  seed: number;
  /** Numbers of the files that call the old logger. */
  old?: readonly number[];
  /** Numbers of the files in which an exported function has no comment. */
  bare?: readonly number[];
}

/** Paths `src/<area>-<number>.ts` and their texts, some 70 lines each. */
export function sourceFiles({ count, seed, old = [], bare = [] }: SourceOptions): Record<string, string> {
  const random = randomNumbers(seed);
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] as string;
  const files: Record<string, string> = {};
  for (let file = 0; file < count; file += 1) {
    const area = AREAS[file % AREAS.length] as string;
    const lines = [`import { db } from "./db.ts";`, `import { logger, oldLog } from "./log.ts";`, ""];
    for (let part = 0; part < 5; part += 1) {
      const name = `${pick(VERBS)}${area[0]?.toUpperCase()}${area.slice(1)}${part}`;
      if (!(part === 2 && bare.includes(file))) lines.push(`/** Does the ${pick(VERBS)} step of ${area}. */`);
      lines.push(`export async function ${name}(id: string, amount: number): Promise<number> {`);
      lines.push(`  const rows = await db.query("select * from ${area} where id = ?", [id]);`);
      for (let step = 0; step < 4; step += 1)
        lines.push(`  const step${step} = rows.length * ${Math.ceil(random() * 90)} + amount * ${step + 1};`);
      if (part === 3 && old.includes(file)) lines.push(`  oldLog("${name} took " + step3, "info");`);
      lines.push(`  logger.info("${name} is done", { id });`);
      lines.push(`  return step0 + step1 + step2 + step3;`, `}`, "");
    }
    files[`src/${area}-${String(file).padStart(2, "0")}.ts`] = lines.join("\n");
  }
  return files;
}
