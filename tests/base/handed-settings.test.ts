/** A child never gets more than its parent (spec 2.3), also of what settings bound. */

import { describe, expect, test } from "vitest";
import { handDown, holdTo } from "../../src/base/handed-settings.ts";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { DEFAULT_SETTINGS } from "../../src/base/settings.ts";

const limits = (more: object) => ({ ...DEFAULT_CONFIG, ...more });

describe("the settings handed down to a child", () => {
  test("hold it where they are tighter, and loosen nothing", () => {
    const above = handDown(
      {
        engine: "quickjs",
        isolation: "process",
        limits: limits({ maxDispatchDepth: 1, dispatchConcurrency: 20, maxChildTurns: 9, graceMs: 10 }),
      },
      undefined,
    );
    const own = {
      ...DEFAULT_SETTINGS,
      isolation: "thread" as const,
      limits: limits({ graceMs: 5, maxChildCostUsd: 2 }),
    };
    const { settings, problem } = holdTo(own, above);
    expect(problem).toBeUndefined();
    expect(settings).toEqual({
      ...DEFAULT_SETTINGS,
      engine: "quickjs",
      isolation: "process",
      limits: limits({ maxDispatchDepth: 1, maxChildTurns: 9, graceMs: 5, maxChildCostUsd: 2 }),
    });
  });

  test("do not lift the engine of the child to the parent's", () => {
    const above = handDown({ engine: "node", isolation: "thread", limits: DEFAULT_CONFIG }, undefined);
    const own = { ...DEFAULT_SETTINGS, engine: "quickjs" as const, isolation: "process" as const };
    expect(holdTo(own, above).settings).toEqual(own);
  });

  test("change nothing where there are none", () => {
    expect(holdTo(DEFAULT_SETTINGS, undefined)).toEqual({ settings: DEFAULT_SETTINGS });
  });

  test("go on to the child's own children, whatever its settings are", () => {
    const first = handDown({ engine: "quickjs", limits: limits({ dispatchConcurrency: 2 }) }, undefined);
    const second = handDown({ engine: "node", limits: limits({ maxDispatchDepth: 2 }) }, first);
    expect(holdTo(DEFAULT_SETTINGS, second).settings).toMatchObject({
      engine: "quickjs",
      limits: { dispatchConcurrency: 2, maxDispatchDepth: 2, poolSize: 4 },
    });
  });

  test("may name limits that this version does not have", () => {
    const above = '{"limits": {"dispatchConcurrency": 3, "maxDreams": 1, "toString": 1}}';
    expect(holdTo(DEFAULT_SETTINGS, above)).toEqual({
      settings: { ...DEFAULT_SETTINGS, limits: limits({ dispatchConcurrency: 3 }) },
    });
  });

  test.each([
    "",
    "nonsense",
    "null",
    "[]",
    "{}",
    '{"limits": []}',
    '{"limits": {}, "engine": "deno"}',
    '{"limits": {}, "isolation": null}',
    '{"limits": {"maxDispatchDepth": "9"}}',
    '{"limits": {"dispatchConcurrency": -1}}',
    '{"limits": {"timeoutMs": 1e999}}',
  ])("leave the engine that contains programs and no children where they read %j", (above) => {
    const { settings, problem } = holdTo(DEFAULT_SETTINGS, above);
    expect(settings).toEqual({
      ...DEFAULT_SETTINGS,
      engine: "quickjs",
      isolation: "process",
      limits: limits({ maxDispatchDepth: 0 }),
    });
    expect(problem).toContain("PI_PTC_BOUNDS");
  });
});
