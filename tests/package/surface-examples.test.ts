/** Every example of the pages on surfaces and permissions, read from them and run. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { Type } from "typebox";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { settingsSchema } from "../../src/base/settings.ts";
import { childEnvironment } from "../../src/children/child-environment.ts";
import { runPtcProgram } from "../../src/index.ts";
import type { Json } from "../../src/program/outcome.ts";
import { completePtc } from "../../src/surface/ptc-command.ts";
import { InProcessPi } from "../pi/in-process-pi.ts";
import { PiHome } from "../pi/real-pi.ts";
import { CHECKOUT } from "./packed.ts";
import { Examples, readPage, table } from "./pages.ts";
import { runCommand } from "./pi-process.ts";

const SURFACES = "docs/surfaces.md";
const PERMISSIONS = "docs/permissions.md";
const examples = new Examples([SURFACES, PERMISSIONS]);

let home: PiHome;
let pi: InProcessPi | undefined;
beforeAll(async () => {
  await build();
  home = await PiHome.open();
}, 60_000);
afterEach(async () => {
  await pi?.close();
  pi = undefined;
});
afterAll(() => home.close());

describe("docs/surfaces.md", () => {
  test("shows settings of pi that lead to the surface subagents", async () => {
    const settings = JSON.parse(examples.take(SURFACES, "+codemode")) as object;
    pi = await InProcessPi.start({ mode: "tui", settings });
    expect((await pi.ask()).names).toContain("ptc_subagent");
  });

  test("shows settings of ours that offer programs and built-in tools", async () => {
    const ptc = JSON.parse(examples.take(SURFACES, "defaultMode")) as object;
    pi = await InProcessPi.start({ mode: "tui", ptc });
    expect((await pi.ask()).names).toEqual(expect.arrayContaining(["read", "ptc_run_code"]));
  });

  test("names every surface, every mode and every word of /ptc", () => {
    const schema = settingsSchema(Type).properties["surfaceMode"] as unknown as {
      anyOf: { const: string }[];
    };
    const surfaces = schema.anyOf.map((literal) => literal.const);
    expect(table(SURFACES, "surface").map(([surface]) => surface)).toEqual(surfaces);
    expect(table(SURFACES, "mode").map(([mode]) => mode)).toEqual(["on", "both", "off"]);
    const words = table(SURFACES, "command")
      .map(([command]) => command)
      .join(", ");
    for (const [prefix, offered] of [
      ["", completePtc("")],
      ["surface ", completePtc("surface ")],
    ] as const)
      for (const { value } of offered ?? []) expect(words, prefix).toContain(value.replace("surface ", ""));
  });
});

describe("docs/permissions.md", () => {
  test("shows a start of pi with a guard and tools, which works", async () => {
    const [, ...args] = examples.take(PERMISSIONS, "pi -e").trim().split(" ");
    for (const path of args.filter((word) => word.includes("/")))
      expect(existsSync(join(CHECKOUT, path))).toBe(true);
    const more = home.command({ steps: [] });
    const end = await runCommand(process.execPath, [PI_CLI, ...args, ...more.args, "-p", "go"], {
      cwd: CHECKOUT,
      env: { ...home.home.env, ...more.env },
    });
    expect(end).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
    expect(readFileSync(more.requestsPath, "utf8")).toContain('"name":"review_diff"');
  }, 120_000);

  test("names examples that there are", () => {
    const named = [...readPage(PERMISSIONS).matchAll(/\]\((examples\/[\w.-]+)\)/g)].map(
      ([, path]) => path as string,
    );
    expect(named).toHaveLength(3);
    for (const path of named) expect(existsSync(join(CHECKOUT, "docs", path))).toBe(true);
  });

  test("shows a line that lets pass what is called in a child, and nothing elsewhere", () => {
    const gate = runInNewContext(
      `((process) => { ${examples.take(PERMISSIONS, "PI_PTC_DEPTH")} return { block: true }; })`,
    ) as (process: object) => unknown;
    const place = { depth: 1, treeSlots: 0, marker: "m", parent: "p", readOnly: false, bounds: "{}" };
    expect(gate({ env: childEnvironment({}, place) })).toBeUndefined();
    expect(gate({ env: {} })).toEqual({ block: true });
  });

  test.each([
    [
      { files: [], checks: { exit_code: 0, output: "" }, tests: { exit_code: 0, failing: [] }, notes: [] },
      "ready",
    ],
    [
      { files: [], tests: { exit_code: 1, failing: ["two"] }, notes: ["run_checks did not run: no"] },
      { failing: ["two"], notes: ["run_checks did not run: no"] },
    ],
    [
      { files: [], notes: ["neither ran"] },
      { failing: [], notes: ["neither ran"] },
    ],
  ])("shows a program that reads a review: %j", async (review, value) => {
    const raw = { content: [], details: null, structuredContent: review } as unknown as Json;
    const bindings = [{ name: "review_diff", call: () => Promise.resolve({ ok: true as const, raw }) }];
    const outcome = await runPtcProgram({ code: examples.take(PERMISSIONS, "review_diff({})"), bindings });
    expect(outcome.value).toEqual(value);
  });
});

test("no example was left out", () => {
  expect(examples.problems()).toEqual([]);
});
