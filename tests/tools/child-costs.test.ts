import { expect, test } from "vitest";
import { ChildCosts } from "../../src/tools/child-costs.ts";

const usage = (cost: unknown) => ({ usage: { cost } });

test("each child counts by its newest number", () => {
  const costs = new ChildCosts();
  const [first, second] = [costs.open(), costs.open()];
  first({ progress: usage(0.25) });
  first({ progress: usage(0.5) });
  second({ result: usage(1) });
  expect(costs.total()).toBe(1.5);
  first({ result: usage(0.75) });
  expect(costs.total()).toBe(1.75);
});

test.each([
  [undefined],
  [null],
  [{}],
  [{ result: {} }],
  [{ progress: usage("5") }],
  [{ progress: usage(Number.NaN) }],
  [{ progress: usage(-1) }],
  [{ result: usage(Infinity) }],
])("%j costs nothing", (details) => {
  const costs = new ChildCosts();
  costs.open()(details);
  expect(costs.total()).toBe(0);
});
