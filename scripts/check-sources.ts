/** Holds source files to the rules no linter knows: names that say something, and comments in proportion. */

import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readSource } from "./read-source.ts";

/** Names under which anything could be found. */
const BANNED_NAMES = new Set(["utils", "common", "helpers", "shared", "types", "misc", "manager"]);
const FILE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.ts$/;
const MAX_COMMENT_SHARE = 0.25;

/** Sentences about what the path of a TypeScript file breaks. */
export function nameProblems(path: string): string[] {
  const words = path.replace(/(?:\.test)?\.ts$/, "").split("/");
  const banned = words.filter(
    (word) => BANNED_NAMES.has(word) || word.split("-").some((part) => BANNED_NAMES.has(part)),
  );
  const problems = banned.map((word) => `${path}: "${word}" says nothing about what is inside`);
  if (!FILE_NAME.test(basename(path))) problems.push(`${path}: file names are kebab-case`);
  return problems;
}

/** A sentence when comments are more than a quarter of a file's characters, type declarations aside. */
export function commentProblems(path: string, source: string): string[] {
  const { commentShare } = readSource(path, source);
  if (commentShare <= MAX_COMMENT_SHARE) return [];
  return [
    `${path}: ${Math.round(commentShare * 100)} % of it is comment; at most ${MAX_COMMENT_SHARE * 100} %`,
  ];
}

/** Problems of every TypeScript file below `root`: names everywhere, comments in `src`. */
export async function checkSources(root: string): Promise<string[]> {
  const found = await Promise.all(["src", "tests", "scripts"].map((folder) => typeScriptFiles(root, folder)));
  const problems = await Promise.all(
    found.flat().map(async (path) => {
      const names = nameProblems(path);
      return path.startsWith("src/")
        ? [...names, ...commentProblems(path, await readFile(join(root, path), "utf8"))]
        : names;
    }),
  );
  return problems.flat();
}

async function typeScriptFiles(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true });
  const paths = entries.map((path) => `${folder}/${path.replaceAll("\\", "/")}`);
  return paths.filter((path) => path.endsWith(".ts") && !path.includes("/fixtures/")).toSorted();
}

if (process.argv[1] === import.meta.filename) {
  const problems = await checkSources(dirname(import.meta.dirname));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
