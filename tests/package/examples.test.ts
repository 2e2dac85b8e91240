/** Every example in the documents, read from them and run; what cannot run is held against what it speaks of. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import * as typeboxValue from "typebox/value";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { SCHEMA_PATH, schemaText } from "../../scripts/write-schema.ts";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { OLDEST_PI } from "../../src/base/pi-version.ts";
import { DEFAULT_SETTINGS, readSettings, settingsSchema } from "../../src/base/settings.ts";
import { createBuiltinBindings, type PtcRunOutcome, runPtcProgram } from "../../src/index.ts";
import { findAgents } from "../../src/children/agents.ts";
import type { Binding, Json } from "../../src/program/outcome.ts";
import { TASK_STATUSES } from "../../src/tasks/record.ts";
import { programOutputSchema } from "../../src/tools/output-schema.ts";
import { runWith, testRunner } from "../program/vessels.ts";
import { ANSWERED_REPORT, withAnsweringChildren } from "./answering-children.ts";
import { ConsumerFolder } from "./consumer.ts";
import { CHECKOUT } from "./packed.ts";
import { Examples, PAGES, readPage, table } from "./pages.ts";

/** Pages whose examples are tried in the other test files of this folder. */
const ELSEWHERE = [
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/surfaces.md",
  "docs/permissions.md",
  "docs/api.md",
  "docs/architecture.md",
];
const read = readPage;
const examples = new Examples(PAGES.filter((page) => !ELSEWHERE.includes(page)));
const example = (page: string, part: string): string => examples.take(page, part);

let consumer: ConsumerFolder;
beforeAll(async () => {
  await build();
  consumer = new ConsumerFolder();
}, 60_000);
afterAll(() => consumer.remove());

/** Runs a program with pi's own tools. */
async function run(code: string, cwd: string, more: object = {}): Promise<PtcRunOutcome> {
  return runPtcProgram({ code, cwd, bindings: createBuiltinBindings({ cwd }), ...more });
}

describe("README.md", () => {
  test("shows a program that finds the modules of this repository that import most of their neighbours", async () => {
    const outcome = await run(example("README.md", "git ls-files"), CHECKOUT);
    expect(outcome.text).not.toContain("failed");
    const importsOf = (path: string): number =>
      readFileSync(join(CHECKOUT, path), "utf8").split(' from "./').length +
      readFileSync(join(CHECKOUT, path), "utf8").split(' from "../').length -
      2;
    const counts = readdirSync(join(CHECKOUT, "src"), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => importsOf(join("src", name)));
    const rows = outcome.value as { path: string; imports: number }[];
    expect(rows.map(({ imports }) => imports)).toEqual(counts.toSorted((a, b) => b - a).slice(0, 5));
    for (const { path, imports } of rows) expect(importsOf(path)).toBe(imports);
  });

  test("names the package and the oldest pi; its other examples are in quick-start.test.ts", () => {
    const manifest = JSON.parse(read("package.json")) as { name: string };
    expect(read("README.md")).toContain(`pi install npm:${manifest.name}`);
    expect(read("README.md")).toContain(`pi ${OLDEST_PI} or newer is needed`);
    for (const part of ["pi install .", "Which five", "scout.md", "npx pnpm@12 demo"])
      example("README.md", part);
  });
});

