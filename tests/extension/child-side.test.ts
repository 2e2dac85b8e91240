import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { afterEach, expect, test, vi } from "vitest";
import { actAsChild, isChild } from "../../src/extension/child-side.ts";

type Handler = (event: { toolName: string }) => unknown;

afterEach(() => vi.unstubAllEnvs());

/** What the handlers of a child say to a call. */
function gateOf(
  env: Record<string, string>,
  readOnlyTools: string[] = [],
): { block: (toolName: string) => unknown; events: string[] } {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const handlers = new Map<string, Handler>();
  const pi = {
    on: (event: string, handler: Handler) => handlers.set(event, handler),
  } as unknown as ExtensionAPI;
  actAsChild(pi, () => readOnlyTools);
  return { block: (toolName) => handlers.get("tool_call")?.({ toolName }), events: [...handlers.keys()] };
}

test("a read-only child blocks every call but reading, reporting, programs and what the user named", () => {
  const { block } = gateOf({ PI_PTC_DEPTH: "1", PI_PTC_READ_ONLY: "1" }, ["web_search"]);
  for (const name of [
    "read",
    "grep",
    "find",
    "ls",
    "ptc_child_report",
    "ptc_run_code",
    "ptc_workflow",
    "web_search",
  ])
    expect(block(name)).toBeUndefined();
  for (const name of ["bash", "write", "edit", "ptc_subagent", "ptc_task_stop", "codemode"]) {
    expect(block(name)).toMatchObject({ block: true, reason: expect.stringContaining("read-only") });
  }
});

test("another child has no gate of ours, and a session of a person nothing at all", () => {
  expect(gateOf({ PI_PTC_DEPTH: "1", PI_PTC_READ_ONLY: "" }).events).toEqual(["session_start"]);
  expect(gateOf({ PI_PTC_DEPTH: "", PI_PTC_READ_ONLY: "1" }).events).toEqual([]);
});

test.each([
  ["1", true],
  ["12", true],
  ["0", false],
  ["", false],
  ["x", false],
  ["-1", false],
])("depth %j makes a child: %s", (depth, child) => {
  expect(isChild({ PI_PTC_DEPTH: depth })).toBe(child);
});
