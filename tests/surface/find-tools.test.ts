import { describe, expect, test } from "vitest";
import { createToolSearch, describeTool } from "../../src/surface/find-tools.ts";
import type { ListedTool } from "../../src/surface/tool-listing.ts";

const TOOLS: ListedTool[] = [
  {
    name: "mcp__tracker__list_issues",
    description: "Lists open issues of a project",
    parameters: { properties: { project: { type: "string" } } },
  },
  {
    name: "read",
    description: "Read a file",
    parameters: { properties: { path: { description: "Where the issue may be" } } },
  },
  { name: "createIssue", description: "Opens a ticket", parameters: {} },
  {
    name: "mcp__docs__search-pages",
    description: "Search the documentation",
    parameters: {},
    namespace: { name: "mcp__docs", description: "Manual" },
  },
];
const names = (query: string): string[] => createToolSearch(TOOLS)(query).map((tool) => tool.name);

describe("a search", () => {
  test("ranks a word in the name over one in the description over one in the parameters", () => {
    expect(names("issue")).toEqual(["createIssue", "mcp__tracker__list_issues", "read"]);
  });

  test("finds parameter names, namespaces and other forms of a word", () => {
    expect(names("projects")).toEqual(["mcp__tracker__list_issues"]);
    expect(names("manual")).toEqual(["mcp__docs__search-pages"]);
    expect(names("Documents")).toEqual([]);
    expect(names("searching the documentation")).toEqual(["mcp__docs__search-pages"]);
  });

  test("puts the exact name first, in either form", () => {
    expect(names("mcp__docs__search_pages")[0]).toBe("mcp__docs__search-pages");
    expect(names("read")[0]).toBe("read");
  });

  test("without words gives the first ten by name, and finds nothing for what is not there", () => {
    expect(names(" \n")).toEqual([
      "createIssue",
      "mcp__docs__search-pages",
      "mcp__tracker__list_issues",
      "read",
    ]);
    expect(names("zebra")).toEqual([]);
    expect(createToolSearch([])("read")).toEqual([]);
  });

  test("reads the tools once, however often it is asked", () => {
    let reads = 0;
    const tool = {
      name: "a",
      parameters: {},
      get description(): string {
        reads += 1;
        return "zebra";
      },
    };
    const search = createToolSearch([tool]);
    for (const query of ["", "nothing", "none", "not there"]) search(query);
    const before = reads;
    expect(search("zebra")).toEqual([{ name: "a", description: "zebra" }]);
    // For the answer alone.
    expect(reads - before).toBe(1);
  });

  test("compares the first words of a query that is a whole text", () => {
    const filler = Array.from({ length: 30 }, (_, index) => `w${index}`).join(" ");
    expect(names(`issue ${filler}`)).toHaveLength(3);
    expect(names(`${filler} issue`)).toEqual([]);
  });

  test("gives at most ten, with short one-line descriptions", () => {
    const many = Array.from({ length: 50 }, (_, index) => ({
      name: `t${index}`,
      description: "word\n ".repeat(400),
      parameters: {},
    }));
    const found = createToolSearch(many)("word");
    expect(found).toHaveLength(10);
    expect(found[0]?.description.length).toBe(300);
    expect(found[0]?.description).not.toContain("\n");
  });

  test("survives a huge query and schemas without end", () => {
    const loop: Record<string, unknown> = { description: "loop" };
    loop["properties"] = { again: loop };
    loop["items"] = loop;
    const started = performance.now();
    expect(
      createToolSearch([{ name: "a", description: "", parameters: loop }])(`${"x ".repeat(1e6)}loop`),
    ).toEqual([]);
    expect(createToolSearch([{ name: "a", description: "", parameters: loop }])("loop")).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("a description", () => {
  test("is found by name, by identifier form and as tools.<name>", () => {
    for (const name of [
      "mcp__docs__search-pages",
      "mcp__docs__search_pages",
      " tools.mcp__docs__search_pages ",
    ]) {
      expect(describeTool(TOOLS, name)).toContain('"mcp__docs__search-pages"(args?: ');
    }
  });

  test("of an unknown name is undefined", () => expect(describeTool(TOOLS, "constructor")).toBeUndefined());
});
