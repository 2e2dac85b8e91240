import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkLayers, layerProblems } from "../../scripts/check-layers.ts";

const SRC = join(import.meta.dirname, "../../src");

test.each([
  [
    "base/limits.ts",
    'import { run } from "../program/run-program.ts";',
    "base may not import program/run-program.ts",
  ],
  [
    "program/clock.ts",
    'import { startChild } from "../children/start-child.ts";',
    "program may not import children",
  ],
  ["program/clock.ts", 'import { main } from "../worker/main.ts";', "program may not import worker/main.ts"],
  [
    "children/fold.ts",
    'import type { TaskRecord } from "../tasks/record.ts";',
    "children may not import types from tasks",
  ],
  ["surface/choose.ts", 'import { runCode } from "../tools/run-code.ts";', "surface may not import tools"],
  [
    "tools/run-code.ts",
    'import { activate } from "../extension/activate.ts";',
    "tools may not import extension",
  ],
  ["render/rows.ts", 'import { DEFAULT_CONFIG } from "../base/limits.ts";', "render may not import base"],
  ["render/rows.ts", 'import { RunClock } from "../program/clock.ts";', "render may not import program"],
  ["worker/main.ts", 'import { details } from "../render/details.ts";', "worker may not import render"],
  ["index.ts", 'import { activate } from "./extension/activate.ts";', "index.ts may not import extension"],
  [
    "extension.ts",
    'import { activate } from "./extension/activate.ts";',
    "extension.ts may not import extension",
  ],
  ["stray/file.ts", 'import { join } from "node:path";', "stray is no room"],
])("%s with `%s` is refused", (path, source, problem) => {
  expect(layerProblems(path, source)).toEqual([expect.stringContaining(problem)]);
});

test.each([
  ["a re-export", 'export { run } from "../program/run-program.ts";'],
  ["a re-export of everything", 'export * from "../program/run-program.ts";'],
  ["an import that loads later", 'const { run } = await import("../program/run-program.ts");'],
  ["an import for its effect", 'import "../program/run-program.ts";'],
  ["a type in an expression", 'let outcome: import("../program/outcome.ts").PtcRunOutcome;'],
])("%s counts as an import", (_form, source) => {
  expect(layerProblems("base/limits.ts", source)).toHaveLength(1);
});

test("an import that holds nothing but inline types still loads the module", () => {
  const source = 'import { type RunRequest } from "../program/request.ts";';
  expect(layerProblems("render/rows.ts", source)).toHaveLength(1);
});

test("a problem names the file and the line", () => {
  const source = 'import { join } from "node:path";\n\nimport { run } from "../program/run-program.ts";';
  expect(layerProblems("base/limits.ts", source)).toEqual([
    expect.stringMatching(/^src\/base\/limits\.ts:3: /),
  ]);
});

test.each([
  ["program/execution.ts", 'import { asWorkerFrame } from "../worker/protocol.ts";'],
  ["worker/store.ts", 'import { errorText } from "../base/error-text.ts";'],
  ["tools/run-code.ts", 'import { drawRow } from "../render/rows.ts";'],
  ["base/settings.ts", 'import type { ProgramDetails } from "../render/details.ts";'],
  ["render/details.ts", 'import type { SubCallRecord } from "../program/outcome.ts";'],
  ["extension/activate.ts", 'import { startChild } from "../children/start-child.ts";'],
  ["extension.ts", 'import type * as Built from "./extension/activate.ts";'],
])("%s with `%s` is in order", (path, source) => {
  expect(layerProblems(path, source)).toEqual([]);
});

test("only the entries load what pi supplies", () => {
  const source = 'import { Type } from "typebox";';
  expect(layerProblems("tools/run-code.ts", source)).toEqual([
    expect.stringContaining("loaded a second time"),
  ]);
  expect(layerProblems("extension.ts", source)).toEqual([]);
  expect(layerProblems("embed/builtin-bindings.ts", source)).toEqual([]);
  expect(layerProblems("tools/run-code.ts", 'import type { TSchema } from "typebox";')).toEqual([]);
});

test("programs and workers do not even know pi's types", () => {
  const source = 'import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";';
  expect(layerProblems("program/clock.ts", source)).toEqual([expect.stringContaining("knows no pi")]);
  expect(layerProblems("worker/main.ts", source)).toEqual([expect.stringContaining("knows no pi")]);
  expect(layerProblems("tools/run-code.ts", source)).toEqual([]);
});

test("codemode's package is bundled, so its declarations may be imported", () => {
  expect(
    layerProblems(
      "surface/declarations.ts",
      'import { schemaToType } from "@earendil-works/pi-codemode/declarations";',
    ),
  ).toEqual([]);
});

test("a built-in module is named with node:", () => {
  expect(layerProblems("base/limits.ts", 'import { join } from "path";')).toEqual([
    expect.stringContaining("node:path"),
  ]);
});

test("this repository's sources are in order, and are all looked at", async () => {
  const files = (await readdir(SRC, { recursive: true })).filter((path) => path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(10);
  expect(await checkLayers(SRC)).toEqual([]);
});
