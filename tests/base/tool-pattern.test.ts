import { expect, test } from "vitest";
import { meansTool } from "../../src/base/tool-pattern.ts";

test.each([
  ["read", "read", true],
  ["read", "reader", false],
  ["ptc_*", "ptc_run_code", true],
  ["ptc_*", "my_ptc_tool", false],
  ["*_code", "ptc_run_code", true],
  ["*", "anything", true],
  ["m*p__*", "mcp__docs__find", true],
  ["a.c*", "abc", false],
  ["a.c*", "a.cd", true],
])("the entry %j means the tool %j: %j", (entry, name, means) => {
  expect(meansTool(entry, name)).toBe(means);
});
