import { format } from "node:util";
import { expect, test } from "vitest";
import { formatValues } from "../../src/worker/node-format.ts";

test("values are formatted as `util.format` does, without colours", () => {
  const values = ["%s %d", "a", 1, { b: [true, null, /x/] }, "rest"];
  expect(formatValues(values)).toBe(format(...values));
  expect(formatValues([{ n: 1, s: "x" }])).toBe("{ n: 1, s: 'x' }");
  expect(formatValues([])).toBe("");
});

test("array iteration that the program patched is not used", () => {
  const lists: object = Array.prototype;
  const saved = Object.getOwnPropertyDescriptor(lists, Symbol.iterator) as PropertyDescriptor;
  const broken = (): never => {
    throw new Error("patched");
  };
  let text = "";
  try {
    Object.defineProperty(lists, Symbol.iterator, { ...saved, value: broken });
    text = formatValues(["a", 1]);
  } finally {
    Object.defineProperty(lists, Symbol.iterator, saved);
  }
  expect(text).toBe("a 1");
});
