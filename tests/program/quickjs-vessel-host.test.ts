/** What a program in a QuickJS VM hands to pi, and tools hand to it: nothing of either runs or changes anything on the other side. */

import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { createBindings, type ToolCaller } from "../../src/tools/callables.ts";
import { keepChanges, readStore, type StoreEntry } from "../../src/tools/store.ts";
import { ok, runWith, testRunner, tool } from "./vessels.ts";

const runner = testRunner("quickjs", { graceMs: 300 });

/** Bindings as a session makes them, over a tool that returns this. */
function bindingsOf(name: string, outcome: unknown): ReturnType<typeof createBindings> {
  const caller = {
    tools: [{ name, description: "", parameters: {}, execute: async () => undefined }],
    executeTool: async () => outcome,
  } as unknown as ToolCaller;
  return createBindings(caller);
}

afterEach(() => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- of every test here
  expect(Object.keys(Object.prototype)).toEqual([]);
  // oxlint-disable-next-line vitest/no-standalone-expect -- of every test here
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

describe("what a tool returns to a program in a quickjs", () => {
  test("is read once by pi, and reaches the program as data, its getters and proxies not with it", async () => {
    let reads = 0;
    const result = {
      content: [{ type: "text", text: "fine" }],
      get details(): object {
        reads += 1;
        return {
          get secret(): string {
            throw new Error("no");
          },
          call: () => "a function",
          proxy: new Proxy({ a: 1 }, {}),
          host: process,
        };
      },
    };
    const source = `const { content, details } = await tools.odd({});
      return [content[0].text, typeof details.call, details.secret, details.proxy, Object.getOwnPropertyDescriptor(details, "secret").get === undefined,
        typeof details.host?.exit, Object.getPrototypeOf(details) === Object.prototype]`;
    const outcome = await runWith(runner, source, {
      bindings: bindingsOf("odd", { result, isError: false }),
    });
    expect(outcome.value).toEqual(["fine", "undefined", null, { a: 1 }, true, "undefined", true]);
    expect(reads).toBe(1);
  });

  test("that throws whatever is asked of it is a call that failed or is empty, never a throw of pi's", async () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error("trap");
        },
      },
    );
    for (const outcome of [hostile, { result: hostile }, { result: { content: hostile } }, null, 7, "text"]) {
      const source = "return tools.odd({}).then((r) => r.content.length, (e) => e.name)";
      const { value } = await runWith(runner, source, { bindings: bindingsOf("odd", outcome) });
      expect([0, "ToolCallError"]).toContain(value);
    }
  });

  test("may have keys that are words of the language", async () => {
    const details = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2, "toString": 3}') as object;
    const source = `const { details } = await tools.odd({});
      return [Object.keys(details), details.polluted ?? null, ({}).polluted ?? null, JSON.stringify(details)]`;
    const { value } = await runWith(runner, source, {
      bindings: bindingsOf("odd", { result: { content: [], details }, isError: false }),
    });
    expect(value).toEqual([["__proto__", "constructor", "toString"], null, null, JSON.stringify(details)]);
  });
});

