/** Spec 4.1 and 4.2 as a table: every combination of what decides, against the sentences of the spec. */

import { describe, expect, test } from "vitest";
import { choose, type LaunchArguments, type SurfaceFacts } from "../../src/surface/choose.ts";

const NO_CODEMODE = { registered: false, active: false, builtin: false, only: false };
const CODEMODES = {
  "not registered": NO_CODEMODE,
  inactive: { registered: true, active: false, builtin: true, only: false },
  active: { registered: true, active: true, builtin: true, only: false },
  "active, mode only": { registered: true, active: true, builtin: true, only: true },
  "another package's, active": { registered: true, active: true, builtin: false, only: false },
  "another package's, inactive": { registered: true, active: false, builtin: false, only: false },
};
/** Launches, whether each names codemode by itself, leaves `defaultTools` in force, and restricts tools. */
const LAUNCHES: Record<
  string,
  { launch: LaunchArguments | undefined; names?: boolean; replaces?: boolean; restricts?: boolean }
> = {
  "no pi command line": { launch: undefined },
  plain: { launch: {} },
  "--tools +codemode": { launch: { tools: ["+codemode"] }, names: true },
  "--tools -codemode": { launch: { tools: ["-codemode"] }, names: false },
  "--tools +grep": { launch: { tools: ["+grep"] } },
  "--tools read,codemode": { launch: { tools: ["read", "codemode"] }, names: true, restricts: true },
  "--tools code*": { launch: { tools: ["code*"] }, names: true, restricts: true },
  "--tools *": { launch: { tools: ["*"] }, replaces: true, restricts: true },
  "--tools read": { launch: { tools: ["read"] }, replaces: true, restricts: true },
  "--exclude-tools write": { launch: { excludeTools: ["write"] }, restricts: true },
  "--no-builtin-tools": { launch: { noBuiltinTools: true }, replaces: true, restricts: true },
  "--no-tools": { launch: { noTools: true }, replaces: true, restricts: true },
  "--no-extensions": { launch: { noExtensions: true }, restricts: true },
};
const DEFAULT_TOOLS: Record<string, { value: unknown; names: boolean }> = {
  absent: { value: undefined, names: false },
  "+codemode": { value: ["+codemode"], names: true },
  "a plain list with it": { value: ["read", "codemode"], names: true },
  "+codemode,-codemode": { value: ["+codemode", "-codemode"], names: false },
  "a plain list without it": { value: ["read", "bash"], names: false },
  "no list": { value: { codemode: true }, names: false },
  "a list of anything": { value: [1, null, ["+codemode"]], names: false },
};
const PINS = [undefined, "off", "subagents", "full"] as const;
const CHOICES = [undefined, "on", "off"] as const;

/** What stands in one row. */
interface Row {
  title: string;
  facts: SurfaceFacts;
  /** Do the lists in force name codemode? */
  isNamed: boolean;
  restricts: boolean;
}

const cross = <A, B>(left: readonly A[], right: readonly B[]): [A, B][] =>
  left.flatMap((a) => right.map((b): [A, B] => [a, b]));

/** Every combination. */
function rows(): Row[] {
  const lists = cross(Object.entries(LAUNCHES), Object.entries(DEFAULT_TOOLS));
  const words = cross(cross(PINS, CHOICES), cross([true, false], [true, false]));
  return cross(cross(Object.entries(CODEMODES), lists), words).map(([found, said]) => {
    const [[codemodeTitle, codemode], [[launchTitle, launched], [defaultsTitle, defaults]]] = found;
    const [[pinned, chosen], [defaultMode, hasScreen]] = said;
    const { launch, names, replaces, restricts = false } = launched;
    return {
      title: [codemodeTitle, launchTitle, defaultsTitle, pinned, chosen, defaultMode, hasScreen].join("; "),
      facts: {
        codemode,
        launch,
        defaultTools: defaults.value,
        pinned,
        chosen,
        defaultMode,
        hasScreen,
        isChild: false,
      },
      isNamed: names ?? (!replaces && defaults.names),
      restricts,
    };
  });
}

describe("every combination", () => {
  const all = rows();

  test("is in the table", () => {
    expect(all).toHaveLength(6 * 13 * 7 * 4 * 3 * 2 * 2);
  });

  test("is `subagents` without a pin only when pi's own codemode is active and the user named it", () => {
    for (const { title, facts, isNamed } of all.filter((row) => row.facts.pinned === undefined)) {
      const { active, builtin } = facts.codemode;
      expect(choose(facts).surface, title).toBe(active && builtin && isNamed ? "subagents" : "full");
    }
  });

  test("is what is pinned, whatever pi offers", () => {
    for (const { title, facts } of all.filter((row) => row.facts.pinned !== undefined)) {
      const expected = { surface: facts.pinned, surfaceReason: "pinned" };
      expect(choose(facts), title).toMatchObject(expected);
    }
  });

  test("in a child too, but for `subagents` where nothing could call its programs", () => {
    for (const { title, facts } of all) {
      const hasCodemode = facts.codemode.active && facts.codemode.builtin;
      const pinned = facts.pinned === "subagents" && !hasCodemode ? undefined : facts.pinned;
      expect(choose({ ...facts, isChild: true }), title).toEqual(choose({ ...facts, pinned }));
    }
  });

  test("has a mode on `full` only", () => {
    for (const { title, facts } of all) {
      const { surface, mode, modeReason } = choose(facts);
      const isFull = surface === "full";
      expect([mode !== undefined, modeReason !== undefined], title).toEqual([isFull, isFull]);
    }
  });

  test("is in the mode the user chose; else `on` with a screen, default settings and no restriction, and `both` otherwise", () => {
    for (const { title, facts, restricts } of all.filter((row) => choose(row.facts).surface === "full")) {
      const automatic = facts.hasScreen && facts.defaultMode && !restricts ? "on" : "both";
      expect(choose(facts).mode, title).toBe(facts.chosen ?? automatic);
    }
  });
});

const FACTS: SurfaceFacts = {
  launch: {},
  defaultTools: undefined,
  codemode: CODEMODES.active,
  pinned: undefined,
  defaultMode: true,
  hasScreen: true,
  isChild: false,
  chosen: undefined,
};

test.each([
  [{ pinned: "full" }, "pinned"],
  [{ launch: { tools: ["+codemode"] } }, "named"],
  [{ defaultTools: ["+codemode"] }, "named"],
  [{ codemode: NO_CODEMODE }, "no-codemode"],
  [{ codemode: CODEMODES["another package's, active"] }, "foreign-codemode"],
  [{ codemode: CODEMODES.inactive }, "inactive-codemode"],
  [{}, "unnamed-codemode"],
] as [Partial<SurfaceFacts>, string][])("with %j the reason of the surface is %s", (facts, reason) => {
  expect(choose({ ...FACTS, ...facts }).surfaceReason).toBe(reason);
});

test.each([
  [{ chosen: "off", defaultMode: false }, "chosen"],
  [{ defaultMode: false, hasScreen: false }, "default-mode"],
  [{ hasScreen: false }, "no-screen"],
  [{ launch: { noExtensions: true } }, "restricted-launch"],
  [{}, "screen"],
] as [Partial<SurfaceFacts>, string][])("with %j the reason of the mode is %s", (facts, reason) => {
  expect(choose({ ...FACTS, ...facts }).modeReason).toBe(reason);
});
