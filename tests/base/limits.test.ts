import { describe, expect, test } from "vitest";
import {
  DEFAULT_CONFIG,
  LIMIT_RANGES,
  limitProblem,
  MAX_TIMER_MS,
  resolveConfig,
} from "../../src/base/limits.ts";

const KEYS = Object.keys(DEFAULT_CONFIG) as (keyof typeof DEFAULT_CONFIG)[];

test("every limit has a range that holds its default, and every default is frozen", () => {
  expect(Object.keys(LIMIT_RANGES)).toEqual(KEYS);
  for (const key of KEYS) expect(limitProblem(key, DEFAULT_CONFIG[key])).toBeUndefined();
  expect(Object.isFrozen(DEFAULT_CONFIG)).toBe(true);
  expect(Object.isFrozen(LIMIT_RANGES)).toBe(true);
});

test("no time is longer than a timer of Node", () => {
  expect(MAX_TIMER_MS).toBe(2_147_483_647);
  for (const key of KEYS.filter((name) => name.endsWith("Ms"))) {
    expect(LIMIT_RANGES[key].max).toBeLessThanOrEqual(MAX_TIMER_MS);
  }
});

describe.each(KEYS)("%s", (key) => {
  const { min, max, integer } = LIMIT_RANGES[key];

  test("takes the ends of its range and nothing beyond them", () => {
    expect(limitProblem(key, min)).toBeUndefined();
    expect(limitProblem(key, max)).toBeUndefined();
    for (const value of [min - 1, max + 1]) {
      const wanted = `${integer ? "a whole number" : "a number"} from ${min} to ${max}`;
      expect(limitProblem(key, value)).toBe(`limits.${key} is ${value}; it must be ${wanted}`);
    }
  });

  test("takes nothing that is no finite number, and names what it was", () => {
    const values = [Number.NaN, Infinity, "5", null, undefined, true, [], {}];
    const shown = ["NaN", "Infinity", '"5"', "null", "undefined", "true", "an array", "an object"];
    values.forEach((value, index) =>
      expect(limitProblem(key, value)).toContain(`limits.${key} is ${shown[index]}; it must be`),
    );
  });

  test("takes a fraction only where it counts nothing", () => {
    expect(limitProblem(key, min + 0.5) === undefined).toBe(!integer);
  });
});

describe("a config", () => {
  test("is the defaults with what was given on top, frozen; undefined is not given", () => {
    const config = resolveConfig({ timeoutMs: 5, graceMs: undefined });
    expect(config).toEqual({ ...DEFAULT_CONFIG, timeoutMs: 5 });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test("with several faults names each, and the limits there are for one that is none", () => {
    const given = { poolSize: 0, tiemoutMs: 1, zzzzzzzz: 2 } as object;
    expect(() => resolveConfig(given)).toThrow(TypeError);
    expect(() => resolveConfig(given)).toThrow(
      /limits\.poolSize is 0; .*; limits\.tiemoutMs is unknown \(did you mean limits\.timeoutMs\?\); limits\.zzzzzzzz is unknown; known limits: timeoutMs, /,
    );
  });

  test.each(["__proto__", "constructor", "toString"])("does not take %s for a limit", (key) => {
    const given = JSON.parse(`{"${key}": 1}`) as object;
    expect(() => resolveConfig(given)).toThrow(`limits.${key} is unknown`);
  });

  test("shows a long text cut", () => {
    expect(limitProblem("spares", "x".repeat(1_000))?.length).toBeLessThan(150);
  });
});
