import { describe, expect, test } from "vitest";
import { findModel } from "../../src/children/model-choice.ts";

const AVAILABLE = [
  "anthropic/claude-sonnet-4-5",
  "openai/gpt-5",
  "openrouter/gpt-5",
  "openrouter/meta/llama-3:free",
  "local/Qwen3",
];

describe("a model", () => {
  test.each([
    ["openai/gpt-5", "openai/gpt-5"],
    ["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
    [" claude-sonnet-4-5 ", "anthropic/claude-sonnet-4-5"],
    ["meta/llama-3:free", "openrouter/meta/llama-3:free"],
    ["Anthropic/Claude-Sonnet-4-5", "anthropic/claude-sonnet-4-5"],
    ["qwen3", "local/Qwen3"],
  ])("written %j is %s", (name, model) => {
    expect(findModel(name, AVAILABLE)).toEqual({ ok: true, model });
  });

  test("may carry a thinking level", () => {
    expect(findModel("openai/gpt-5:high", AVAILABLE)).toEqual({
      ok: true,
      model: "openai/gpt-5",
      thinkingLevel: "high",
    });
    expect(findModel("openrouter/meta/llama-3:free:off", AVAILABLE)).toEqual({
      ok: true,
      model: "openrouter/meta/llama-3:free",
      thinkingLevel: "off",
    });
  });

  test.each(["sonnet", "openai/gpt-4", "openai/gpt-5:deep", ":high", "/", ""])(
    "written %j is refused with what is available",
    (name) => {
      const choice = findModel(name, AVAILABLE);
      expect(choice).toMatchObject({ ok: false });
      expect(choice).toHaveProperty("refusal", expect.stringContaining("is unknown or has no key"));
      expect(choice).toHaveProperty("refusal", expect.stringContaining(AVAILABLE.join(", ")));
    },
  );

  test("that several providers offer is refused with their names", () => {
    expect(findModel("gpt-5", AVAILABLE)).toEqual({
      ok: false,
      refusal: 'model "gpt-5" is offered by several providers; write one of openai/gpt-5, openrouter/gpt-5',
    });
  });

  test("with a slip is told the nearest", () => {
    expect(findModel("openai/gpt5", AVAILABLE)).toHaveProperty(
      "refusal",
      expect.stringContaining("did you mean openai/gpt-5?"),
    );
  });

  test("is refused with at most twenty names, and with a next step where there are none", () => {
    const many = Array.from({ length: 500 }, (_, index) => `p/m${index}`);
    const refusal = (findModel("x".repeat(10_000), many) as { refusal: string }).refusal;
    expect(refusal).toContain("p/m19, and 480 more");
    expect(refusal.length).toBeLessThan(600);
    expect(findModel("x", [])).toHaveProperty(
      "refusal",
      expect.stringContaining("has no key, as no model has; log in"),
    );
  });
});
