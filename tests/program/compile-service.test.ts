/** The one compiler of a runner: what it survives, and when it ends. */

import type { WorkerOptions } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { CompileService } from "../../src/program/compile-service.ts";

/** Threads that were started, and what to start in place of the next ones. */
const threads = vi.hoisted(() => ({ started: 0, instead: [] as (string | Error)[] }));
vi.mock("node:worker_threads", async (original) => {
  const actual = await original<typeof import("node:worker_threads")>();
  class CountedWorker extends actual.Worker {
    constructor(entry: URL, options: WorkerOptions) {
      threads.started += 1;
      const other = threads.instead.shift();
      if (other instanceof Error) throw other;
      super(other ?? entry, other === undefined ? options : { ...options, eval: true });
    }
  }
  return { ...actual, Worker: CountedWorker };
});

/** Overflows the stripper's own stack, after which a thread is of no use. */
const DEEP = `return ${"(".repeat(30_000)}1${")".repeat(30_000)}`;
/** Announces itself and never answers. */
const DEAF = 'require("node:worker_threads").parentPort.on("message", () => 0).postMessage({ id: 0 })';

const services: CompileService[] = [];
function service(): CompileService {
  threads.started = 0;
  threads.instead.length = 0;
  const made = new CompileService();
  services.push(made);
  return made;
}
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(services.splice(0).map((made) => made.close()));
});

const good = (code: string) => ({ ok: true, code, source: code, loneFunction: false });

test("one thread serves all programs, however many come at once", async () => {
  const compiler = service();
  await compiler.warm();
  const texts = Array.from({ length: 20 }, (_, index) => `return ${index}`);
  const results = await Promise.all(texts.map((text) => compiler.compile(text)));
  expect(results).toEqual(texts.map(good));
  expect(threads.started).toBe(1);
});

test("a text that breaks the stripper fails alone: those with it and those after it compile", async () => {
  const compiler = service();
  const results = await Promise.all(
    ["return 1", DEEP, "return 2", DEEP, "return 3"].map((text) => compiler.compile(text)),
  );
  const broken = {
    ok: false,
    message: expect.stringMatching(/^the compiler failed on this text .*nested very deeply/),
    excerpt: "",
  };
  expect(results).toEqual([good("return 1"), broken, good("return 2"), broken, good("return 3")]);
  expect(await compiler.compile("return 4")).toEqual(good("return 4"));
});

test.each([
  ["throws at its start", "throw new Error('no module')", /no module/],
  ["ends at its start", "process.exit(1)", /it ended/],
])("a thread that %s blames no text, and the next program gets a new one", async (_how, instead, why) => {
  const compiler = service();
  threads.instead.push(instead);
  const results = await Promise.all([compiler.compile("return 1"), compiler.compile("return 2")]);
  for (const result of results) {
    expect(result).toMatchObject({ ok: false, kind: "refused", message: expect.stringMatching(why) });
    expect(result).toMatchObject({ message: expect.stringMatching(/^the compiler could not be started/) });
  }
  expect(threads.started).toBe(1);
  expect(await compiler.compile("return 3")).toEqual(good("return 3"));
});

test("a thread that cannot be made refuses the program, and the next one gets another", async () => {
  const compiler = service();
  threads.instead.push(new Error("ERR_WORKER_INIT_FAILED"));
  const [first, second] = await Promise.all([compiler.compile("return 1"), compiler.compile("return 2")]);
  expect(first).toMatchObject({
    kind: "refused",
    message: "the compiler could not be started: ERR_WORKER_INIT_FAILED",
  });
  expect(second).toEqual(good("return 2"));
});

test("a thread that never answers is replaced, and only the oldest text is given up", async () => {
  const compiler = service();
  threads.instead.push(DEAF);
  await compiler.warm();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stuck = compiler.compile("return 1");
  vi.advanceTimersByTime(10_000);
  const patient = compiler.compile("return 2");
  vi.advanceTimersByTime(10_000);
  expect(await stuck).toMatchObject({
    ok: false,
    kind: "refused",
    message: expect.stringContaining("20000 ms"),
  });
  expect(await patient).toEqual(good("return 2"));
  expect(threads.started).toBe(2);
});

test("a rest ends the thread, which the next program starts again; one at work is left alone", async () => {
  const compiler = service();
  await compiler.warm();
  const busy = compiler.compile("return 1");
  await compiler.rest();
  expect(await busy).toEqual(good("return 1"));
  expect(threads.started).toBe(1);
  await compiler.rest();
  expect(await compiler.compile("return 2")).toEqual(good("return 2"));
  expect(threads.started).toBe(2);
});

test("a close ends what waits and what comes after as aborted", async () => {
  const compiler = service();
  const waiting = compiler.compile("return 1");
  await compiler.close();
  const ended = { ok: false, kind: "abort", message: "the session ended" };
  expect(await waiting).toMatchObject(ended);
  expect(await compiler.compile("return 2")).toMatchObject(ended);
  await compiler.warm();
  expect(threads.started).toBe(1);
});
