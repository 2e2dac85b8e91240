import fc from "fast-check";
import { format } from "node:util";
import { expect, test } from "vitest";
import { createCapturedConsole } from "../../src/worker/capture-console.ts";
import { formatValues } from "../../src/worker/node-format.ts";

type Entry = [level: string, text: string];
type CapturedConsole = Record<string, (...args: unknown[]) => void>;

/** A captured console as the type that programs see, and what it emitted. */
function capture(formatter = formatValues): {
  console: Required<CapturedConsole> & Console;
  entries: Entry[];
} {
  const entries: Entry[] = [];
  const made = createCapturedConsole((level, text) => entries.push([level, text]), formatter);
  return { console: made as unknown as CapturedConsole & Console, entries };
}

const throwing = (thrown: unknown) => () => {
  throw thrown;
};

test("each level is kept", () => {
  const { console, entries } = capture();
  console.log("a");
  console.info("b");
  console.warn("c");
  console.error("d");
  console.debug("e");
  expect(entries).toEqual([
    ["log", "a"],
    ["info", "b"],
    ["warn", "c"],
    ["error", "d"],
    ["debug", "e"],
  ]);
});

test("methods work without their console", () => {
  const { console, entries } = capture();
  const { log, table, time, group } = console;
  log("alone");
  table([{ a: 1 }]);
  time("t");
  group();
  expect(entries[0]).toEqual(["log", "alone"]);
});

test("arguments are formatted as Node does, without colours", () => {
  const { console, entries } = capture();
  const samples: unknown[][] = [
    ["%s is %d%%, %o", "x", 42, { a: 1 }, "rest"],
    ["plain", { a: [1, { b: new Map([[1, 2]]) }] }, null, undefined, 5n],
    [],
    [{ deep: { er: { still: {} } } }],
    ["%s"],
    [new Date(0), /re/, Symbol("s")],
  ];
  for (const sample of samples) console.log(...sample);
  expect(entries).toEqual(samples.map((sample) => ["log", format(...sample)]));
});

test("text is cleaned", () => {
  const { console, entries } = capture();
  console.log("\x1b[31mred\x1b[0m\r\nnext\u202e", "\ud83d");
  console.count("\x1b[31mlabel");
  expect(entries).toEqual([
    ["log", "red\nnext "],
    ["log", "label: 1"],
  ]);
});

test("a value that cannot be formatted shows what it throws, and the others are still shown", () => {
  const { console, entries } = capture();
  const bad = { [Symbol.for("nodejs.util.inspect.custom")]: throwing(new Error("no view")) };
  console.log("before", bad, 5);
  console.error(bad);
  expect(entries).toEqual([
    ["log", "before [throws: no view] 5"],
    ["error", "[throws: no view]"],
  ]);
});

test("no method throws, whatever it is given", () => {
  const { console, entries } = capture();
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const message = new Error("x");
  Object.defineProperty(message, "message", { get: throwing(null) });
  const values = [
    proxy,
    message,
    new Proxy({}, { get: throwing(1), ownKeys: throwing(2), getPrototypeOf: throwing(3) }),
    {
      toString: throwing(4),
      get a() {
        throw new Error("5");
      },
    },
    { [Symbol.toPrimitive]: throwing(6) },
    Symbol("s"),
    Object.create(null),
  ];
  for (const method of Object.keys(console)) {
    for (const value of values) {
      (console as unknown as CapturedConsole)[method]?.(value, value);
      (console as unknown as CapturedConsole)[method]?.([value, { cell: value }]);
      (console as unknown as CapturedConsole)[method]?.("%s %d %i %f %j %o %O %c", value, value);
    }
  }
  expect(entries.length).toBeGreaterThan(100);
});

test("a formatter that always throws fails no program", () => {
  const { console, entries } = capture(throwing(new Error("no formatter")));
  console.log("a", 1);
  console.table([{ a: 1 }]);
  expect(entries[0]).toEqual(["log", "[throws: no formatter] [throws: no formatter]"]);
});

test("assert is silent when it holds and an error when it does not", () => {
  const { console, entries } = capture();
  console.assert(true, "fine");
  console.assert("", "%s is wrong", "sum", { a: 1 });
  console.assert(false);
  expect(entries).toEqual([
    ["error", "Assertion failed: sum is wrong { a: 1 }"],
    ["error", "Assertion failed"],
  ]);
});

test("trace is an error with the stack of its caller", () => {
  const { console, entries } = capture();
  function caller(): void {
    console.trace("here %d", 1);
  }
  caller();
  const [level, text] = entries[0] as Entry;
  expect(level).toBe("error");
  expect(text.split("\n")[0]).toBe("Trace: here 1");
  expect(text.split("\n")[1]).toMatch(/^ {4}at caller .*capture-console\.test\.ts/);
});

