import { expect, test } from "vitest";
import { bindableTools, hiddenByCodemode, undeclaredTools } from "../../src/surface/loadout.ts";

const named = (...names: string[]) =>
  names.map((name) => ({ name, description: `does ${name}`, parameters: {} }));

test("programs, codemode, tool search and children are not bound; everything else is", () => {
  const all = named(
    "read",
    "ptc_run_code",
    "ptc_workflow",
    "codemode",
    "tool_search",
    "ptc_subagent",
    "ptc_task_list",
    "mcp__x__y",
  );
  expect(bindableTools(all).map((tool) => tool.name)).toEqual(["read", "ptc_task_list", "mcp__x__y"]);
});

test("undeclared tools are callable, not active and not deferred, and bring their guidelines and namespace", () => {
  const tools = undeclaredTools({
    declared: named("read"),
    callable: named("read", "codemode", "quiet", "late"),
    getExposure: (name) => (name === "late" ? "deferred" : "codemode"),
    getNamespace: (name) => ({ name: `ns-${name}` }),
    getPromptGuidelines: (name) => [`Be careful with ${name}`],
  });
  expect(tools).toEqual([
    {
      name: "quiet",
      description: "does quiet",
      parameters: {},
      outputSchema: undefined,
      guidelines: ["Be careful with quiet"],
      namespace: { name: "ns-quiet" },
    },
  ]);
});

test("an active tool that the model is not shown is undeclared, too", () => {
  const loadout = {
    declared: named("read", "bash"),
    callable: named("read", "bash"),
    getExposure: () => "direct",
    getNamespace: () => undefined,
    getPromptGuidelines: () => [],
  };
  expect(undeclaredTools(loadout, new Set(["bash", "gone"])).map(({ name }) => name)).toEqual(["bash"]);
});

test("pi's codemode hides direct tools in its mode `only`, while it is active", () => {
  const loadout = {
    declared: named("read", "codemode", "ptc_run_code"),
    getExposure: (name: string) => (name === "read" ? "direct" : "model-only"),
  };
  const only = { registered: true, active: true, builtin: true, only: true };
  expect(hiddenByCodemode(loadout, only)).toEqual(["read"]);
  for (const off of [{ only: false }, { active: false }, { builtin: false }])
    expect(hiddenByCodemode(loadout, { ...only, ...off })).toEqual([]);
});
