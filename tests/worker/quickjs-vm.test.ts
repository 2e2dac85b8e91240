/** The binding to the engine's raw exports: every one that is used, on the file that ships. */

import { readFile } from "node:fs/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { compileWasm, type WasmModule } from "../../src/base/web-assembly.ts";
import type { Value } from "../../src/worker/quickjs-exports.ts";
import { QuickjsVm, VmError } from "../../src/worker/quickjs-vm.ts";

let module: WasmModule;
beforeAll(async () => {
  module = await compileWasm(await readFile(new URL("../../dist/quickjs.wasm", import.meta.url)));
});

let said: unknown[] = [];
let isStopped = false;
afterEach(() => {
  said = [];
  isStopped = false;
});

/** A VM whose global `host.say` is heard. */
async function open(
  more: Record<string, (text: string) => Value | void> = {},
  heapBytes = 2 ** 24,
): Promise<QuickjsVm> {
  const vm: QuickjsVm = await QuickjsVm.open(
    module,
    {
      functions: new Map(Object.entries({ say: (text: string) => void said.push(text), ...more })),
      shouldStop: () => isStopped,
      onRejection: (_promise, _reason, isHandled) => void said.push(isHandled ? "handled" : "unhandled"),
    },
    { heapBytes, stackBytes: 262_144 },
  );
  vm.set(vm.global, "host", vm.hostObject({ note: "a text" }));
  return vm;
}

function run(vm: QuickjsVm, code: string): void {
  vm.free(vm.evaluate(code, "test.js"));
  vm.runJobs();
}

describe("a VM", () => {
  test("hands over texts of any kind, and is given them", async () => {
    const vm = await open();
    const texts = ["", "plain", "é€😀", "a\0b", "\ufeffmark", "x".repeat(3_000_000)];
    run(vm, "globalThis.echo = (text) => host.say(text)");
    const echo = vm.get(vm.global, "echo");
    for (const text of texts) {
      const value = vm.text(text);
      vm.call(echo, value);
      vm.free(value);
    }
    expect(said).toEqual(texts);
  });

  test.each([
    "1",
    "null",
    "undefined",
    "{}",
    "[]",
    "Symbol()",
    "1n",
    "() => 1",
    "new String('x')",
    "{ toString() { throw 1 } }",
  ])("is not asked what %s would be as a text", async (value) => {
    const vm = await open();
    run(
      vm,
      `host.say(${value === "{}" || value.startsWith("{ ") ? `(${value})` : value}); host.say(); host.say("next")`,
    );
    expect(said).toEqual(["next"]);
  });

  test("gets a value of its own back, or an exception that it can catch", async () => {
    let vm: QuickjsVm | undefined = undefined;
    const mine = (): QuickjsVm => vm as unknown as QuickjsVm;
    vm = await open({
      twice: (text) => mine().text(text + text),
      build: (code) => {
        const value = mine().evaluateRaw(code, "built.js");
        return mine().isException(value) ? (mine().free(value), 0) : value;
      },
      broken: () => {
        throw new Error("of this side");
      },
    });
    run(vm, 'host.say(host.twice("ab")); host.say(String(host.build("1 + 1")));');
    run(vm, 'try { host.build("1 +") } catch (error) { host.say(error.name) }');
    run(vm, 'try { host.broken("") } catch (error) { host.say(String(error)) } host.say(host.note)');
    expect(said).toEqual(["abab", "2", "SyntaxError", "the engine failed", "a text"]);
  });

  test("throws what its own code throws, and goes on", async () => {
    const vm = await open();
    expect(() => run(vm, "throw 1")).toThrow(VmError);
    expect(() => run(vm, "(")).toThrow(VmError);
    run(vm, 'host.say("well")');
    expect(said).toEqual(["well"]);
  });

  test("tells of rejections that nobody handles, and when somebody does after all", async () => {
    const vm = await open();
    run(
      vm,
      "globalThis.p = Promise.reject(1); Promise.reject(2).catch(() => 1); (async () => { throw 3 })()",
    );
    expect(said).toEqual(["unhandled", "unhandled", "handled", "unhandled"]);
    run(vm, "p.catch(() => 1)");
    expect(said.at(-1)).toBe("handled");
  });

  test("stops for good what loops, in one script and over jobs, when it is told to", async () => {
    for (const loop of [
      "for (;;) try { for (;;); } catch {}",
      "(async () => { for (;;) try { await null } catch {} })()",
    ]) {
      const vm = await open({ stop: () => void (isStopped = true) });
      try {
        run(vm, `host.stop(""); ${loop}`);
      } catch (error) {
        expect(error).toBeInstanceOf(VmError);
      }
      isStopped = false;
    }
  });

  test("has the memory it is given and no more, and says when that is gone", async () => {
    const vm = await open({}, 4 * 2 ** 20);
    run(vm, "try { 'x'.repeat(2 ** 23) } catch (error) { host.say(error.message) }");
    vm.limitHeap(2 ** 25);
    const before = vm.heapUsed;
    run(vm, "globalThis.kept = 'x'.repeat(2 ** 23); host.say(String(kept.length))");
    expect(vm.heapUsed - before).toBeGreaterThanOrEqual(2 ** 23);
    expect(said).toEqual(["out of memory", String(2 ** 23)]);
  });

  test("that is out of memory for a text of pi throws, and lives", async () => {
    const vm = await open({}, 4 * 2 ** 20);
    expect(() => vm.text("x".repeat(2 ** 23))).toThrow(VmError);
    run(vm, 'host.say("well")');
    expect(said).toEqual(["well"]);
  });

  test("reaches a clock, the time zone and random numbers, and prints nowhere", async () => {
    const vm = await open();
    const before = Date.now();
    run(
      vm,
      "host.say(String(Date.now())); host.say(String(new Date(0).getTimezoneOffset())); host.say(String(Math.random()))",
    );
    expect(Number(said[0])).toBeGreaterThanOrEqual(before - 1);
    expect(Number(said[1])).toBe(new Date(0).getTimezoneOffset());
    const other = await open();
    run(other, "host.say(String(Math.random()))");
    expect(said[3]).not.toBe(said[2]);
  });

  test("shares nothing with another one of the same module", async () => {
    const [one, other] = [await open(), await open()];
    run(one, "Array.prototype.map = 1; globalThis.left = 1");
    run(other, "host.say(typeof Array.prototype.map + typeof left)");
    expect(said).toEqual(["functionundefined"]);
  });
});
