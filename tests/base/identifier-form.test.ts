import { expect, test } from "vitest";
import { identifierForm, isPlainName } from "../../src/base/identifier-form.ts";

test.each([
  ["my-tool.x", "my_tool_x"],
  ["mcp__a__b", "mcp__a__b"],
  ["2nd", "_2nd"],
  ["a b/ü", "a_b__"],
  ["$x_1", "$x_1"],
])("%s is also bound as %s, which can stand behind a dot", (name, form) => {
  expect(identifierForm(name)).toBe(form);
  expect(isPlainName(form)).toBe(true);
  expect(isPlainName(name)).toBe(name === form);
});
