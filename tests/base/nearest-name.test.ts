import { expect, test } from "vitest";
import { nearestName } from "../../src/base/nearest-name.ts";

const KNOWN = ["read", "bash", "edit", "write", "declarationBudget"];

test.each([
  ["raed", "read"],
  ["Read", "read"],
  ["wrte", "write"],
  ["declarationBugdet", "declarationBudget"],
])("%s was meant to be %s", (name, meant) => expect(nearestName(name, KNOWN)).toBe(meant));

test.each(["", "grep", "x", "completely different", "r".repeat(10_000)])("%j resembles nothing", (name) =>
  expect(nearestName(name, KNOWN)).toBeUndefined(),
);
