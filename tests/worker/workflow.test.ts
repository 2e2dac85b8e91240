/** The helpers of a workflow (spec 1.1, 1.3). */

import { expect, test } from "vitest";
import { describeOnVessels } from "../program/conformance.ts";
import { runWith, testRunner } from "../program/vessels.ts";

describeOnVessels("a workflow in a %s", (vessel) => {
  const runner = testRunner(vessel);
  const flow = (source: string, more: object = {}) => runWith(runner, source, { tool: "workflow", ...more });

  test("gets its arguments, null when there are none, and a program gets none", async () => {
    expect((await flow("return args.a", { args: { a: [1] } })).value).toEqual([1]);
    expect((await flow("return args")).value).toBeNull();
    expect(
      (
        await runWith(
          runner,
          "return [typeof args, typeof phase, typeof parallel, typeof pipeline, typeof log]",
        )
      ).value,
    ).toEqual(Array.from({ length: 5 }, () => "undefined"));
  });

  test("settles everything in parallel, failed items being null", async () => {
    const source = `const r = await parallel([async () => 1, async () => { throw new Error("two") }, () => tools.failing({ text: "three" }), () => 4]);
      return { r, errors: r.errors, keys: Object.keys(r) }`;
    const outcome = await flow(source);
    expect(outcome.value).toEqual({
      r: [1, null, null, 4],
      errors: [
        { index: 1, message: "two" },
        { index: 2, message: expect.stringContaining("three"), toolName: "failing" },
      ],
      keys: ["0", "1", "2", "3"],
    });
    expect(outcome.text).toMatch(/Warning: parallel: 2 of 4 items failed/);
  });

  test("runs at most `limit` at once", async () => {
    const source = `let now = 0, most = 0;
      await parallel(Array.from({ length: 9 }, () => async () => { now++; most = Math.max(most, now); await new Promise((r) => setTimeout(r, 5)); now-- }), { limit: 3 });
      return most`;
    expect((await flow(source)).value).toBe(3);
  });

  test("hands each stage of a pipeline the previous value, the item and the index", async () => {
    const source =
      'const r = await pipeline(["a", "b"], (p, item, i) => p + i, (p, item) => { if (item === "b") throw new Error("no"); return [p, item] }); return [r, r.errors.length]';
    expect((await flow(source)).value).toEqual([[["a0", "a"], null], 1]);
  });

  test.each([
    ["parallel(1)", "TypeError"],
    ["parallel([1])", "TypeError"],
    ["parallel([tools.echo({})])", "TypeError"],
    ["parallel([], { limit: 0 })", "TypeError"],
    ["parallel([], 3)", "TypeError"],
    ["pipeline([1])", "TypeError"],
    ["pipeline([1], 2)", "TypeError"],
    ["pipeline('abc', (x) => x)", "TypeError"],
    ["parallel(Array.from({ length: 4097 }, () => () => 1))", "RangeError"],
    ["pipeline(new Array(4097).fill(1), (x) => x)", "RangeError"],
  ])("rejects %s with a %s", async (call, name) => {
    expect((await flow(`return ${call}.then(() => "fine", (e) => e.name)`)).value).toBe(name);
  });

  test("says what it was given in place of what it takes", async () => {
    const calls = ["parallel({})", "parallel([null])", "pipeline([1], [])", "parallel([], { limit: {} })"];
    const source = `return Promise.all([${calls.map((call) => `${call}.catch((e) => e.message)`).join()}])`;
    expect((await flow(source)).value).toEqual([
      "parallel: the first argument is an object, not an array",
      "parallel: item 0 is null, not a function",
      "pipeline: stage 0 is an array, not a function",
      "parallel: limit is an object; it must be a whole number of 1 or more",
    ]);
  });

  test("takes 4096 items", async () => {
    expect(
      (await flow("return (await parallel(Array.from({ length: 4096 }, (_, i) => () => i))).length")).value,
    ).toBe(4096);
  });

  test("warns once for each phase outside its plan, and never without a plan", async () => {
    const planned = await flow('phase("a"); phase("x"); phase("x"); phase("y"); return 1', {
      phases: ["a", "b"],
    });
    expect(planned.warnings).toEqual([
      'phase "x" is not listed in meta.phases (declared: a, b)',
      'phase "y" is not listed in meta.phases (declared: a, b)',
    ]);
    expect((await flow('phase("x"); return 1')).warnings).toEqual([]);
  });
});
