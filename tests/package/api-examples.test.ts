/** The page on the main entry: its examples compile and run as somebody else would have them, and its tables are complete. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { withAnsweringChildren } from "./answering-children.ts";
import { ConsumerFolder } from "./consumer.ts";
import { bareName, declaredKeys } from "./declared-keys.ts";
import { CHECKOUT } from "./packed.ts";
import { Examples, readPage, table } from "./pages.ts";

const PAGE = "docs/api.md";
const examples = new Examples([PAGE]);

let consumer: ConsumerFolder;
beforeAll(async () => {
  await build();
  consumer = new ConsumerFolder();
}, 60_000);
afterAll(() => consumer.remove());

const written: string[] = [];

/** Runs the example that holds `part` and gives the lines it printed. */
async function printed(part: string): Promise<string[]> {
  const path = consumer.write(`example-${written.length}.ts`, examples.take(PAGE, part));
  written.push(path);
  const { code, stdout, stderr } = await consumer.run([path]);
  expect(code, stderr).toBe(0);
  return stdout.trimEnd().split("\n");
}

describe("docs/api.md", () => {
  test("shows a workflow that counts the lines of a file", async () => {
    const { length } = readFileSync(join(consumer.path, "package.json"), "utf8").split("\n");
    expect(await printed('tool: "workflow"')).toEqual([`lines: ${length} calls: 1`]);
  }, 30_000);

  test("shows a binding of one's own that answers and refuses", async () => {
    expect(await printed('name: "stock"')).toEqual(['{"found":{"count":12},"missing":"no such part"}']);
  }, 30_000);

  test("shows which bindings there are", async () => {
    expect(await printed("all.map")).toEqual(["read bash edit write grep find ls pi.dispatch", "read grep"]);
  }, 30_000);

  test("shows limits that are taken, and one that is refused by name", async () => {
    const [value, problem] = await printed("DEFAULT_CONFIG.timeoutMs");
    expect(value).toBe("42");
    expect(problem).toMatch(/timeoutMs is 0; it must be a whole number from 1 to/);
  }, 30_000);

  test("shows a child in the background and what it said", async () => {
    const lines = await withAnsweringChildren(consumer.path, () => printed("Promise.withResolvers"));
    expect(lines[0]).toBe("greeting succeeded 1 Here it is.");
  }, 30_000);

  test("shows nothing that does not compile strictly against the built declarations", async () => {
    expect(written).toHaveLength(5);
    expect(await consumer.compile(...written)).toEqual({ code: 0, stdout: "", stderr: "" });
  }, 30_000);

  test("names every export once, and has a heading for each type", () => {
    const declared = readFileSync(join(CHECKOUT, "dist/types/index.d.ts"), "utf8");
    const exported = [...declared.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
      .flatMap(([, names]) => (names as string).split(","))
      .map((name) => name.replace(/\btype\b/, "").trim());
    const named = table(PAGE, "export").flatMap(([name, what]) =>
      name === "[types](#types)" ? (what ?? "").split(", ") : [/\w+/.exec(name ?? "")?.[0]],
    );
    expect(named.toSorted()).toEqual(exported.toSorted());
    const headings = readPage(PAGE).match(/^#+ .*$/gm) ?? [];
    for (const name of exported.filter((one) => one !== "PtcConfig"))
      expect(headings.filter((heading) => heading.endsWith(` ${name}`))).toHaveLength(1);
  });

  test.each([
    [PAGE, "option", "embed/run-ptc-program", "RunPtcProgramOptions"],
    [PAGE, "key", "program/outcome", "PtcRunOutcome"],
    [PAGE, "method", "embed/background-runtime", "BackgroundTaskRuntime"],
    ["docs/background.md", "option", "embed/background-runtime", "BackgroundTaskRuntimeOptions"],
    ["docs/dispatch.md", "field | default", "children/dispatch", "DispatchInput"],
    ["docs/dispatch.md", "field | meaning", "children/dispatch", "DispatchResult"],
  ])("%s has in its table of %s each key of %s: %s", (page, head, file, name) => {
    const listed = table(page, head).flatMap(([names = ""]) => names.replaceAll(/\(.*\)/g, "").split(", "));
    expect(listed.map(bareName).toSorted()).toEqual(declaredKeys(file, name).toSorted());
  });

  test("has a row for each key of a task's record", () => {
    const rows = readPage(PAGE).split("### TaskRecord")[1] ?? "";
    const listed = [...rows.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) =>
      (names as string).split(", "),
    );
    expect(listed.map((name) => bareName(name.replaceAll("`", ""))).toSorted()).toEqual(
      declaredKeys("tasks/record", "TaskRecord").toSorted(),
    );
  });

  test("no example was left out", () => {
    expect(examples.problems()).toEqual([]);
  });
});