test("dir shows one value and ignores its options", () => {
  const { console, entries } = capture();
  console.dir({ a: 1 }, { colors: true });
  expect(entries).toEqual([["log", "{ a: 1 }"]]);
});

test("clear does nothing, dirxml logs", () => {
  const { console, entries } = capture();
  console.clear();
  console.dirxml("a", 1);
  expect(entries).toEqual([["log", "a 1"]]);
});

test("a table has a column for each field, in plain characters", () => {
  const { console, entries } = capture();
  console.table([
    { name: "one", size: 1 },
    { name: "three", hot: true },
  ]);
  console.table({ x: { a: 1 }, y: 5 });
  console.table([{ a: 1, b: 2, c: 3 }], ["c", "a"]);
  expect(entries).toEqual([
    ["log", "(index) | name  | size | hot\n0       | one   | 1    |\n1       | three |      | true"],
    ["log", "(index) | a | Values\nx       | 1 |\ny       |   | 5"],
    ["log", "(index) | c | a\n0       | 3 | 1"],
  ]);
});

test("a table cell of several lines stands on one", () => {
  const { console, entries } = capture();
  console.table([{ text: "a\nb\tc" }]);
  expect(entries).toEqual([["log", '(index) | text\n0       | "a\\nb\\tc"']]);
});

test("a long cell is shown whole and does not widen the other rows", () => {
  const { console, entries } = capture();
  console.table([
    { a: "x".repeat(100), b: 1 },
    { a: "y", b: 2 },
  ]);
  const rows = (entries[0] as Entry)[1].split("\n");
  expect(rows[1]).toBe(`0       | ${"x".repeat(100)} | 1`);
  expect(rows[2]).toBe(`1       | y${" ".repeat(59)} | 2`);
});

test("a table of what has no rows is logged as a value", () => {
  const { console, entries } = capture();
  console.table(5);
  console.table(new Map([[1, 2]]));
  console.table([]);
  expect(entries).toEqual([
    ["log", "5"],
    ["log", "Map(1) { 1 => 2 }"],
    ["log", "[]"],
  ]);
});

test("rows and columns beyond a table's bounds are counted or named", () => {
  const { console, entries } = capture();
  console.table(Array.from({ length: 1_500 }, (_, index) => index));
  console.table([Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`c${index}`, 1]))]);
  expect((entries[0] as Entry)[1]).toMatch(/\n999 +\| 999\n…500 more rows$/);
  expect((entries[1] as Entry)[1]).toMatch(/…columns after the first 100 are left out$/);
});

test("timers tell the time since their start until they end", () => {
  const { console, entries } = capture();
  console.time("load");
  console.timeLog("load", "half", { n: 1 });
  console.timeEnd("load");
  console.timeEnd("load");
  console.time();
  console.time();
  console.timeEnd();
  expect(entries).toEqual([
    ["log", expect.stringMatching(/^load: \d+\.\dms half \{ n: 1 \}$/)],
    ["log", expect.stringMatching(/^load: \d+\.\dms$/)],
    ["warn", 'Timer "load" does not exist'],
    ["warn", 'Timer "default" already exists'],
    ["log", expect.stringMatching(/^default: \d+\.\dms$/)],
  ]);
});

test("counters count by label until they are reset", () => {
  const { console, entries } = capture();
  console.count();
  console.count("x");
  console.count();
  console.countReset();
  console.count();
  console.countReset("never");
  expect(entries).toEqual([
    ["log", "default: 1"],
    ["log", "x: 1"],
    ["log", "default: 2"],
    ["log", "default: 1"],
    ["warn", 'Count for "never" does not exist'],
  ]);
});

test("groups indent every line of what is inside them", () => {
  const { console, entries } = capture();
  console.group("outer");
  console.warn("one\ntwo");
  console.groupCollapsed("inner");
  console.log("deep");
  console.groupEnd();
  console.groupEnd();
  console.groupEnd();
  console.log("out");
  expect(entries).toEqual([
    ["log", "outer"],
    ["warn", "  one\n  two"],
    ["log", "  inner"],
    ["log", "    deep"],
    ["log", "out"],
  ]);
});

test("groups that are never closed do not indent without end", () => {
  const { console, entries } = capture();
  for (let depth = 0; depth < 10_000; depth += 1) console.group();
  console.log("deep");
  expect((entries[0] as Entry)[1]).toBe(`${" ".repeat(40)}deep`);
});

test("what is printed is what Node's formatter makes of it, cleaned", () => {
  const { console, entries } = capture();
  const plain = fc.string({ unit: fc.constantFrom(..."ab %sdj{}'\"é日\n".split("")) });
  fc.assert(
    fc.property(
      fc.array(fc.oneof(plain, fc.integer(), fc.array(fc.integer()), fc.constant(null))),
      (values) => {
        entries.length = 0;
        console.log(...values);
        expect(entries).toEqual([["log", format(...values)]]);
      },
    ),
    { seed: 5, numRuns: 2_000 },
  );
});
