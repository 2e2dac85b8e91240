/** What a program may be (spec 1.2; fault 12): fences, TypeScript, imports, and how each fault is named. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeOnVessels } from "./conformance.ts";
import { runWith, testRunner } from "./vessels.ts";

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel);

  test("may use await and return at its top level", async () => {
    expect(await runWith(runner, "const a = await Promise.resolve(2); return a + 1")).toMatchObject({
      value: 3,
    });
  });

  test("may import modules of Node", async () => {
    const outcome = await runWith(
      runner,
      'const { basename } = await import("node:path"); return basename("/a/b.txt")',
    );
    expect(outcome).toMatchObject({ ok: true, value: "b.txt", text: "b.txt" });
  });

  test("resolves a bare specifier from its folder", async () => {
    const outcome = await runWith(runner, 'return typeof (await import("typebox")).Type.Object');
    expect(outcome).toMatchObject({ ok: true, value: "function" });
  });

  test("has its folder as working folder", async () => {
    expect((await runWith(runner, "return process.cwd()")).value).toBe(process.cwd());
  });

  test("is always stripped of types, also where the text is valid JavaScript", async () => {
    const outcome = await runWith(
      runner,
      "const f = <T,>(x: T): T => x; return f<number>(3) satisfies number as any",
    );
    expect(outcome).toMatchObject({ ok: true, value: 3 });
  });

  test.each([
    ["```ts\nconst a: number = 2;\nreturn a\n```"],
    ["\n```js\r\nreturn 2\r\n```\n"],
    ["~~~\nreturn 2\n~~~"],
  ])("in one markdown fence is unwrapped: %j", async (source) => {
    expect(await runWith(runner, source)).toMatchObject({ ok: true, value: 2 });
  });

  test("may hold fences in its strings", async () => {
    expect((await runWith(runner, 'return "```js\\nx\\n```"')).value).toBe("```js\nx\n```");
  });

  test.each([
    ["async () => 5"],
    ["() => {\n  return 5;\n};"],
    ["async function main(): Promise<number> { return 5 }"],
    ["async (x: number = 5) => x"],
  ])("that is one lone function is called: %j", async (source) => {
    expect(await runWith(runner, source)).toMatchObject({ ok: true, value: 5 });
  });

  test("sees only the variables that programs are given", async () => {
    const names = (await runWith(runner, "return Object.keys(process.env)")).value as string[];
    expect(["PATH", "PATHEXT", "SYSTEMROOT", "WINDIR", "TEMP", "TMP"]).toEqual(expect.arrayContaining(names));
    expect(names).toContain("PATH");
  });

  test.each([
    ["enum", "const a = 1;\nenum Color { Red }", /line 2: .*enum/],
    ["namespace", "namespace N { export const a = 1 }", /line 1: .*namespace/],
    [
      "a parameter property",
      "\n\nclass A { constructor(private x: number) {} }",
      /line 3: .*parameter property/,
    ],
    ["a static import", 'import fs from "node:fs";\nreturn 1', /line 1: static `import`.*await import\(/],
    ["an import type", 'const b = 1;\nimport type { A } from "x";', /line 2: static `import`/],
    ["export default", "export default async () => 1", /line 1: `export`.*return/],
    ["JSX", "return <div>hi</div>", /line 1: .*JSX/],
    ["a decorator", "function d() {}\n@d class A {}\nreturn 1", /line 2: .*decorator/],
    ["a syntax error", "const a = 1;\nconst b = ;\nreturn b", /line 2: SyntaxError/],
    ["a duplicate declaration", "let a = 1;\nlet a = 2;", /SyntaxError/],
    ["a stray closing brace", "return 1 }\nfunction b() {", /SyntaxError/],
    ["nothing", "  \n", /empty/],
  ])("with %s fails to compile, naming construct and line", async (_name, source, message) => {
    let called = false;
    const outcome = await runWith(runner, source, {
      bindings: [{ name: "echo", call: async () => ((called = true), { ok: true, raw: null }) }],
    });
    expect(outcome.error?.kind).toBe("compile");
    expect(outcome.error?.message).toMatch(message);
    expect(outcome.text).toContain("code run failed (compile): ");
    expect(called).toBe(false);
  });

  test("that returns and prints nothing gets a text that says return is missing", async () => {
    const outcome = await runWith(runner, "const a = 1");
    expect(outcome.ok).toBe(true);
    expect(outcome.text).toMatch(/`return` is missing/);
    const returned = await runWith(runner, 'return load("nothing")');
    expect(returned.text).toMatch(/^The program returned undefined and printed nothing\./);
    const called = "async function main() { await null; return 1 }\nmain()";
    expect((await runWith(runner, called)).text).toContain("`return await main()`");
  });

  test("that logs an error sees no place but its own", async () => {
    const outcome = await runWith(
      runner,
      `function inner() { throw new TypeError("bad") }
for (const fails of [async () => inner(), () => tools.missing({})]) {
  try { await fails() } catch (error) { console.error("failed:", error) }
}
console.trace("here")`,
    );
    expect(outcome.text).toContain("[error] failed: TypeError: bad");
    expect(placesOf(outcome.text)).not.toHaveLength(0);
    for (const place of placesOf(outcome.text)) expect(place).toMatch(/\bprogram\b.*:\d+:\d+\)?( \{)?$/);
  });

  test.each([
    "async (tools) => tools.echo({ a: 1 })",
    "async ({ tools, store }) => { store('k', 1); return tools.echo({ a: 1 }) }",
    "async function run({ tools }) { return tools['echo']({ a: 1 }) }",
  ])("that is one function with parameters is given its globals and tools: %s", async (source) => {
    const bindings = [{ name: "echo", call: async () => ({ ok: true, raw: { a: 1 } }) as const }];
    expect(await runWith(runner, source, { bindings })).toMatchObject({ ok: true, value: { a: 1 } });
  });

  test("may redeclare the names of its globals", async () => {
    expect(
      await runWith(runner, "const tools = 1, args = 2, console = 3; return tools + args + console"),
    ).toMatchObject({ value: 6 });
  });

  test("captures writes to the standard streams, whole lines at a time", async () => {
    const outcome = await runWith(
      runner,
      'process.stdout.write("half "); process.stdout.write("line\\n"); process.stderr.write("bad"); console.warn("careful"); return 1',
    );
    expect(outcome.text.split("\n")).toEqual(["half line", "[warn] careful", "[error] bad", "1"]);
  });
});

/** Lines that say where something was thrown. */
const placesOf = (text: string): string[] => text.split("\n").filter((line) => /^\s*at /.test(line));

