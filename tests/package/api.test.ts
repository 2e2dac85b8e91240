/** The package's main entry as others see it (spec 7): its declarations compile, and the changelog names what it exports. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { ConsumerFolder } from "./consumer.ts";
import { CHECKOUT } from "./packed.ts";

let consumer: ConsumerFolder;
beforeAll(async () => {
  await build();
  consumer = new ConsumerFolder();
}, 60_000);
afterAll(() => consumer.remove());

const read = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");
const EMBEDDER = read("tests/fixtures/consumer/embedder.ts");

test("a strict consumer compiles against the built declarations", async () => {
  const end = await consumer.compile(consumer.write("embedder.ts", EMBEDDER));
  expect(end).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.each([
  [
    "an option that is not there",
    'code: "return 1", bindings: [] }',
    'code: "return 1", bindings: [], runtme: 1 }',
  ],
  ["a kind of failure that is not there", '| "refused"', '| "refused" | "other"'],
  ["a claim that is wrong", 'Same<PtcRunOutcome["ok"], boolean>', 'Same<PtcRunOutcome["ok"], string>'],
])("it would not compile with %s", async (_what, from, to) => {
  expect(EMBEDDER).toContain(from);
  const end = await consumer.compile(consumer.write("wrong.ts", EMBEDDER.replace(from, to)));
  expect(end.code).not.toBe(0);
  expect(end.stdout).toContain("wrong.ts");
});

/** Names in code marks of the changelog's lines that begin with `start`. */
function namedBy(start: string): string[] {
  const lines = read("CHANGELOG.md")
    .replaceAll(/\n {2}/g, " ")
    .split("\n")
    .filter((line) => line.startsWith(`- ${start}: `));
  return lines.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string));
}

test("what is exported is what the changelog names, values and types", async () => {
  const declared = read("dist/types/index.d.ts");
  const clauses = [...declared.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(
    ([, names]) => names as string,
  );
  const names = clauses
    .join()
    .split(",")
    .map((name) => name.replace(/\btype\b/, "").trim());
  expect(declared.match(/^export /gm)).toHaveLength(clauses.length);
  const gone = new Set(namedBy("No longer exported"));
  expect(names.toSorted()).toEqual(
    namedBy("Exported")
      .filter((name) => !gone.has(name))
      .toSorted(),
  );

  const entry = (await import(pathToFileURL(join(CHECKOUT, "dist/index.js")).href)) as object;
  expect(names).toEqual(expect.arrayContaining(Object.keys(entry)));
});
