/** Fault 10: for each value, how the model reads it, what the warning names, and the JSON that scripts get. */

import { expect, test } from "vitest";
import { describeOnVessels } from "../program/conformance.ts";
import { runWith, testRunner } from "../program/vessels.ts";

const UNDEFINED =
  "The program returned undefined and printed nothing. A function's result comes back only with `return`, as in `return await main()`; what still runs when the program ends is cut off.";
const [MISSING, EMPTY] = [
  "The program returned nothing and printed nothing: `return` is missing. End it with `return <result>`.",
  "The program returned an empty text and printed nothing.",
];
const THROWS =
  "new Proxy({}, { get(_, key) { if (key !== 'then') throw new Error('no') }, ownKeys() { throw new Error('no') }, getPrototypeOf() { throw new Error('no') } })";
/** What JSON writes of it has a key that a literal cannot hold. */
const PROTO = JSON.parse('{ "__proto__": { "x": 1 }, "constructor": 2 }') as object;

/** The program's body, the value's text, its JSON, and what is warned about. */
const VALUES: [source: string, text: string, json: unknown, warnings: string[]][] = [
  ["return undefined", UNDEFINED, undefined, []],
  ["const a = 1", MISSING, undefined, []],
  ["return ''", EMPTY, "", []],
  ["return { f: function go() {} }", "{f: [Function: go]}", { f: null }, ["result.f is a function"]],
  ["return 5n", "5n", "5", ["result is a BigInt"]],
  ["return { a: [12n] }", "{a: [12n]}", { a: ["12"] }, ["result.a[0] is a BigInt"]],
  ["return { s: Symbol('x') }", "{s: Symbol(x)}", { s: null }, ["result.s is a symbol"]],
  [
    "const a = { n: 1 }; a.self = [a]; return a",
    "{n: 1, self: [[Circular]]}",
    { n: 1, self: [null] },
    ["result.self[0] is a circular reference"],
  ],
  [
    "return { a: [NaN, -0, Infinity, -Infinity] }",
    "{a: [NaN, -0, Infinity, -Infinity]}",
    { a: [null, 0, null, null] },
    ["result.a[0] is NaN", "result.a[1] is -0", "result.a[2] is Infinity", "result.a[3] is -Infinity"],
  ],
  [
    "return [, 1, , 2]",
    "[<1 empty item>, 1, <1 empty item>, 2]",
    [null, 1, null, 2],
    ["result[0] is an empty item", "…and 1 more"],
  ],
  [
    "return { a: undefined, b: [undefined] }",
    "{a: undefined, b: [undefined]}",
    { b: [null] },
    ["result.b[0] is undefined"],
  ],
  ["return { m: new Map([['k', 1]]) }", '{m: Map(1) {"k" => 1}}', { m: { k: 1 } }, ["result.m is a Map"]],
  ["return new Map([[1, 'x']])", 'Map(1) {1 => "x"}', [[1, "x"]], ["result is a Map"]],
  ["return [new Set(['a'])]", '[Set(1) {"a"}]', [["a"]], ["result[0] is a Set"]],
  [
    "return { d: new Date(0) }",
    "{d: Date 1970-01-01T00:00:00.000Z}",
    { d: "1970-01-01T00:00:00.000Z" },
    ["result.d is a Date"],
  ],
  ["return new Date(NaN)", "Date (invalid)", null, ["result is an invalid Date"]],
  ["return { r: /a+/gi }", "{r: /a+/gi}", { r: "/a+/gi" }, ["result.r is a RegExp"]],
  [
    "return { e: new RangeError('bad') }",
    "{e: RangeError: bad}",
    { e: { name: "RangeError", message: "bad" } },
    ["result.e is a RangeError"],
  ],
  [
    "return { u: new URL('http://a.b/c?d') }",
    "{u: URL http://a.b/c?d}",
    { u: "http://a.b/c?d" },
    ["result.u is a URL"],
  ],
  [
    "return { t: new Uint8Array([1, 2]) }",
    "{t: Uint8Array(2) [1, 2]}",
    { t: [1, 2] },
    ["result.t is a Uint8Array"],
  ],
  [
    "return { p: new Promise(() => {}) }",
    "{p: Promise {…}}",
    { p: null },
    ["result.p is a Promise that was not awaited"],
  ],
  ["return [{ then() {} }]", "[{then: [Function: then]}]", [null], ["result[0] is a thenable"]],
  [`return JSON.parse('${JSON.stringify(PROTO)}')`, "{__proto__: {x: 1}, constructor: 2}", PROTO, []],
  [
    "const s = { v: 1 }; return { a: s, b: [s, s] }",
    "{a: {v: 1}, b: [{v: 1}, {v: 1}]}",
    { a: { v: 1 }, b: [{ v: 1 }, { v: 1 }] },
    [],
  ],
  [
    "return { get a() { throw new Error('no') }, b: 1 }",
    "{a: [throws: no], b: 1}",
    { a: null, b: 1 },
    ["result.a throws when it is read: no"],
  ],
  [
    "return { toJSON() { throw new Error('no') }, b: 1 }",
    "{toJSON: [Function: toJSON], b: 1}",
    { toJSON: null, b: 1 },
    ["result has a toJSON that throws: no", "result.toJSON is a function"],
  ],
  [`return { p: ${THROWS} }`, "{p: [throws: no]}", { p: null }, ["result.p throws when it is read: no"]],
  [
    "return { 'odd key': { \"a\\nb\": 1 } }",
    String.raw`{"odd key": {"a\nb": 1}}`,
    { "odd key": { "a\nb": 1 } },
    [],
  ],
];

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel);

  test.each(VALUES)("that ends with %s", async (source, text, json, warnings) => {
    const outcome = await runWith(runner, source, { timeoutMs: 20_000 });
    expect(outcome.ok).toBe(true);
    expect(outcome.text.split("\n")).toEqual([text, ...warnings.map((warning) => `Warning: ${warning}`)]);
    expect(JSON.stringify(outcome.value)).toBe(JSON.stringify(json));
    expect(outcome.warnings).toEqual(warnings);
  });

  test("that returns a thenable that never settles fails and says so", async () => {
    const outcome = await runWith(runner, "return { then() {} }", { timeoutMs: 20_000 });
    expect(outcome.error).toMatchObject({
      kind: "exception",
      message: "the program waits for a promise that nothing left in it can settle",
    });
  });

  test("that returns references shared 30 levels deep is held to its output limit", async () => {
    const outcome = await runWith(
      testRunner(vessel, { maxOutputBytes: 1_048_576 }),
      'console.log("kept"); let a = [1]; for (let i = 0; i < 30; i++) a = [a, a]; return a',
      { timeoutMs: 20_000 },
    );
    expect(outcome.error?.kind).toBe("output-limit");
    expect(outcome.text).toContain("kept");
  });

  test("that returns five million nulls shows the last lines and leaves the value out", async () => {
    const outcome = await runWith(runner, "return new Array(5e6).fill(null)");
    expect(outcome).toMatchObject({ ok: true, valueOmitted: true, value: undefined });
    expect(outcome.text).toMatch(
      /^ {2}null,\n[^]*\n {2}null\n\]\n\n\[Showing lines \d+-5000002 of 5000002\. Full output: /,
    );
  });

  test("that returns 2000 odd values names the first twenty and counts the others", async () => {
    const { warnings } = await runWith(runner, "return Array.from({ length: 2000 }, () => new Map())");
    expect(warnings).toHaveLength(21);
    expect(warnings.slice(19)).toEqual(["result[19] is a Map", "…and 1980 more"]);
  });
});
