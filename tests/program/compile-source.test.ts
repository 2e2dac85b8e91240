/** From the text a model wrote to a body that can be evaluated. What the model reads of faults is in program-text.test.ts. */

import { describe, expect, test } from "vitest";
import { compileSource, unwrapFence } from "../../src/program/compile-source.ts";

describe("a fence", () => {
  test.each([
    ["```ts\nreturn 1\n```", "return 1"],
    ["```\nreturn 1\n```", "return 1"],
    ["  \n```javascript  \nreturn 1\n```\n\n", "return 1"],
    ["```ts\r\nconst a = 1;\r\nreturn a\r\n```", "const a = 1;\nreturn a"],
    ["~~~js\nreturn 1\n~~~", "return 1"],
    ["````md\nreturn '```'\n````", "return '```'"],
    ["```ts\n```", ""],
    ['```js title="a b"\nreturn 1\n```', "return 1"],
    ["```typescript {1,3}\nreturn 1\n```", "return 1"],
  ])("around the whole text is taken off: %j", (text, inside) => {
    expect(unwrapFence(text)).toBe(inside);
  });

  test.each([
    "return 1",
    "```ts",
    "```ts\nreturn 1",
    "```ts\nreturn 1\n```\n```ts\nreturn 2\n```",
    "Here it is:\n```ts\nreturn 1\n```",
    "```ts\nreturn 1\n~~~",
    "`return 1`",
    "return `\n```\n`",
    "```const a = 1; return a\n```",
  ])("that is not around the whole text stays: %j", (text) => {
    expect(unwrapFence(text)).toBe(text);
  });
});

describe("a text that holds fences beside code", () => {
  test.each([
    "```js\nconst text = `\n```\ncode\n```\n`;\nreturn text\n```",
    "```ts\nreturn 1\n```\n\n```ts\nreturn 2\n```",
    "```ts\nreturn 1\n```\nThis counts.",
    "Here is the program:\n```ts\nreturn 1\n```",
  ])("does not compile, and is told to be code alone: %j", (text) => {
    const result = compileSource(text) as { ok: false; message: string };
    expect(result.ok).toBe(false);
    expect(result.message).toMatch(/give the code without markdown fences/);
  });

  test("compiles where they stand in a text of the program", () => {
    expect(compileSource("return `\n```\ncode\n```\n`")).toMatchObject({ ok: true });
  });
});

describe("types", () => {
  test.each([
    ["const a: number = 1; return a as number", "const a = 1; return a"],
    ["interface A { b: string }\nreturn 1", "return 1"],
    ["type A = { b: string };\nreturn (x: A): string => x.b", "return (x) => x.b"],
    ["return f<number>(x)", "return f (x)"],
    ["let a!: string; a = b!; return a satisfies string", "let a; a = b; return a"],
    ["return <T,>(x: T) => x", "return (x) => x"],
  ])("of %j are erased, and nothing moves", (text, plain) => {
    const result = compileSource(text) as { ok: true; code: string };
    expect(result.ok).toBe(true);
    const squeeze = (code: string): string =>
      code
        .replaceAll(/\s+/g, " ")
        .replaceAll(/ ([;,):])/g, "$1")
        .trim();
    expect(squeeze(result.code)).toBe(squeeze(plain));
    // Lines and columns of errors are those of the text the model wrote.
    expect(result.code.split("\n")).toHaveLength(text.split("\n").length);
    expect(result.code.indexOf("return")).toBe(text.indexOf("return"));
  });
});

describe("a text that is one function", () => {
  test.each([
    "async () => 1",
    "() => 1;",
    "async x => x",
    "async function f() { return 1 }",
    "function () { return 1 }",
    "// first\n/* then */ async () => 1\n",
    "```js\nasync () => {\n  return 1\n}\n```",
    "(x: number): number => x",
  ])("is marked to be called: %j", (text) => {
    expect(compileSource(text)).toMatchObject({ ok: true, loneFunction: true });
  });

  test.each([
    "const f = () => 1; return f()",
    "async function f() { return 1 }\nreturn f()",
    "(() => 1)();\nreturn 2",
    "asynchronous = 1; return 2",
    "functions()",
    "x => 1; return 2",
  ])("and more is not: %j", (text) => {
    expect(compileSource(text)).toMatchObject({ ok: true, loneFunction: false });
  });
});

describe("a fault", () => {
  test.each([
    ["const a = 1;\nconst b = ;", /^line 2: SyntaxError: /, "2 | const b = ;\n  |           ^"],
    ["return 1;\nenum A { B }", /^line 2: TypeScript `enum` is not supported/, "2 | enum A { B }\n  | ^"],
    ["import a from 'a'", /^line 1: static `import` .* await import/, "1 | import a from 'a'\n  | ^"],
    ["let a;\nlet a;", /^line 2: SyntaxError: .*'a'/, "2 | let a;\n  |     ^"],
  ])("in %j is named with its line and shown", (text, message, excerpt) => {
    const result = compileSource(text);
    expect(result).toMatchObject({ ok: false, message: expect.stringMatching(message) });
    expect(result).toMatchObject({ excerpt });
    expect(result).not.toHaveProperty("kind");
  });

  test.each(["", "  \n\t", "```ts\n```"])("is to write nothing: %j", (text) => {
    expect(compileSource(text)).toMatchObject({ ok: false, message: expect.stringContaining("empty") });
  });

  test("in a line of 50,000 characters is shown cut", () => {
    const result = compileSource(`const a = "${"x".repeat(50_000)}" +;`) as { excerpt: string };
    expect(result.excerpt).toMatch(/^1 \| const a = "x+…$/);
    expect(result.excerpt.length).toBeLessThan(210);
  });

  test("cannot close the function that the text is put into", () => {
    for (const text of ["} return 1; {", "return 1 }\nasync function b() {", "}); evil(); (() => {"]) {
      expect(compileSource(text).ok, text).toBe(false);
    }
  });

  test("of the stripper itself is thrown, since it must not be used again", () => {
    expect(() => compileSource(`return "${"x".repeat(1e6)}" +;`)).toThrow(/unreachable/);
  });
});
