import { format } from "node:util";
import { expect, test } from "vitest";
import { createGuestFormat } from "../../src/worker/guest-format.ts";

const show = createGuestFormat({ fileName: "ptc-program.js", columnShift: 0 });

test.each<[unknown[]]>([
  [["plain"]],
  [["one", "two", 3, true, null, undefined]],
  [["%s and %s", "a", "b", "c"]],
  [["%d %i %f", "42.5", "42.5", "42.5"]],
  [["%d %i", 7n, -7.9]],
  [["%j", { a: [1] }]],
  [["100%", "x"]],
  [["%%s %s", "a"]],
  [["%s"]],
  [["%x %s", "a", "b"]],
  [["%c styled", "color: red"]],
  [["%s %s", "only one"]],
  [[]],
])("texts and directives come out as in Node, case %#", (values) => {
  expect(show(values)).toBe(format(...values));
});

test("other values are shown as a result is", () => {
  expect(show([{ a: 1, b: ["x"] }, [1, 2], new Map([["k", 1]])])).toBe(
    '{a: 1, b: ["x"]} [1, 2] Map(1) {"k" => 1}',
  );
  expect(show(["%o|%O", { a: 1 }, [1]])).toBe("{a: 1}|[1]");
});

test("an error shows its message and the program's own stack lines", () => {
  const error = new TypeError("no");
  error.stack = "    at f (ptc-program.js:3:5)\n    at call (ptc-guest.js:1:1)\n    at native\n";
  expect(show([error])).toBe("TypeError: no\n    at f (program:3:5)");
});

test("a value without end is cut, which is said", () => {
  const text = show([Array.from({ length: 1e6 }, () => 1)]);
  expect(text.length).toBeLessThan(300_000);
  expect(text).toMatch(/cut: print parts of it/);
});