describe.each(["process", "thread"] as const)("an error's stack in a %s", (vessel) => {
  const runner = testRunner(vessel);

  test("has the program's places, not those of what runs it", async () => {
    const source =
      "const at = (f) => { try { f() } catch (error) { return error.stack } }; return at(() => { null.x })";
    const { value } = await runWith(runner, source);
    expect(placesOf(value as string).map((place) => place.replace(/\(.*\//, "("))).toEqual([
      expect.stringMatching(/ptc-program\.js:1:\d+$/),
      expect.stringMatching(/^ {4}at at \(ptc-program\.js:1:\d+\)$/),
      expect.stringMatching(/^ {4}at program \(ptc-program\.js:1:\d+\)$/),
    ]);
  });

  test("is whole where the program has no part in it", async () => {
    const { value } = await runWith(
      runner,
      'return new Promise((done) => import("node:net").then((net) => net.connect(1, "127.0.0.1").on("error", (error) => done(error.stack))))',
    );
    expect(value).toMatch(/ECONNREFUSED.*\n\s+at .*node:net/);
  });

  test("is written by the program's own formatter where it sets one", async () => {
    const source =
      'Error.prepareStackTrace = (error) => `mine: ${error.message}`; return new Error("x").stack';
    expect((await runWith(runner, source)).value).toBe("mine: x");
  });
});

describe("a program in a process", () => {
  const runner = testRunner("process");

  test("that imports a module that throws is told where in it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ptc-module-"));
    try {
      const path = join(folder, "broken.mjs");
      await writeFile(path, "\nthrow new Error('bad')");
      const { error } = await runWith(runner, `await import(${JSON.stringify(path)})`);
      expect(error?.excerpt).toMatch(/^ {4}at file:\/\/\S*\/broken\.mjs:2:7\n {4}at program/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each(["return require('fs')", "module.exports = 1", "return __dirname"])(
    "that takes itself for a CommonJS module is told what to write: %s",
    async (source) => {
      const { error } = await runWith(runner, source);
      expect(error).toMatchObject({ kind: "exception", message: expect.stringContaining("await import(") });
      expect(error?.excerpt).toContain(source);
    },
  );

  test("that lets its own children write to its streams has that captured too", async () => {
    const outcome = await runWith(
      runner,
      '(await import("node:child_process")).execSync("echo from a child", { stdio: "inherit" }); await new Promise((r) => setTimeout(r, 50)); return 1',
    );
    expect(outcome.text).toContain("from a child");
  });

  test("in a folder that does not exist is refused with the folder's name", async () => {
    const outcome = await runWith(runner, "return 1", { cwd: "/nowhere/at-all" });
    expect(outcome.error).toMatchObject({ kind: "refused" });
    expect(outcome.error?.message).toContain("/nowhere/at-all");
  });
});
