/** Ways out of a QuickJS VM, tried from inside (spec 1.12): none ends at anything of the thread around it, or of pi. */

import { describe, expect, test } from "vitest";
import { ok, runWith, testRunner, tool } from "./vessels.ts";

const runner = testRunner("quickjs", { graceMs: 300 });
const rich = tool("rich", () => ok("text", { details: { a: [1] }, structuredContent: { b: null } }));

/** Walks everything that can be reached from some values, by properties, accessors and prototypes. */
const WALK = `const seen = new Set();
  const walk = (start) => {
    for (const open = [start]; open.length > 0;) {
      const value = open.pop();
      if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
      seen.add(value);
      open.push(Object.getPrototypeOf(value));
      for (const key of Reflect.ownKeys(value)) {
        const property = Reflect.getOwnPropertyDescriptor(value, key);
        open.push(property.value, property.get, property.set);
      }
    }
  };`;
/** What the thread or Node would have. None of these names may lead to anything. */
const OUTSIDE = [
  "process",
  "require",
  "module",
  "Buffer",
  "global",
  "WebAssembly",
  "fetch",
  "Deno",
  "std",
  "os",
];
/** The functions that the thread gives the VM. */
const HOST_FUNCTIONS = ["post", "end", "wake", "compile", "show", "piece"];