describe("what a program in a quickjs hands to pi", () => {
  test("may have a key `__proto__` everywhere, which is only a key", async () => {
    const seen: object[] = [];
    const see = tool("see", (args) => (seen.push(args), ok("")));
    const source = `const odd = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
      await tools.see(odd); store("__proto__", odd); store("constructor", { polluted: 1 });
      console.log(odd); return { odd, kept: load("__proto__") }`;
    const outcome = await runWith(runner, source, { bindings: [see] });
    expect(outcome.ok).toBe(true);
    expect(Object.keys(seen[0] as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(seen[0])).toBe(Object.prototype);
    expect(Object.keys(outcome.store)).toEqual(["__proto__", "constructor"]);
    const entries: StoreEntry[] = [];
    const access = { branch: () => [], append: (entry: StoreEntry) => void entries.push(entry) };
    expect(keepChanges(outcome.store, access)).toEqual([]);
    const branch = [
      { type: "custom", customType: "ptc-store", data: JSON.parse(JSON.stringify(entries[0])) },
    ];
    expect(Object.keys(readStore(branch))).toEqual(["__proto__", "constructor"]);
    const again = await runWith(runner, 'return load("__proto__")', { store: readStore(branch) });
    expect(JSON.stringify(again.value)).toContain("polluted");
  });

  test("as an argument of 200 MB is refused in words, and pi goes on", async () => {
    const source = `const text = "x".repeat(200 * 1024 * 1024);
      return tools.echo({ text }).catch((error) => error.message)`;
    const outcome = await runWith(runner, source, { timeoutMs: 60_000 });
    expect(outcome.value ?? outcome.error?.message).toMatch(
      /cannot be sent: .* over the limit of 134217728 bytes|out of memory|needed more memory/,
    );
    expect((await runWith(runner, "return 1")).value).toBe(1);
  }, 90_000);

  test.each([
    "../../../tmp/ptc-escape",
    "/tmp/ptc-escape",
    "__proto__",
    "constructor",
    "a\0b",
    "pi.dispatch",
    "x".repeat(5_000),
  ])("as the name of a tool is a name and nothing else: %j", async (name) => {
    const seen: unknown[] = [];
    const bindings = [tool(name, (args) => (seen.push(args), ok("called")))];
    const key = JSON.stringify(name);
    const source = `const own = Object.hasOwn(tools, ${key});
        return [own, (await tools[${key}]({ n: 1 })).content[0].text, await tools[${key} + "x"]({}).catch((e) => e.name)]`;
    const outcome = await runWith(runner, source, { bindings });
    expect(outcome.value).toEqual([true, "called", "ToolCallError"]);
    expect(seen).toEqual([{ n: 1 }]);
    expect(existsSync("/tmp/ptc-escape")).toBe(false);
  });

  test.each([
    ["whose every field throws", "throw new Proxy(new Error('x'), { get() { throw new Error('trap') } })"],
    [
      "whose stack is a getter that throws",
      "const e = new Error('mine'); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e",
    ],
    [
      "whose stack names other files",
      "const e = new Error('mine'); e.stack = '    at x (/etc/passwd:1:1)'; throw e",
    ],
    ["whose name is an object", "const e = new Error('mine'); e.name = { toString() { throw 1 } }; throw e"],
    ["that is its own cause", "const e = new Error('mine'); e.cause = e; throw e"],
    [
      "with a thousand errors in it",
      "throw new AggregateError(Array.from({ length: 1000 }, () => new Error('x'.repeat(1e4))), 'mine')",
    ],
    ["whose message is 50 MB", "throw new Error('mine' + 'x'.repeat(5e7))"],
    [
      "that says to be another kind",
      "throw Object.assign(new Error('mine'), { kind: 'timeout', code: 'ABORT_ERR', name: 'AbortError' })",
    ],
    ["that says to be of a call", "const e = Object.create(ToolCallError.prototype); throw e"],
    [
      "that says to be a want of memory",
      "const e = new Error('out of memory'); e.name = 'InternalError'; throw e",
    ],
    ["with colours and a carriage return", "throw new Error('\\u001b[31mmine\\r\\u202e')"],
  ])("as an error %s is one failed run with a bounded, clean message", async (_name, source) => {
    const outcome = await runWith(runner, source, { timeoutMs: 20_000 });
    expect(outcome.error?.kind).toBe("exception");
    expect(outcome.error?.message).not.toBe("");
    expect(outcome.error?.message.length).toBeLessThan(17_000);
    expect(outcome.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e]/);
    expect(outcome.text).not.toContain("passwd");
  });

  test("never blocks pi's event loop, whatever its size", async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    await runWith(
      runner,
      "console.log('x'.repeat(2e7)); return Array.from({ length: 2e5 }, (_, id) => ({ id }))",
      {
        timeoutMs: 60_000,
      },
    );
    clearInterval(timer);
    expect(longest).toBeLessThan(1_000);
  }, 90_000);
});
