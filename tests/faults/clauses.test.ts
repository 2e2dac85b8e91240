/** Every clause of spec 6 that is listed has a test of that title, and no item is forgotten. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLAUSES, type ClauseTest } from "./clauses.ts";

const TESTS = join(import.meta.dirname, "..");
const ITEMS = Array.from({ length: 34 }, (_, index) => index + 1);

/** Why there is no such test, or undefined where there is one. */
function problemOf({ file, title, row }: ClauseTest): string | undefined {
  const path = join(TESTS, `${file}.test.ts`);
  if (!existsSync(path)) return `tests/${file}.test.ts is missing`;
  const source = readFileSync(path, "utf8");
  const at = ['"', "'", "`"]
    .map((quote) => source.indexOf(quote + title + quote))
    .find((index) => index >= 0);
  if (at === undefined) return `tests/${file}.test.ts has no test called "${title}"`;
  if (/\b(?:skip|todo)\([^"]*$/.test(source.slice(Math.max(0, at - 60), at))) return `"${title}" is skipped`;
  if (row !== undefined && !source.includes(row)) return `tests/${file}.test.ts has no row with "${row}"`;
  return undefined;
}

test("every clause has a test, and each test named is there", () => {
  expect(CLAUSES.filter(({ tests }) => tests.length === 0)).toEqual([]);
  const problems = CLAUSES.flatMap(({ item, clause, tests }) =>
    tests.flatMap((named) => problemOf(named) ?? []).map((problem) => `${item}, ${clause}: ${problem}`),
  );
  expect(problems).toEqual([]);
});

test("a test that is not there is noticed, and so is a row", () => {
  const file = "faults/clauses";
  expect(problemOf({ file: "faults/nothing", title: "x" })).toMatch(/is missing$/);
  const absent = ["never", "in", "here"].join(" ");
  expect(problemOf({ file, title: absent })).toMatch(/has no test called/);
  const title = "a test that is not there is noticed, and so is a row";
  expect(problemOf({ file, title })).toBeUndefined();
  expect(problemOf({ file, title, row: absent })).toMatch(/has no row with/);
});

test("no item is left out, and no clause stands twice", () => {
  expect([...new Set(CLAUSES.map(({ item }) => item))].toSorted((one, other) => one - other)).toEqual(ITEMS);
  const names = CLAUSES.map(({ item, clause }) => `${item} ${clause}`);
  expect(names).toEqual([...new Set(names)]);
});
