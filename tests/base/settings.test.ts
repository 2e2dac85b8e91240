import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { DEFAULT_SETTINGS, readSettings, settingsSchema } from "../../src/base/settings.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ptc-settings-"));
  file = join(dir, "ptc.json");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const read = (text?: string) => {
  if (text !== undefined) writeFileSync(file, text);
  return readSettings(dir, { typebox, typeboxValue });
};
const onlyProblem = (text?: string): string => {
  const { problems, settings } = read(text);
  expect(problems).toHaveLength(1);
  expect(settings).toEqual(DEFAULT_SETTINGS);
  return problems[0] ?? "";
};

describe("a settings file", () => {
  test("that is missing means the defaults, silently, and nothing is written", () => {
    expect(read()).toEqual({ path: file, settings: DEFAULT_SETTINGS, problems: [] });
    expect(readdirSync(dir)).toEqual([]);
  });

  test("with every key set is taken as it is", () => {
    const { settings, problems } = read(
      JSON.stringify({
        limits: { graceMs: 0, maxChildCostUsd: 1.5 },
        isolation: "thread",
        $schema: "./ptc.schema.json",
        defaultMode: false,
        surfaceMode: "subagents",
        engine: "quickjs",
        notify: "quiet",
        retention: { outputDays: 30, taskDays: 1, maxTasks: 2 },
        declarationBudget: 0,
        printWaitMs: 0,
        widget: false,
        command: "/opt/pi with space/pi",
        childArgs: ["--no-mcp", ""],
        readOnlyTools: ["web_search"],
      }),
    );
    expect(problems).toEqual([]);
    expect(settings).toEqual({
      limits: { ...DEFAULT_CONFIG, graceMs: 0, maxChildCostUsd: 1.5 },
      isolation: "thread",
      defaultMode: false,
      surfaceMode: "subagents",
      engine: "quickjs",
      notify: "quiet",
      retention: { outputDays: 30, taskDays: 1, maxTasks: 2 },
      declarationBudget: 0,
      printWaitMs: 0,
      widget: false,
      command: "/opt/pi with space/pi",
      childArgs: ["--no-mcp", ""],
      readOnlyTools: ["web_search"],
    });
  });

  test("names the file its surface comes from, and leaves a surface outside the set to what pi offers", () => {
    expect(read('{"surfaceMode": "full"}').surfaceFrom).toBe(file);
    expect(onlyProblem('{"surfaceMode": "codemode"}')).toBe(
      `${file}: surfaceMode is "codemode"; it must be "off" or "subagents" or "full"; what pi offers decides`,
    );
    expect(read('{"surfaceMode": "codemode"}').surfaceFrom).toBeUndefined();
  });

  test.each([
    [{ defaultMode: "no" }, 'defaultMode is "no"; it must be true or false'],
    [{ widget: 1 }, "widget is 1; it must be true or false"],
    [{ notify: true }, 'notify is true; it must be "wake" or "steer" or "quiet"'],
    [
      { printWaitMs: -1 },
      "printWaitMs is -1; it must be a whole number of milliseconds from 0 to 2147483647",
    ],
    [{ retention: { taskDays: 0 } }, "retention.taskDays is 0; it must be a number of days from 1 to 3650"],
    [
      { retention: { maxTasks: 1.5 } },
      "retention.maxTasks is 1.5; it must be a whole number of tasks from 1 to 100000",
    ],
  ])("with the wrong value %j is told, and the default applies", (value, sentence) => {
    expect(onlyProblem(JSON.stringify(value))).toBe(`${file}: ${sentence}; the default applies`);
  });

  test("names the wrong entry of a list, and the list counts as not given", () => {
    const { settings, problems } = read(
      JSON.stringify({
        command: " ",
        childArgs: ["--no-mcp", 5, null],
        readOnlyTools: ["web_search", ""],
        engine: "quickjs",
      }),
    );
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, engine: "quickjs" });
    expect(problems).toEqual([
      `${file}: command is " "; it must be the absolute path of an executable; the default applies`,
      `${file}: childArgs[1] is 5; it must be a string: one argument for pi; the default applies`,
      `${file}: readOnlyTools[1] is ""; it must be a string: the name of a tool; the default applies`,
    ]);
  });

  test.each([
    ["--no-mcp", 'childArgs is "--no-mcp"; it must be a list of strings, each one argument for pi'],
    [["a\0b"], 'childArgs[0] is "a\\u0000b"; it must be a string: one argument for pi'],
    [{}, "childArgs is an object; it must be a list of strings, each one argument for pi"],
  ])("holding the arguments %j is told", (childArgs, sentence) => {
    expect(onlyProblem(JSON.stringify({ childArgs }))).toBe(`${file}: ${sentence}; the default applies`);
  });

  test("shares no list with the defaults of another reading", () => {
    const { childArgs } = read("{}").settings;
    expect(() => (childArgs as string[]).push("--x")).toThrow(TypeError);
  });

  test("may start with a byte order mark", () => {
    expect(read('\uFEFF{"declarationBudget": 10}')).toMatchObject({
      settings: { declarationBudget: 10 },
      problems: [],
    });
  });

  test("keeps its good keys when others are bad, each of which is named with value and accepted form", () => {
    const { settings, problems } = read(
      JSON.stringify({
        limits: { graceMs: -1, poolSize: 2.5, spares: 0, timeoutMs: "1000", nope: 1 },
        isolation: "docker",
        engine: "node",
        retention: { outputDays: 0 },
        declarationBudget: null,
        isolaton: "thread",
      }),
    );
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, limits: { ...DEFAULT_CONFIG, spares: 0 } });
    expect(problems).toEqual([
      `${file}: limits.graceMs is -1; it must be a whole number from 0 to 60000; the default applies`,
      `${file}: limits.poolSize is 2.5; it must be a whole number from 1 to 64; the default applies`,
      `${file}: limits.timeoutMs is "1000"; it must be a whole number from 1 to 2147483647; the default applies`,
      `${file}: unknown key "limits.nope" with the value 1; known keys: ${Object.keys(DEFAULT_CONFIG)
        .map((key) => `limits.${key}`)
        .join(", ")}; ignored`,
      `${file}: isolation is "docker"; it must be "process" or "thread"; the default applies`,
      `${file}: retention.outputDays is 0; it must be a number of days from 1 to 3650; the default applies`,
      `${file}: declarationBudget is null; it must be a whole number of tokens from 0 to 100000; the default applies`,
      `${file}: unknown key "isolaton" with the value "thread"; did you mean isolation?; ignored`,
    ]);
  });

  test.each(["1e999", "-1e999"])("rejects the infinite number %s", (number) => {
    expect(onlyProblem(`{"limits": {"maxChildCostUsd": ${number}}}`)).toContain("limits.maxChildCostUsd is");
  });

  test("never reaches a prototype through __proto__ or constructor", () => {
    const { settings, problems } = read(
      '{"__proto__": {"engine": "quickjs"}, "limits": {"constructor": 1, "__proto__": {"spares": 9}}}',
    );
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(Object.getPrototypeOf(settings)).toBe(Object.prototype);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain('unknown key "__proto__" with the value an object');
  });

  test.each([
    ["", "the file is empty"],
    [" \n", "the file is empty"],
    ['{"limits": {"gra', "not valid JSON"],
    ["{} // mine", "not valid JSON"],
    ["[]", "the file holds an empty array; it must hold one JSON object"],
    ['"node"', 'the file holds "node"; it must hold one JSON object'],
    ["null", "the file holds null"],
    ['{"limits": []}', "limits is an empty array; it must be an object with timeoutMs"],
    ['{"retention": 7}', "retention is 7; it must be an object with outputDays, taskDays, maxTasks"],
  ])("holding %j is told and the defaults apply", (text, sentence) => {
    const problem = onlyProblem(text);
    expect(problem.startsWith(`${file}: `)).toBe(true);
    expect(problem).toContain(sentence);
  });

  test("that is broken keeps programs in the cage it asks for", () => {
    const { settings, problems } = read('{\n  // no way out\n  "engine": "quickjs",\n  "widget": false\n}');
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, engine: "quickjs" });
    expect(problems).toEqual([
      expect.stringMatching(/not valid JSON .*with the engine "quickjs" that it names$/),
    ]);
  });

  test.each(["QuickJS", "quick-js", " quickjs", "qjs"])("misspells the cage as %j and keeps it", (engine) => {
    const { settings, problems } = read(JSON.stringify({ engine, widget: false }));
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, engine: "quickjs", widget: false });
    expect(problems).toEqual([
      `${file}: engine is ${JSON.stringify(engine)}; it must be "node" or "quickjs"; the engine "quickjs" applies`,
    ]);
  });

  test("misspells the key of the cage and keeps it", () => {
    const { settings, problems } = read('{"engin": "quickjs", "notify": "quiet"}');
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, engine: "quickjs", notify: "quiet" });
    expect(problems).toEqual([
      expect.stringContaining('unknown key "engin"'),
      `${file}: the engine "quickjs" that "engin" names applies`,
    ]);
  });

  test.each([
    ["poolSize", "limits.poolSize"],
    ["taskDay", "retention.taskDays"],
  ])("holding %s outside of its group is told its place", (key, place) => {
    expect(onlyProblem(JSON.stringify({ [key]: 2 }))).toContain(`did you mean ${place}?`);
  });

  test("that is broken is told in one line without what a terminal would obey", () => {
    const problem = onlyProblem('\0{\n"widget": \x9b2J,\n}');
    expect(problem).toContain("not valid JSON");
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(problem).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
  });

  test("that is a directory is told", () => {
    mkdirSync(file);
    expect(onlyProblem()).toBe(`${file}: this is a directory, not a settings file; the defaults apply`);
  });

  test("that cannot be read is told with the system's reason", () => {
    symlinkSync(file, file);
    expect(onlyProblem()).toBe(`${file}: cannot be read (ELOOP); the defaults apply`);
  });

  test("that is a dangling link is absent", () => {
    symlinkSync(join(dir, "gone"), file);
    expect(read().problems).toEqual([]);
  });

  test("of 2 MiB is not read", () => {
    expect(onlyProblem(`{"x": "${"y".repeat(2 ** 21)}"}`)).toContain("settings have at most 1048576");
  });

  test("is left byte for byte", () => {
    const text = '{ "engine" : "nod" }\n\n';
    read(text);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

test("every leaf of the settings schema says what it accepts", () => {
  const leaves = (schema: { properties: Record<string, unknown> }): { description?: string }[] =>
    Object.values(schema.properties).flatMap((property) =>
      (property as { properties?: unknown }).properties
        ? leaves(property as never)
        : [property as { description?: string }],
    );
  const all = leaves(settingsSchema(typebox.Type));
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((leaf) => !leaf.description)).toEqual([]);
});
