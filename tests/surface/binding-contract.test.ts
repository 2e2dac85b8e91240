import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { bindingContract, MAX_CONTRACT_CHARS } from "../../src/surface/binding-contract.ts";

test("the contract takes at most 320 estimated tokens, with the longest limits too", () => {
  expect(MAX_CONTRACT_CHARS).toBe(320 * 4);
  expect(bindingContract(DEFAULT_CONFIG).length).toBeLessThanOrEqual(1_280);
  const longest = { timeoutMs: 2 ** 31 - 1, maxTimeoutMs: 2 ** 31 - 1, maxParallelSubCalls: 1_000 };
  expect(bindingContract(longest).length).toBeLessThanOrEqual(1_280);
});

test("the contract names the limits of the session", () => {
  const text = bindingContract({ timeoutMs: 111, maxTimeoutMs: 222, maxParallelSubCalls: 333 });
  for (const number of ["111", "222", "333"]) expect(text).toContain(number);
});

test("the contract does not speak of what is not bound yet", () => {
  expect(bindingContract(DEFAULT_CONFIG)).not.toMatch(/dispatch|subagent|agent\(/);
});
