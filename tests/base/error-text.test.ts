import fc from "fast-check";
import vm from "node:vm";
import { expect, test } from "vitest";
import { errorText } from "../../src/base/error-text.ts";

const throwing = (thrown: unknown) => () => {
  throw thrown;
};

test("an error shows its message, and its class unless that is Error", () => {
  expect(errorText(new Error("disk full"))).toBe("disk full");
  expect(errorText(new TypeError("x is not a function"))).toBe("TypeError: x is not a function");
  class QuotaError extends Error {
    override name = "QuotaError";
  }
  expect(errorText(new QuotaError("too much"))).toBe("QuotaError: too much");
});

test("an error without a message shows its class", () => {
  expect(errorText(new Error())).toBe("Error");
  expect(errorText(new RangeError())).toBe("RangeError");
});

test("an error of another realm reads as one", () => {
  expect(errorText(vm.runInNewContext('new RangeError("far away")'))).toBe("RangeError: far away");
});

test.each([
  ["a string", "just text", "just text"],
  ["an empty string", "", "(empty text)"],
  ["null", null, "null"],
  ["undefined", undefined, "undefined"],
  ["a number", 42, "42"],
  ["a boolean", false, "false"],
  ["a BigInt", 10n, "10"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["an array", [1, 2], "an array of 2"],
  ["an empty object", {}, "{}"],
  [
    "an object",
    { code: 7, why: "no", deep: { a: 1 }, list: [1] },
    '{code: 7, why: "no", deep: {…}, list: […]}',
  ],
  ["an object without a prototype", Object.assign(Object.create(null), { code: 7 }), "{code: 7}"],
  ["an object with a message", { message: "from afar" }, "from afar"],
])("thrown %s is named", (_name, thrown, expected) => {
  expect(errorText(thrown)).toBe(expected);
});

test("a thrown function shows its name", () => {
  function handler(): void {}
  expect(errorText(handler)).toBe("[Function: handler]");
});

test("of an object with many fields five are shown", () => {
  expect(errorText({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 })).toBe(
    "{a: 1, b: 2, c: 3, d: 4, e: 5, …2 more}",
  );
});

test("causes follow in brackets", () => {
  const inner = new TypeError("no socket");
  expect(errorText(new Error("no answer", { cause: new Error("no connection", { cause: inner }) }))).toBe(
    "no answer (cause: no connection (cause: TypeError: no socket))",
  );
  expect(errorText(new Error("no answer", { cause: "reset" }))).toBe("no answer (cause: reset)");
});

test("a chain of causes without end is cut", () => {
  let error = new Error("0");
  for (let index = 1; index < 1_000; index += 1) error = new Error(`${index}`, { cause: error });
  expect(errorText(error)).toBe("999 (cause: 998 (cause: 997 (cause: 996 (cause: 995 (cause: …)))))");
});

test("an error that is its own cause ends there", () => {
  const error = new Error("snake");
  error.cause = error;
  expect(errorText(error)).toBe("snake (cause: [Circular])");
});

test("an AggregateError lists its errors", () => {
  expect(errorText(new AggregateError([new Error("one"), "two", new TypeError("three")], "all failed"))).toBe(
    "AggregateError: all failed (3 errors: one; two; TypeError: three)",
  );
  expect(errorText(new AggregateError([new Error("only")]))).toBe("AggregateError (1 error: only)");
});

test("of many listed errors five are shown", () => {
  const errors = Array.from({ length: 1_000 }, (_, index) => new Error(`${index}`));
  expect(errorText(new AggregateError(errors, "many"))).toBe(
    "AggregateError: many (1000 errors: 0; 1; 2; 3; 4; …and 995 more)",
  );
});

test("lists within lists stay bounded", () => {
  let error: Error = new Error("leaf");
  for (let level = 0; level < 50; level += 1)
    error = new AggregateError([error, error, error, error, error], `level ${level}`);
  expect(errorText(error).length).toBeLessThan(2_000);
});

test("line breaks of a message stay, control sequences go", () => {
  expect(errorText(new Error("\x1b[31mfirst\x1b[0m\r\nsecond"))).toBe("first\nsecond");
});

test("the middle of a huge message is left out and counted, its end stays", () => {
  const text = errorText(new Error(`begin ${"x".repeat(100_000)} end`));
  expect(text.length).toBeLessThan(16_100);
  expect(text.startsWith("begin xxx")).toBe(true);
  expect(text.endsWith("xxx end")).toBe(true);
  expect(text).toMatch(/ …\d+ characters left out… /);
});

test("a message whose getter throws says what it threw", () => {
  const error = new Error("hidden");
  Object.defineProperty(error, "message", { get: throwing(new Error("go away")) });
  expect(errorText(error)).toBe("[message throws: go away]");
});

test("getters that throw errors like themselves come to an end", () => {
  class Nasty extends Error {
    override get message(): string {
      throw new Nasty();
    }
    override get cause(): unknown {
      throw new Nasty();
    }
    override get name(): string {
      throw new Nasty();
    }
  }
  expect(errorText(new Nasty())).toContain("message throws");
});

test("a message that is no string is described", () => {
  expect(errorText(Object.assign(new Error(), { message: 42 }))).toBe("42");
  expect(errorText(Object.assign(new Error(), { message: { code: 1 } }))).toBe("{code: 1}");
});

test("objects that refuse to be read are described all the same", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  expect(errorText(revoked.proxy)).toContain("revoked");
  expect(errorText(new Proxy({}, { ownKeys: throwing("no keys") }))).toBe(
    "an object that throws when it is read: no keys",
  );
  expect(errorText(new Proxy(new Error("inside"), { getPrototypeOf: throwing("no") }))).toBe("inside");
  expect(
    errorText({
      get code() {
        throw new Error("no code");
      },
    }),
  ).toBe("an object that throws when it is read: no code");
  expect(
    errorText(new Proxy(throwing(1), { getOwnPropertyDescriptor: throwing("no"), get: throwing("no") })),
  ).toBe("[Function]");
});

test("an error without a prototype is an object with a message", () => {
  const error = new Error("orphan");
  Object.setPrototypeOf(error, null);
  expect(errorText(error)).toContain("orphan");
});

test("whatever is thrown, a clean text of bounded length comes back", () => {
  const value = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  fc.assert(
    fc.property(value, value, (thrown, cause) => {
      for (const candidate of [
        thrown,
        Object.assign(new Error("e"), { cause, message: thrown, errors: [cause] }),
      ]) {
        const text = errorText(candidate);
        expect(text).not.toBe("");
        expect(text.length).toBeLessThan(40_000);
        expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
      }
    }),
    { seed: 7, numRuns: 2_000 },
  );
});
