/** The list of exceptions is closed: what it leaves out has been decided. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VESSEL_EXCEPTIONS } from "./vessel-exceptions.ts";

const ROOT = join(import.meta.dirname, "../..");
const entries = VESSEL_EXCEPTIONS.flatMap(({ titles, ...entry }) =>
  titles.map((title) => ({ ...entry, title })),
);

test.each(entries)("an ADR names the exception of $vessel: $title", ({ vessel, title }) => {
  const records = readdirSync(join(ROOT, "adr")).map((name) => readFileSync(join(ROOT, "adr", name), "utf8"));
  const lines = records.flatMap((text) => text.split("\n"));
  expect(lines).toContain(`- ${vessel}: ${title}`);
});

test("exceptions are tests of the Node API, and what a thread of Node cannot stop", () => {
  const kinds = new Set(entries.map(({ vessel, kind }) => `${vessel}: ${kind}`));
  expect([...kinds].toSorted()).toEqual(["quickjs: node-api", "thread: thread-kill"]);
  for (const { file } of entries) expect(existsSync(join(ROOT, "tests", file))).toBe(true);
});
