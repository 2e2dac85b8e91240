import { describe, expect, test } from "vitest";
import {
  childTools,
  type ChildTools,
  type ParentTools,
  type ToolWish,
} from "../../src/children/child-tools.ts";

/** A session on the surface `full` with pi's default tools. */
const PARENT: ParentTools = {
  launch: undefined,
  callable: ["read", "bash", "edit", "write", "web", "ptc_subagent", "ptc_task_list", "ptc_task_stop"],
  active: [
    "read",
    "bash",
    "edit",
    "write",
    "web",
    "ptc_run_code",
    "ptc_workflow",
    "ptc_task_list",
    "ptc_task_stop",
  ],
  registered: [
    ...["read", "bash", "edit", "write", "grep", "find", "ls", "web", "codemode", "tool_search"],
    ...["ptc_run_code", "ptc_workflow", "ptc_subagent", "ptc_task_list", "ptc_task_stop", "ptc_child_report"],
  ],
  own: ["ptc_run_code", "ptc_workflow", "ptc_subagent", "ptc_task_list", "ptc_task_stop"],
  surface: "full",
};
const ALL = [...PARENT.callable, "ptc_run_code", "ptc_workflow", "grep", "find", "ls"];
const launch = (fields: object): ParentTools["launch"] =>
  ({
    messages: [],
    fileArgs: [],
    unknownFlags: new Map(),
    diagnostics: [],
    ...fields,
  }) as ParentTools["launch"];
const WISH: ToolWish = { agent: undefined, readOnly: false, readOnlyTools: [], reportExpected: false };

const tools = (wish: Partial<ToolWish> = {}, parent: Partial<ParentTools> = {}): ChildTools =>
  childTools({ ...PARENT, ...parent }, { ...WISH, ...wish });
const withList = (
  list: string[],
  wish: Partial<ToolWish> = {},
  parent: Partial<ParentTools> = {},
): ChildTools => tools({ agent: { name: "scout", tools: list }, ...wish }, parent);

describe("a child without a list", () => {
  test("gets what its parent can call, our tools that it has, and the searches that go with read", () => {
    const { names, canDispatch, hasPrograms, dropped, warnings } = tools();
    expect(names.toSorted()).toEqual(ALL.toSorted());
    expect([canDispatch, hasPrograms, dropped, warnings]).toEqual([true, true, [], []]);
    expect(tools({ agent: { name: "scout" } }).names).toEqual(names);
  });

  test("gets no searches that the parent's launch took away, or without read", () => {
    const withoutGrep = PARENT.registered.filter((name) => name !== "grep");
    expect(tools({}, { registered: withoutGrep }).names).not.toContain("grep");
    expect(tools({}, { registered: withoutGrep }).names).toContain("find");
    expect(tools({}, { launch: launch({ tools: ["-grep", "+codemode"] }) }).names).not.toContain("grep");
    expect(tools({}, { launch: launch({ noBuiltinTools: true }) }).names).not.toContain("ls");
    const withoutRead = PARENT.callable.filter((name) => name !== "read");
    expect(tools({}, { callable: withoutRead }).names).not.toContain("grep");
  });

  test("gets none of our tools that the parent lacks", () => {
    const { names, hasPrograms } = tools({}, { own: [], callable: ["read", "bash"] });
    expect(names).toEqual(["read", "bash", "grep", "find", "ls"]);
    expect(hasPrograms).toBe(false);
  });

  test("gets codemode and tool search only from a parent on the surface subagents that has them active", () => {
    const active = [...PARENT.active, "codemode", "tool_search"];
    expect(tools({}, { active }).names).not.toContain("codemode");
    expect(tools({}, { surface: "subagents" }).names).not.toContain("codemode");
    expect(tools({}, { surface: "subagents", active }).names).toEqual(
      expect.arrayContaining(["codemode", "tool_search"]),
    );
  });

  test("gets no name that pi would read as more than a name", () => {
    const odd = ["a,b", "x*", "+y", "-z", " w", "fine-name.x"];
    expect(tools({}, { callable: odd, own: [] }).names).toEqual(["fine-name.x"]);
  });
});

