import { describe, expect, test, vi } from "vitest";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { DEFAULT_SETTINGS } from "../../src/base/settings.ts";
import { bindingContract } from "../../src/surface/binding-contract.ts";
import type { LoadoutView } from "../../src/surface/loadout.ts";
import { createToolTexts } from "../../src/tools/tool-texts.ts";
import { asked, FakeSession } from "./fake-session.ts";

const CONTRACT = bindingContract(DEFAULT_CONFIG);
const quiet = asked("quiet", "Works unseen");
const read = asked("read");

function loadout(declared: string[], callable = [read, quiet]): LoadoutView {
  return {
    declared: declared.map((name) => asked(name)),
    callable,
    getExposure: () => "codemode",
    getNamespace: () => undefined,
    getPromptGuidelines: (name) => (name === "quiet" ? ["Use it softly"] : []),
  };
}

describe("the description of ptc_run_code", () => {
  test("holds the contract and declares the tools that only programs can call, with their guidelines", () => {
    const text = createToolTexts({ settings: () => DEFAULT_SETTINGS }).describe(
      "ptc_run_code",
      loadout(["read", "ptc_run_code"]),
    );
    expect(text).toContain(CONTRACT);
    expect(text).toContain("// Works unseen\n  // - Use it softly\n  quiet(");
    expect(text).not.toContain("  read(");
  });

  test("has no listing when every tool is declared, or the budget is nothing", () => {
    const all = loadout(["read", "quiet", "ptc_run_code"]);
    expect(createToolTexts({ settings: () => DEFAULT_SETTINGS }).describe("ptc_run_code", all)).not.toContain(
      "```",
    );
    const broke = createToolTexts({ settings: () => ({ ...DEFAULT_SETTINGS, declarationBudget: 0 }) });
    expect(broke.describe("ptc_run_code", loadout(["ptc_run_code"]))).not.toContain("```");
  });

  test("names the limits of the settings", () => {
    const texts = createToolTexts({
      settings: () => ({ ...DEFAULT_SETTINGS, limits: { ...DEFAULT_CONFIG, maxTimeoutMs: 77_777 } }),
    });
    expect(texts.describe("ptc_run_code", loadout([]))).toContain("at most 77777");
  });

  test("is made once for a loadout that stays the same, and again when it or the settings change", () => {
    let settings = DEFAULT_SETTINGS;
    const guidelines = vi.fn<() => string[]>(() => []);
    const texts = createToolTexts({ settings: () => settings });
    const view = { ...loadout(["ptc_run_code"]), getPromptGuidelines: guidelines };
    const first = texts.describe("ptc_run_code", view);
    expect(texts.describe("ptc_run_code", { ...view })).toBe(first);
    expect(texts.describe("ptc_run_code", loadout(["ptc_run_code"], [quiet, asked("other")]))).toContain(
      "other(",
    );
    settings = { ...settings, limits: { ...DEFAULT_CONFIG, maxTimeoutMs: 5_555 } };
    expect(texts.describe("ptc_run_code", view)).toContain("at most 5555");
  });

  test("declares active tools that the model is not shown, and says where skills are read when `read` is one", () => {
    const view = loadout(["read", "quiet", "ptc_run_code"]);
    const textWith = (...unseen: string[]): string =>
      createToolTexts({ settings: () => DEFAULT_SETTINGS, unseen: () => new Set(unseen) }).describe(
        "ptc_run_code",
        view,
      );
    expect(textWith("quiet")).toContain("  quiet(");
    expect(textWith("quiet")).not.toMatch(/ {2}read\(|Skills/);
    expect(textWith("read")).toContain("  read(");
    expect(textWith("read")).toContain("load a skill's file with `tools.read` inside a program");
    expect(textWith()).not.toMatch(/```|Skills/);
  });
});

describe("the description of ptc_workflow", () => {
  const texts = createToolTexts({ settings: () => DEFAULT_SETTINGS });

  test("refers to ptc_run_code", () => {
    const text = texts.describe("ptc_workflow", loadout(["ptc_run_code", "ptc_workflow"]));
    expect(text).toContain("as described for ptc_run_code");
    expect(text).not.toContain(CONTRACT);
  });

  test("carries the contract itself where ptc_run_code is not active", () => {
    const text = texts.describe("ptc_workflow", loadout(["ptc_workflow"]));
    expect(text).toContain(CONTRACT);
    expect(text).toContain("quiet(");
  });
});

describe("the text a tool is registered with, all that a script finds of one that is not active", () => {
  test("goes by the settings at that moment, and says how children are started", () => {
    const session = new FakeSession();
    const { runCode, workflow } = session;
    const limits = { ...DEFAULT_CONFIG, maxTimeoutMs: 77_777 };
    session.settings = { ...DEFAULT_SETTINGS, engine: "quickjs", limits };
    expect(runCode.description).toContain(bindingContract(limits, "quickjs"));
    expect(runCode.description).toContain('tools["pi.dispatch"]');
    expect(workflow.description).toContain("as described for ptc_run_code");
  });

  test("does not speak of children where there are none", () => {
    const texts = createToolTexts({ settings: () => DEFAULT_SETTINGS, canDispatch: () => false });
    expect(texts.registered("ptc_run_code")).not.toContain("dispatch");
  });
});

test("the hooks of the tools put these texts into the loadout", () => {
  const session = new FakeSession();
  const view = loadout(["ptc_run_code", "ptc_workflow"]) as never;
  expect(session.runCode.prepareLoadout?.(view)?.descriptions).toEqual({
    ptc_run_code: expect.stringContaining("quiet("),
  });
  expect(session.workflow.prepareLoadout?.(view)?.descriptions).toEqual({
    ptc_workflow: expect.stringContaining("parallel("),
  });
});
