import { expect, test } from "vitest";
import { previewDispatch } from "../../src/children/dispatch-reply.ts";

test.each([
  [{ agent: "scout", label: "audit", task: "Look at it" }, "→ scout: audit"],
  [{ task: "Look at it" }, "→ default: Look at it"],
  [{ agent: "scout", label: " " }, "→ scout"],
  [{ agent: 5, task: "x".repeat(200) }, `→ default: ${"x".repeat(80)}`],
  [null, ""],
  ["text", ""],
  [[1], ""],
])("%j is previewed as %j", (args, shown) => expect(previewDispatch(args)).toBe(shown));