describe("a child with its agent's list", () => {
  test("gets what is on both lists and is told what it does not get", () => {
    const result = withList(["read", "web", "rocket", "codemode"]);
    expect(result.names).toEqual(["read", "web"]);
    expect(result.entries).toEqual(["read", "web", "mcp__"]);
    expect(result.dropped).toEqual(["rocket", "codemode"]);
    expect(result.warnings).toEqual([
      'agent "scout" lists rocket, codemode, which this session does not have: left out',
    ]);
  });

  test("means the session's tools where its names differ in capitals alone", () => {
    const { names, warnings } = withList(["Read", "Task", "Bash"]);
    expect(names).toEqual(["read", "bash"]);
    expect(warnings).toEqual(['agent "scout" lists Task, which this session does not have: left out']);
  });

  test("that is empty gets no tool at all", () => {
    expect(withList([])).toEqual({
      names: [],
      entries: [],
      noMcp: true,
      canDispatch: false,
      hasPrograms: false,
      dropped: [],
      warnings: [],
    });
  });

  test("may search where the parent may, though the parent's model is not offered it", () => {
    expect(withList(["grep", "ls"]).entries).toEqual(["grep", "ls", "mcp__"]);
  });

  test("gets the tools for children along with a program tool, and none without one", () => {
    expect(withList(["read", "ptc_run_code"]).names).toEqual([
      "read",
      "ptc_subagent",
      "ptc_task_list",
      "ptc_task_stop",
      "ptc_run_code",
    ]);
    const without = withList(["read", "ptc_subagent", "ptc_task_list"]);
    expect(without.names).toEqual(["read"]);
    expect(without.warnings).toEqual([
      'agent "scout" lists ptc_subagent, ptc_task_list, but no program tool (ptc_run_code, ptc_workflow) to use them: left out',
    ]);
  });

  test("may use patterns, which reach nothing the parent lacks", () => {
    const callable = ["read", "web", "mcp__docs__find", "mcp__docs__get", "mcp__mail__send"];
    const result = withList(["mcp__docs__*", "w*b", "none*"], {}, { callable, own: [] });
    expect(result.names).toEqual(["web", "mcp__docs__find", "mcp__docs__get"]);
    expect(result.dropped).toEqual(["none*"]);
    expect(withList(["*"]).names.toSorted()).toEqual(ALL.toSorted());
    expect(withList(["r.ad"]).names).toEqual([]);
  });

  test("is not told of the report tool, which is not its to choose", () => {
    expect(withList(["read", "ptc_child_report"])).toMatchObject({
      names: ["read"],
      dropped: [],
      warnings: [],
    });
  });
});

describe("the entries for --tools", () => {
  test("hold the report tool where a report is asked for, of an empty list too", () => {
    const asked = { reportExpected: true };
    expect(withList(["read"], asked).entries).toEqual(["read", "ptc_child_report", "mcp__"]);
    expect(withList([], asked).entries).toEqual(["ptc_child_report", "mcp__"]);
  });

  test("name by a pattern what programs call and the parent's model is not shown", () => {
    const { entries } = tools(
      {},
      { callable: [...PARENT.callable, "quiet"], registered: [...PARENT.registered, "quiet"] },
    );
    expect(entries).toEqual(
      expect.arrayContaining(["ptc_subagent*", "quiet*", "read", "grep", "ptc_run_code"]),
    );
  });

  test("name plainly what a pattern would not name alone, and what no program could call", () => {
    const registered = [...PARENT.registered, "quiet", "quieter"];
    const callable = [...PARENT.callable, "quiet"];
    expect(tools({}, { callable, registered }).entries).toContain("quiet");
    expect(
      withList(["quiet"], {}, { callable, registered: [...PARENT.registered, "quiet"] }).entries,
    ).toEqual(["quiet", "mcp__"]);
  });

  test("name plainly what begins like tools that the parent's launch may keep from it", () => {
    const parent = {
      callable: [...PARENT.callable, "quiet"],
      registered: [...PARENT.registered, "quiet"],
    };
    const entry = (fields: object): string | undefined =>
      tools({}, { ...parent, launch: launch(fields) }).entries.find((one) => one.startsWith("quiet"));
    expect(entry({ tools: ["read", "ptc_run_code", "quiet"] })).toBe("quiet");
    expect(entry({ noBuiltinTools: true })).toBe("quiet");
    expect(entry({ tools: ["read", "quiet*"] })).toBe("quiet*");
    expect(entry({ tools: ["read", "q*t"] })).toBe("quiet");
    expect(entry({ tools: ["+codemode", "-grep"] })).toBe("quiet*");
  });
});

