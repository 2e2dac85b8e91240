/** What details carry beside the outcome: for rows (spec 5.1), within 128 KiB (spec 1.10). */

import { expect, test } from "vitest";
import type { Json } from "../../src/program/outcome.ts";
import { finalDetails, partialDetails } from "../../src/tools/program-details.ts";
import { FAILURE, subCall, SUCCESS } from "./outcomes.ts";

const TITLE = { tool: "ptc_run_code", description: "Count" } as const;
const NOTHING = { warnings: [], childCost: 0 };
const progress = {
  subCalls: [],
  calls: { total: 0, failed: 0 },
  phases: [],
  narrations: [],
  logs: [],
  elapsedMs: 1,
};

test("the value is kept as a view, that of a failed run not at all", () => {
  expect(finalDetails(TITLE, { ...SUCCESS, value: [1] }, NOTHING).value).toEqual({ size: 1, items: [1] });
  expect(finalDetails(TITLE, { ...SUCCESS, value: null }, NOTHING).value).toBeNull();
  expect(finalDetails(TITLE, { ...FAILURE, value: [1] }, NOTHING)).not.toHaveProperty("value");
});

test("the first three lines of the program are kept, and how many there are", () => {
  const source = `\n  one \n${"x".repeat(300)}\nthree\nfour\n`;
  const code = { lines: ["one", `${"x".repeat(199)}…`, "three"], total: 4 };
  expect(finalDetails({ ...TITLE, source }, SUCCESS, NOTHING).code).toEqual(code);
  expect(partialDetails({ ...TITLE, source }, progress).code).toEqual(code);
  expect(partialDetails({ ...TITLE, source: " \n" }, progress)).not.toHaveProperty("code");
  expect(partialDetails(TITLE, progress)).not.toHaveProperty("code");
});

test("totals tell of lines that the lists do not hold", () => {
  const outcome = { ...SUCCESS, lineCounts: { logs: 5_000, narrations: 70, value: 3 } };
  expect(finalDetails(TITLE, outcome, { warnings: ["w"], childCost: 0 }).totals).toEqual({
    result: 3,
    logs: 5_000,
    narrations: 70,
    phases: 2,
    warnings: 1,
  });
});

test("the cost of children is there when there is any", () => {
  expect(finalDetails(TITLE, SUCCESS, { warnings: [], childCost: 0.5 }).childCost).toBe(0.5);
  expect(partialDetails(TITLE, progress, 0.25).childCost).toBe(0.25);
  expect(finalDetails(TITLE, SUCCESS, NOTHING)).not.toHaveProperty("childCost");
});

test("of many calls at once those that run are kept while it runs, then failed ones, then those that ended", () => {
  const status = (id: number) =>
    id < 30 ? "error" : id < 90 ? "ok" : id < 100 ? "running" : ("queued" as const);
  const subCalls = Array.from({ length: 200 }, (_, id) => subCall(id, { status: status(id) }));
  const kept = partialDetails(TITLE, { ...progress, subCalls }).subCalls.map(({ id }) => id);
  expect(kept).toHaveLength(64);
  // All 30 that failed, the newest 24 that ended well, and the 10 that run.
  expect(kept).toEqual([...range(0, 30), ...range(66, 100)]);
});

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

test("a text that shows a part is kept as such, with or without a file that has the rest", () => {
  expect(finalDetails(TITLE, { ...SUCCESS, truncated: true }, NOTHING).truncated).toBe(true);
  expect(finalDetails(TITLE, SUCCESS, NOTHING)).not.toHaveProperty("truncated");
});

test("the excerpt of a failure is kept with it", () => {
  const error = { kind: "exception", message: "boom", excerpt: "1 | x" } as const;
  expect(finalDetails(TITLE, { ...FAILURE, error }, NOTHING).error).toEqual(error);
});

test("all parts at their worst are under 128 KiB together", () => {
  const worst = '漢\u0000"'.repeat(20_000);
  const many = Array.from({ length: 500 }, () => worst.slice(0, 3_000));
  const level = (depth: number): Json =>
    depth === 0
      ? worst
      : Object.fromEntries(many.slice(0, 9).map((key, at) => [`${at}${key}`, level(depth - 1)]));
  const outcome = {
    ...SUCCESS,
    value: level(3),
    valuePreview: worst.slice(0, 4_096),
    fullOutputPath: "字".repeat(1_300),
    error: { kind: "exception", message: worst, excerpt: worst } as const,
    logs: many.join("\n"),
    narrations: many,
    phases: many,
    subCalls: many.map((line, id) => subCall(id, { name: line, args: line, error: line, status: "error" })),
  };
  const details = finalDetails({ ...TITLE, description: worst, source: many.join("\n") }, outcome, {
    warnings: many,
    childCost: 1,
  });
  const bytes = Buffer.byteLength(JSON.stringify(details));
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(131_072);
  expect(details).toMatchObject({ value: { size: 9 }, code: { total: 500 }, childCost: 1 });
});

test("a huge value costs little to view and to keep", () => {
  const value = Array.from({ length: 60_000 }, (_, index) => ({ index, text: "x".repeat(10) }));
  const details = finalDetails(TITLE, { ...SUCCESS, value }, NOTHING);
  expect(JSON.stringify(details.value).length).toBeLessThan(1_000);
});
