import { expect, test } from "vitest";
import { exposureOf } from "../../src/surface/exposure.ts";

const ROLES = ["program", "child", "task", "report"] as const;

test.each([
  ["full", false, ["model-only", "codemode", "direct", "hidden"]],
  ["full", true, ["model-only", "codemode", "model-only", "hidden"]],
  ["subagents", false, ["deferred", "direct", "direct", "hidden"]],
  ["subagents", true, ["deferred", "direct", "direct", "hidden"]],
  ["off", false, ["hidden", "hidden", "hidden", "hidden"]],
] as const)(
  "on %s, with codemode hiding direct tools: %j, programs, children, tasks and reports are exposed as %j",
  (surface, codemodeHidesDirect, exposures) => {
    const facts = { surface, codemodeHidesDirect, isOff: false, isChild: false };
    expect(ROLES.map((role) => exposureOf(role, facts))).toEqual(exposures);
  },
);

test("in a child the report is a direct tool on every surface but `off`", () => {
  const facts = { codemodeHidesDirect: false, isOff: false, isChild: true };
  expect(
    (["full", "subagents", "off"] as const).map((surface) => exposureOf("report", { ...facts, surface })),
  ).toEqual(["direct", "direct", "hidden"]);
});

test("with PTC mode off, codemode that stays declared does not describe how to start children", () => {
  const facts = { surface: "full", isOff: true, isChild: false } as const;
  expect(exposureOf("child", { ...facts, codemodeHidesDirect: true })).toBe("deferred");
  expect(exposureOf("child", { ...facts, codemodeHidesDirect: false })).toBe("codemode");
});