describe("a program in a quickjs", () => {
  test("has nothing of Node, and nothing that leads to a file or the network", async () => {
    const { value } = await runWith(
      runner,
      `return ${JSON.stringify(OUTSIDE)}.filter((name) => name in globalThis)`,
    );
    expect(value).toEqual([]);
    const names = (await runWith(runner, "return Object.getOwnPropertyNames(globalThis)")).value as string[];
    const ours = names.filter((name) => /^[a-z]/.test(name));
    expect(ours.toSorted()).toEqual(
      [
        ...["atob", "btoa", "clearInterval", "clearTimeout", "console", "decodeURI", "decodeURIComponent"],
        ...[
          "describeTool",
          "encodeURI",
          "encodeURIComponent",
          "escape",
          "eval",
          "globalThis",
          "isFinite",
          "isNaN",
        ],
        ...["load", "parseFloat", "parseInt", "performance", "ptcBindings", "queueMicrotask", "searchTools"],
        ...["setInterval", "setTimeout", "store", "tools", "undefined", "unescape"],
      ].toSorted(),
    );
  });

  test("reaches only functions and objects of its own world from every injected value and every result", async () => {
    const source = `${WALK}
      let failure;
      try { await tools.failing({}) } catch (error) { failure = error }
      const result = await tools.rich({});
      const batch = await parallel([() => 1, () => { throw new Error("x") }]);
      for (const value of [globalThis, tools, tools.rich, tools.nothing, result, failure, batch, args, setTimeout(() => 1, 1e6),
        searchTools("x"), (await describeTool("x")), store, load, log, phase, parallel, pipeline, console, ToolCallError]) walk(value);
      const foreign = [];
      for (const value of seen) {
        const chain = [];
        for (let proto = value; proto !== null; proto = Object.getPrototypeOf(proto)) chain.push(proto);
        const root = chain.at(-1);
        const known = root === Object.prototype || chain.length === 1 || Object.getPrototypeOf(root) === null;
        if (!known || (typeof value === "function" && !(value instanceof Function) && value !== Function.prototype)) foreign.push(String(value));
        if (typeof value === "function" && ${JSON.stringify(HOST_FUNCTIONS)}.includes(value.name) && value !== RegExp.prototype.compile) foreign.push(value.name);
      }
      return { count: seen.size, foreign }`;
    const { value } = await runWith(runner, source, {
      tool: "workflow",
      args: { a: { b: [1] } },
      bindings: [
        rich,
        tool("failing", () => ({ ok: false, failure: { message: "no", content: [], details: null } })),
      ],
    });
    const { count, foreign } = value as { count: number; foreign: string[] };
    expect(foreign).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  test.each([
    ["the function of an array", "[].constructor.constructor"],
    ["an async function", "(async () => 1).constructor"],
    ["a generator", "(function* () {}).constructor"],
    ["an async generator", "(async function* () {}).constructor"],
    ["a binding", "tools.echo.constructor"],
    ["an unknown binding", "tools.constructor.constructor"],
    ["the console", "console.log.constructor"],
    ["a timer", "setTimeout.constructor"],
    ["an error's class", "ToolCallError.constructor"],
    ["a proxy of a binding", "new Proxy(tools.echo, {}).constructor"],
    ["a bound function", "store.bind(null).constructor"],
  ])("finds its own global object behind the constructor of %s", async (_name, maker) => {
    const source = `const made = ${maker}("return globalThis");
      let value = made();
      if (typeof value?.next === "function") value = (await value.next()).value;
      value = await value;
      return [value === globalThis, typeof value.process]`;
    const outcome = await runWith(runner, source);
    if (outcome.ok) expect(outcome.value).toEqual([true, "undefined"]);
    else expect(outcome.error?.message).toMatch(/not a function|no binding named/);
  });

  test.each([
    "node:fs",
    "fs",
    "./x.js",
    "/etc/passwd",
    "file:///etc/passwd",
    "data:text/javascript,export default 1",
  ])("cannot import %s", async (specifier) => {
    const source = `const spec = ${JSON.stringify(specifier)};
        const tries = [() => import(spec), () => eval("import(spec)"), () => new Function("s", "return import(s)")(spec)];
        const seen = [];
        for (const attempt of tries) seen.push(await attempt().then(() => "in", (error) => error.name));
        return seen`;
    const { value } = await runWith(runner, source);
    expect(value).toEqual(["ReferenceError", "ReferenceError", "ReferenceError"]);
  });

  test.each([
    ["process.cwd()", "process is not defined"],
    ["require('fs')", "require is not defined"],
    ["await import('node:fs')", "could not load module 'node:fs'"],
    ["await fetch('http://127.0.0.1')", "fetch is not defined"],
  ])("that asks for Node with %s is told that there is none here", async (source, message) => {
    const outcome = await runWith(runner, source);
    expect(outcome.error?.message).toBe(
      `ReferenceError: ${message} (the engine quickjs has the language, timers and tools, and nothing of Node)`,
    );
  });

  test("gets hold of no function of the thread by patching what our code calls", async () => {
    const source = `const caught = new Set();
      const note = (self, args) => { for (const value of [self, ...args]) if (typeof value === "function") caught.add(value) };
      const spy = (owner, name) => {
        const original = owner[name];
        owner[name] = function (...args) { note(this, args); return Reflect.apply(original, this, args) };
      };
      for (const owner of [Map, Set, WeakMap, Array, String, RegExp, Promise, Function].map((type) => type.prototype).concat(JSON, Object, Reflect))
        for (const name of Object.getOwnPropertyNames(owner))
          if (typeof owner[name] === "function" && !["constructor", "apply"].includes(name)) { try { spy(owner, name) } catch {} }
      for (const key of ["kind", "error", "post", "then", "get", "set", "value", "end", "wake"])
        Object.defineProperty(Object.prototype, key, { configurable: true, set(value) { note(this, [value]) }, get() { note(this, []); return undefined } });
      console.log("a", { b: 1 }); store("k", { a: 1 }); await tools.echo({ text: "x" }); await tools.nothing().catch(() => 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      caught.delete(RegExp.prototype.compile);
      return [...caught].map((value) => value.name).filter((name) => ${JSON.stringify(HOST_FUNCTIONS)}.includes(name))`;
    const outcome = await runWith(runner, source, { timeoutMs: 10_000 });
    expect(outcome.ok ? outcome.value : []).toEqual([]);
  });

  test("gets no function of ours from the frames of a stack", async () => {
    const source = `const found = [];
      Error.prepareStackTrace = (error, sites) => {
        for (const site of sites) for (let proto = site; proto; proto = Object.getPrototypeOf(proto))
          for (const key of Object.getOwnPropertyNames(proto))
            if (typeof site[key] === "function" && !["constructor", "__defineGetter__", "__defineSetter__"].includes(key)) { try { const value = site[key](); if (typeof value === "function") found.push(key) } catch {} }
        return "";
      };
      await tools.echo({ toJSON() { new Error("x").stack; return {} } });
      console.log({ get a() { new Error("x").stack; return 1 } });
      return found`;
    expect((await runWith(runner, source)).value).toEqual([]);
  });

  test("cannot write our frames by what it gives to all objects", async () => {
    const seen: unknown[] = [];
    const see = tool("see", (args) => (seen.push(args), ok("")));
    const source = `for (const type of [Object, Array, String, Error])
        type.prototype.toJSON = function () { return { kind: "call", id: 77, name: "see", args: { forged: true } } };
      console.log("printed"); await tools.see("given"); store("k", "kept"); return 1`;
    const outcome = await runWith(runner, source, { bindings: [see] });
    expect(outcome).toMatchObject({ ok: true, value: 1, store: { k: '"kept"' } });
    expect(outcome.text).toBe("printed\n1");
    expect(seen).toEqual(["given"]);
  });

  test("reads no path of this machine from an error or a stack", async () => {
    const source = `const texts = [];
      for (const attempt of [() => null.x, () => tools.echo({ n: 1n }), () => import("node:fs"), () => store("", 1), () => JSON.parse("{"), () => setTimeout(1), () => new Function("(")])
        try { await attempt() } catch (error) { texts.push(error.stack + error.message) }
      return texts.join("\\n")`;
    const { value } = await runWith(runner, source);
    expect(value).not.toMatch(/\/work|\/home|\/root|\/tmp|node_modules|\.ts\b|\.cjs\b|worker/);
    expect(value).toContain("ptc-program.js");
  });

  test("hands over arguments as they are when it makes the call: no getter, proxy or thenable of it is ever asked later", async () => {
    const seen: unknown[] = [];
    const see = tool("see", (args) => (seen.push(args), ok("")));
    const source = `let reads = 0;
      const getter = { get a() { reads += 1; return { toJSON: () => reads } } };
      const proxy = new Proxy({ x: 1 }, { get: (target, key) => (reads += 1, target[key]) });
      const thenable = { then: (resolve) => resolve("never"), n: 1 };
      await tools.see(getter); await tools.see({ proxy }); await tools.see({ thenable });
      const before = reads;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return reads === before`;
    expect((await runWith(runner, source, { bindings: [see] })).value).toBe(true);
    expect(seen).toEqual([{ a: 1 }, { proxy: { x: 1 } }, { thenable: { n: 1 } }]);
  });

  test.each([
    ["a thenable", "({ then: (resolve) => resolve({ then: (again) => again(globalThis.tools) }) })", /^{/],
    ["a proxy of everything", "new Proxy(globalThis, {})", /tools/],
    ["its global object", "globalThis", /tools/],
    ["a getter that returns functions", "({ get a() { return tools.echo } })", /a: \[Function/],
  ])("that returns %s gives pi plain data", async (_name, value, text) => {
    const outcome = await runWith(runner, `return ${value}`, { timeoutMs: 10_000 });
    expect(outcome.ok).toBe(true);
    expect(outcome.text).toMatch(text);
    expect(JSON.parse(JSON.stringify(outcome.value ?? null))).toEqual(outcome.value ?? null);
  });
});