describe("docs/programs.md", () => {
  const PAGE = "docs/programs.md";

  test("shows a program that reads a manifest", async () => {
    const { value } = await run(example(PAGE, "manifest.scripts"), CHECKOUT);
    expect(value).toMatchObject({
      name: "pi-ptc-subagents",
      scripts: expect.arrayContaining(["demo", "test"]),
    });
  });

  test.each([
    ["exit 0", "passed"],
    ["echo no luck >&2; exit 3", { failed: expect.stringContaining("no luck") }],
  ])("shows a program that tells how tests went: `%s`", async (script, value) => {
    const cwd = join(consumer.path, `tests-${script.length}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts: { test: script } }));
    const outcome = await run(example(PAGE, "npm test"), cwd);
    expect(outcome.value).toEqual(value);
  });

  test("shows a workflow over paths, of which one is missing", async () => {
    const script = example(PAGE, "await pipeline(");
    const paths = ["package.json", "LICENSE", "no-such-file"];
    const outcome = await run(script, CHECKOUT, { tool: "workflow", args: { paths } });
    expect(outcome).toMatchObject({ ok: true, phases: ["read", "count"], narrations: ["2 failed"] });
    expect(outcome.value).toEqual([
      { path: "package.json", size: read("package.json").length },
      { path: "LICENSE", size: expect.any(Number) },
      null,
    ]);
  });

  test("shows how to run a program without a session: it compiles and runs", async () => {
    const path = consumer.write("embed.ts", example(PAGE, 'from "pi-ptc-subagents"'));
    expect(await consumer.compile(path)).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stdout } = await consumer.run([path]);
    const size = readFileSync(join(consumer.path, "package.json"), "utf8").length;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `true ${size}\n` });
  }, 30_000);

  test("lists every way a program can end", () => {
    const schema = programOutputSchema(Type) as unknown as {
      properties: { error: { properties: { kind: { anyOf: { const: string }[] } } } };
    };
    const kinds = schema.properties.error.properties.kind.anyOf.map((literal) => literal.const);
    expect(table(PAGE, "kind").map(([kind]) => kind)).toEqual(kinds);
  });
});

describe("docs/settings.md", () => {
  const PAGE = "docs/settings.md";

  test("shows settings that are accepted, each one named, with the defaults there are", () => {
    const text = example(PAGE, '"surfaceMode"');
    writeFileSync(join(consumer.path, "ptc.json"), text);
    const { settings, problems } = readSettings(consumer.path, { typebox: { Type }, typeboxValue });
    expect(problems).toEqual([]);
    const given = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(given).toSorted()).toEqual(Object.keys(settingsSchema(Type).properties).toSorted());
    const own = ["$schema", "surfaceMode", "isolation", "command", "childArgs", "readOnlyTools"];
    for (const key of own) delete given[key];
    expect(DEFAULT_SETTINGS).toMatchObject(given);
    expect(settings).toMatchObject({ surfaceMode: "full", isolation: "process" });
  });

  test("explains every key", () => {
    const explained = table(PAGE, "key").flatMap(([keys]) => keys?.split(", ") ?? []);
    const keys = Object.keys(settingsSchema(Type).properties).filter((key) => key !== "$schema");
    expect(explained.toSorted()).toEqual(keys.toSorted());
  });

  test("lists every limit with its default", () => {
    const listed = table(PAGE, "limit").flatMap(([names, values]) => {
      const numbers = values?.split(", ").map(Number) ?? [];
      return (names?.split(", ") ?? []).map((key, index) => [key, numbers[index]]);
    });
    expect(Object.fromEntries(listed)).toEqual(DEFAULT_CONFIG);
  });
});

test("the schema that ships for editors is the one settings are read with", () => {
  expect(readFileSync(SCHEMA_PATH, "utf8"), "run node scripts/write-schema.ts").toBe(schemaText());
});

describe("children", () => {
  const PAGE = "docs/dispatch.md";
  const report = ANSWERED_REPORT;
  const withChildren = <Result>(body: () => Promise<Result>) => withAnsweringChildren(consumer.path, body);

  test("are fanned out to as README shows", async () => {
    const { value } = await withChildren(() => run(example("README.md", 'agent: "scout"'), CHECKOUT));
    expect(value).toEqual([report.findings, report.findings, report.findings].flat());
  }, 30_000);

  test("are started as their page shows", async () => {
    const { value } = await withChildren(() => run(example(PAGE, 'agent: "scout"'), CHECKOUT));
    expect(value).toEqual(report.findings);
  }, 30_000);

  test("go on by themselves without a session as docs/background.md shows: it compiles and runs", async () => {
    const path = consumer.write(
      "background.ts",
      example("docs/background.md", "createBackgroundTaskRuntime"),
    );
    expect(await consumer.compile(path)).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stdout, stderr } = await withChildren(() => consumer.run([path]));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^succeeded Here it is\.\n/);
    expect(readdirSync(join(consumer.path, "my-tasks", "tasks", "embedded"))).not.toEqual([]);
  }, 30_000);

  test("have agents and settings as their page shows", () => {
    const folder = join(consumer.path, "shown-agents");
    mkdirSync(folder);
    writeFileSync(join(folder, "any.md"), example(PAGE, "name: scout"));
    const search = {
      scope: "user",
      userDir: folder,
      projectDir: undefined,
      parse: parseFrontmatter,
    } as const;
    const shown = { name: "scout", tools: ["read", "grep", "find", "ls"], readOnly: true, maxTurns: 20 };
    expect(findAgents(search)).toMatchObject({ problems: [], agents: [shown] });
    writeFileSync(join(consumer.path, "ptc.json"), example(PAGE, '"childArgs"'));
    expect(readSettings(consumer.path, { typebox: { Type }, typeboxValue }).problems).toEqual([]);
  });
});

describe("docs/background.md", () => {
  const PAGE = "docs/background.md";
  const taskId = "01J9Z3T5W8Q4N7K2M6P0R1S5VX";
  const answering = (name: string, answer: (args: never) => object): Binding => ({
    name,
    call: (args) => Promise.resolve({ ok: true, raw: answer(args as never) as Json }),
  });

  test("explains every state of a task", () => {
    expect(table(PAGE, "status").map(([status]) => status)).toEqual([...TASK_STATUSES]);
  });

  test("shows a program that starts a task and hands its id back", async () => {
    const asked: object[] = [];
    const dispatch = answering("pi.dispatch", (args) => {
      asked.push(args);
      return { taskId, label: "settings", status: "running" };
    });
    const code = example(PAGE, 'label: "settings"');
    expect((await runPtcProgram({ code, bindings: [dispatch] })).value).toBe(taskId);
    expect(asked).toMatchObject([{ agent: "scout", label: "settings", background: true }]);
  });

  // A page at the end of a task that is not over names its own offset as the next.
  test.each([
    ["succeeded", undefined],
    ["running", 7],
    ["stopping", 7],
  ])("shows a program that reads an output page by page, also of a task that is %s", async (status, end) => {
    let asked = 0;
    const output = answering("ptc_task_output", ({ sinceBytes }: { sinceBytes: number }) => {
      asked += 1;
      if (asked > 9) throw new Error("it asks on and on");
      const next = sinceBytes === 0 ? 4 : end;
      const text = "one two".slice(sinceBytes, next);
      const page = { status, output: text, ...(next === undefined ? {} : { next_offset: next }) };
      return { content: [], details: null, structuredContent: page };
    });
    const code = example(PAGE, "sinceBytes: since");
    const outcome = await runPtcProgram({ code, tool: "workflow", args: { taskId }, bindings: [output] });
    expect(outcome.value).toBe("one two");
  });

  test.each(['"notify"', '"taskDays"'])("shows settings that are accepted: %s", (part) => {
    writeFileSync(join(consumer.path, "ptc.json"), example(PAGE, part));
    expect(readSettings(consumer.path, { typebox: { Type }, typeboxValue }).problems).toEqual([]);
  });
});

test("docs/engines.md shows a program that finds nothing of Node", async () => {
  const bindings = createBuiltinBindings({ cwd: CHECKOUT });
  const source = example("docs/engines.md", "typeof process");
  const { value } = await runWith(testRunner("quickjs"), source, { bindings });
  expect(value).toEqual({ name: "pi-ptc-subagents", node: "undefined", modules: "none" });
});

test("docs/engines.md names what QuickJS has and what it has not", async () => {
  const page = readPage("docs/engines.md");
  const names = (from: string, to: string): string[] =>
    [...page.slice(page.indexOf(from), page.indexOf(to)).matchAll(/`(\w+)`/g)].map(
      ([, name]) => name as string,
    );
  const there = names("Beside the language itself", "What only Node has");
  const absent = names("- No `process`", "and no modules:");
  expect([there.length, absent.length]).toEqual([6, 12]);
  const source = "return args.map((name) => typeof globalThis[name] !== 'undefined')";
  const look = async (args: string[]): Promise<Json | undefined> =>
    (await runWith(testRunner("quickjs"), source, { tool: "workflow", args })).value;
  expect(await look(there)).toEqual(there.map(() => true));
  expect(await look(absent)).toEqual(absent.map(() => false));
});

test("no example was left out; those for a shell are in named-things.test.ts", () => {
  examples.takeAll("sh");
  expect(examples.problems()).toEqual([]);
});
