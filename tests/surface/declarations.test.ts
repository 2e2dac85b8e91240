import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { renderDeclarations } from "../../src/surface/declarations.ts";
import { declareTool, type ListedTool, rememberTypes } from "../../src/surface/tool-listing.ts";

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
});
const tool = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  description: `Does ${name}.`,
  parameters: object({ path: { type: "string" } }, ["path"]),
  ...more,
});

describe("one declaration", () => {
  test("holds the description, the guidelines, the argument type and our return type", () => {
    const text = declareTool(
      tool("look", {
        description: "Looks at things.\n\nCarefully.",
        guidelines: ["Look twice", " "],
        outputSchema: object({ n: { type: "number" } }, ["n"]),
      }),
    );
    expect(text).toBe(
      [
        "// Looks at things.",
        "// Carefully.",
        "// - Look twice",
        "look(args: { path: string; }): Promise<Result<{ n: number; }>>;",
      ].join("\n"),
    );
  });

  test("makes args optional when nothing is required, and types what has no schema as unknown", () => {
    expect(declareTool(tool("a", { parameters: object({ x: { type: "number" } }) }))).toContain(
      "a(args?: { x?: number; }): Promise<Result>;",
    );
    expect(declareTool(tool("a", { parameters: undefined }))).toContain(
      "a(args?: unknown): Promise<Result>;",
    );
    expect(declareTool(tool("a", { outputSchema: "odd" }))).toContain("Promise<Result<unknown>>");
  });

  test("of a name that is no identifier shows both ways to call it, unless another binding has the identifier", () => {
    expect(declareTool(tool("x-y"), ["x-y"])).toContain(
      '"x-y"(args: { path: string; }): Promise<Result>; // or tools.x_y',
    );
    expect(declareTool(tool("2.go"), ["2.go"])).toContain("// or tools._2_go");
    expect(declareTool(tool("x-y"), ["x-y", "x_y"])).not.toContain("// or");
    expect(declareTool(tool("x-y"), ["x-y", "x.y"])).not.toContain("// or");
  });

  test("cannot be broken out of by a description with line separators", () => {
    const text = declareTool(tool("a", { description: "one\u2028evil(): void;\rmore\r\nend" }));
    expect(
      text
        .split("\n")
        .slice(0, -1)
        .every((line) => line.startsWith("// ")),
    ).toBe(true);
  });

  test("of a schema too deep to render still stands", () => {
    let deep: Record<string, unknown> = { type: "string" };
    for (let i = 0; i < 20_000; i++) deep = { type: "array", items: deep };
    expect(declareTool(tool("a", { parameters: deep }))).toMatch(/a\(args\?: unknown\)/);
  });
});

describe("the declarations", () => {
  test("declare Result once and list every tool that fits", () => {
    const text = renderDeclarations([tool("b"), tool("a")], 3_000);
    expect(text.match(/type Result</g)).toHaveLength(1);
    expect(text).toContain("declare const tools: {\n  // Does b.\n  b(");
    expect(text).not.toContain("more tool");
  });

  test("are empty without tools or without room", () => {
    expect(renderDeclarations([], 3_000)).toBe("");
    expect(renderDeclarations([tool("a")], 0)).toBe("");
  });

  test("stay within the budget whatever the tools, and count what is left out", () => {
    const tools = Array.from({ length: 200 }, (_, index) =>
      tool(`tool_${index}`, {
        description: "word ".repeat(index * 3),
        namespace:
          index % 3 === 0 ? undefined : { name: `ns${index % 3}`, description: "A server\nwith lines" },
      }),
    );
    for (const budget of [30, 80, 100, 500, 3_000, 20_000]) {
      const text = renderDeclarations(tools, budget);
      expect(text.length).toBeLessThanOrEqual(budget * 4);
      const listed = text.match(/tool_\d+\(/g)?.length ?? 0;
      expect(text).toContain(`// ${200 - listed} more tools: searchTools(query), describeTool(name)`);
    }
  });

  test("list the cheapest first, from every namespace in turn", () => {
    const small = Array.from({ length: 40 }, (_, index) =>
      tool(`s${index}`, { namespace: { name: "many" } }),
    );
    const big = tool("big", { description: "long ".repeat(80), namespace: { name: "one" } });
    const huge = tool("huge", { description: "long ".repeat(4_000) });
    const text = renderDeclarations([...small, big, huge], 500);
    expect(text).toContain("  // one\n");
    expect(text).toContain("big(");
    expect(text).not.toContain("huge(");
  });

  test("do not depend on the order of namespaces", () => {
    const a = tool("a", { namespace: { name: "a" } });
    const b = tool("b", { namespace: { name: "b" } });
    expect(renderDeclarations([a, b, tool("c")], 3_000)).toBe(renderDeclarations([b, a, tool("c")], 3_000));
  });

  test("are TypeScript that compiles", () => {
    const text = renderDeclarations(
      [
        tool("plain"),
        tool("x-y", { outputSchema: object({ list: { type: "array", items: { type: "string" } } }) }),
        tool("docs", {
          namespace: { name: "mcp__d", description: "Docs" },
          parameters: object({ q: { type: "string", description: "a */ b" } }),
        }),
      ],
      3_000,
    );
    const use = `async function f() { const r = await tools["x-y"]({ path: "" }); r.structuredContent?.list?.[0]?.trim(); const p: Result = await tools.plain({ path: "" }); p.content[0]?.text?.trim(); await tools.docs(); }\nvoid f;`;
    const dir = mkdtempSync(join(tmpdir(), "ptc-decl-"));
    try {
      writeFileSync(join(dir, "a.ts"), `${text}\n${use}\n`);
      const tsc = join(import.meta.dirname, "../../node_modules/.bin/tsc");
      expect(() =>
        execFileSync(
          tsc,
          ["--noEmit", "--strict", "--target", "es2024", "--ignoreConfig", join(dir, "a.ts")],
          { encoding: "utf8" },
        ),
      ).not.toThrow();
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

test("a writer that remembers writes each schema once, and what is no object as before", () => {
  let reads = 0;
  const schema = {
    properties: {},
    get type() {
      reads += 1;
      return "object";
    },
  };
  const typeOf = rememberTypes();
  const first = typeOf(schema);
  const readsOnce = reads;
  expect(readsOnce).toBeGreaterThan(0);
  expect(typeOf(schema)).toBe(first);
  expect(reads).toBe(readsOnce);
  expect([typeOf(undefined), typeOf(null), typeOf("x")]).toEqual(["unknown", "unknown", "unknown"]);
});