describe("MCP", () => {
  const callable = ["read", "mcp__docs__find", "list_mcp_resources"];

  test("is off for a child that has no tool of it", () => {
    expect(tools({}, { callable: ["read"] }).noMcp).toBe(true);
    expect(withList(["read"], {}, { callable }).noMcp).toBe(true);
    expect(tools({}, { callable }).noMcp).toBe(false);
  });

  test("tools are named plainly, for pi declares none of them by its name", () => {
    expect(tools({}, { callable }).entries).toEqual(
      expect.arrayContaining(["mcp__docs__find", "list_mcp_resources"]),
    );
  });

  test("tools of other packages are held to the list by a name that no tool has, where none is listed", () => {
    expect(tools().entries).toContain("mcp__");
    expect(withList(["mcp__docs__find"], {}, { callable }).entries).not.toContain("mcp__");
    // pi takes an empty list for no tools at all, of MCP too.
    expect(withList([]).entries).toEqual([]);
  });

  test("is held to the list by a name that no tool has, where only its resource tools are listed", () => {
    const result = withList(["read_mcp_resource", "list_mcp_resources"], {}, { callable, own: [] });
    expect([result.entries, result.noMcp]).toEqual([["list_mcp_resources", "mcp__"], false]);
  });
});

describe("a read-only child", () => {
  test("gets read and the searches, programs over them, and what the user's setting names", () => {
    const reading = ["read", "grep", "find", "ls", "ptc_run_code", "ptc_workflow"];
    expect(tools({ readOnly: true }).names.toSorted()).toEqual(reading.toSorted());
    expect(tools({ readOnly: true, readOnlyTools: ["web", "gone"] }).names.toSorted()).toEqual(
      [...reading, "web"].toSorted(),
    );
  });

  test("gets no programs that its parent lacks, and no children, even if the setting names them", () => {
    const without = tools({ readOnly: true, readOnlyTools: ["ptc_run_code"] }, { own: [] });
    expect(without.names).toEqual(["read", "grep", "find", "ls"]);
    const result = tools({ readOnly: true, readOnlyTools: ["ptc_subagent", "ptc_task_stop"] });
    expect(result.names.filter((name) => name.startsWith("ptc_"))).toEqual(["ptc_run_code", "ptc_workflow"]);
    expect([result.canDispatch, result.hasPrograms]).toEqual([false, false]);
  });

  test("is told what its agent lists in vain", () => {
    expect(withList(["read", "bash", "rocket"], { readOnly: true })).toMatchObject({
      names: ["read"],
      dropped: ["bash", "rocket"],
      warnings: [
        'agent "scout" lists rocket, which this session does not have: left out',
        'agent "scout" lists bash, but the child is read-only: left out',
      ],
    });
  });

  test("is not read-only by what its parent could not read", () => {
    expect(tools({ readOnly: true }, { callable: ["bash"], own: [] }).names).toEqual([]);
  });
});
