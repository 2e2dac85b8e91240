import { inspect } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { PendingCalls, ToolCallError } from "../../src/worker/pending-calls.ts";
import { plainFailure } from "../../src/worker/protocol.ts";
import { FakeChannel } from "./fake-channel.ts";

let channel: FakeChannel;
let calls: PendingCalls;
beforeEach(() => {
  channel = new FakeChannel();
  calls = new PendingCalls(channel, { maxPendingCalls: 3, maxMessageBytes: 10_000 });
});

const call = (args: unknown = {}, name = "read"): Promise<unknown> => calls.ask({ what: "call", name, args });
const turn = (): Promise<void> => new Promise(setImmediate);
const good = (raw: unknown) => ({ ok: true, raw }) as never;
const ids = (): number[] => channel.of("call").map(({ id }) => id);

describe("calls", () => {
  test("leave together a moment after they were made, in order, with ids from 1", async () => {
    void call({ n: 1 });
    void call({ n: 2 }, 'a"b');
    expect(channel.frames).toEqual([]);
    await turn();
    expect(channel.frames).toEqual([
      { kind: "call", id: 1, name: "read", args: { n: 1 } },
      { kind: "call", id: 2, name: 'a"b', args: { n: 2 } },
    ]);
    expect(channel.writes).toEqual([2]);
  });

  test("settle with pi's answer in any order; unknown ids and second answers are ignored", async () => {
    const [first, second] = [call(), call()];
    await turn();
    calls.settle(99, good("nobody"));
    calls.settle(2, good("two"));
    calls.settle(2, good("again"));
    calls.settle(1, { ok: true, value: { content: [], details: null } });
    expect(await second).toBe("two");
    expect(await first).toEqual({ content: [], details: null });
  });

  test("that fail reject with all that pi said", async () => {
    const failing = call({}, "bash");
    await turn();
    const failure = { message: "exit 3", content: [{ type: "text", text: "exit 3" }], details: { code: 3 } };
    calls.settle(1, { ok: false, failure: { ...failure, structuredContent: [1] } });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolCallError);
    expect(error).toMatchObject({
      name: "ToolCallError",
      toolName: "bash",
      ...failure,
      structuredContent: [1],
    });
  });

  test("without structured content have no such field", () => {
    expect(new ToolCallError("read", plainFailure("no"))).not.toHaveProperty("structuredContent");
  });

  test("beyond the limit wait inside the program, and leave as others are answered", async () => {
    const all = Array.from({ length: 5 }, (_, index) => call({ index }));
    await turn();
    expect(ids()).toEqual([1, 2, 3]);
    expect(calls.size).toBe(5);
    calls.settle(2, good(null));
    await turn();
    expect(ids()).toEqual([1, 2, 3, 4]);
    for (const id of [1, 3, 4]) calls.settle(id, good(null));
    await turn();
    calls.settle(5, good(null));
    await Promise.all(all);
    expect(calls.size).toBe(0);
  });

  test("hold the worker alive exactly while one is open", async () => {
    const one = call();
    expect(channel.isHeld).toBe(true);
    await turn();
    calls.settle(1, good(null));
    await one;
    expect(channel.isHeld).toBe(false);
  });

  test("for a search or a description go out as such", async () => {
    void calls.ask({ what: "search", query: 'a "b"' });
    void calls.ask({ what: "describe", query: "" });
    await turn();
    expect(channel.frames).toEqual([
      { kind: "find", id: 1, what: "search", query: 'a "b"' },
      { kind: "find", id: 2, what: "describe", query: "" },
    ]);
  });

  test.each([
    ["a function", () => 1, /a function is not JSON/],
    ["a symbol", Symbol("x"), /a symbol is not JSON/],
    ["a BigInt", { n: 1n }, /BigInt/],
    ["too large", { text: "x".repeat(10_000) }, /over the limit of 10000 bytes \(maxMessageBytes\)/],
    ["too large in bytes alone", { text: "é".repeat(4_900) }, /over the limit of 10000 bytes/],
  ])("with arguments that are %s reject and never leave", async (_what, args, message) => {
    await expect(call(args)).rejects.toThrow(message);
    await expect(call(args)).rejects.toBeInstanceOf(ToolCallError);
    await turn();
    expect(channel.frames).toEqual([]);
    expect(calls.size).toBe(0);
  });
});

describe("an end", () => {
  test("by a stop rejects what is open, what waits and what comes later, with its reason", async () => {
    const all = Array.from({ length: 5 }, () => call());
    await turn();
    calls.stop("the deadline passed");
    const ends = await Promise.allSettled([...all, call()]);
    for (const end of ends) {
      expect(end).toMatchObject({ status: "rejected", reason: { message: "the deadline passed" } });
    }
    await turn();
    expect(ids()).toEqual([1, 2, 3]);
    expect(channel.isHeld).toBe(false);
  });

  test("by a return names what is open; nothing leaves or settles any more", async () => {
    const settled: unknown[] = [];
    const watch = (promise: Promise<unknown>): void =>
      void promise.then(
        (value) => settled.push(value),
        (error: unknown) => settled.push(error),
      );
    watch(call({}, "read"));
    watch(call({}, "bash"));
    expect(calls.abandon()).toEqual(["read", "bash"]);
    watch(call({}, "late"));
    await turn();
    expect(channel.frames).toEqual([]);
    expect(settled).toEqual([]);
  });
});

test("an error is told from others by what it is, not by what it says", () => {
  expect(ToolCallError.is(new ToolCallError("read", plainFailure("no")))).toBe(true);
  const liar = Object.create(ToolCallError.prototype) as object;
  const proxy = new Proxy({}, { getPrototypeOf: () => ToolCallError.prototype });
  for (const other of [liar, proxy, new Error("x"), null, undefined, "ToolCallError"]) {
    expect(ToolCallError.is(other)).toBe(false);
  }
});

test("pictures print without their base64, and are otherwise what they were", async () => {
  const block = { type: "image", data: "A".repeat(500), mimeType: "image/png" };
  const [shown, failed] = [call(), call()];
  await turn();
  calls.settle(1, {
    ok: true,
    value: { content: [{ ...block }, { type: "text", text: "t" }], details: null },
  });
  calls.settle(2, { ok: false, failure: { message: "no", content: [{ ...block }], details: null } });
  const value = (await shown) as { content: object[] };
  const error = (await failed.catch((thrown: unknown) => thrown)) as ToolCallError;
  expect(inspect([value, error])).not.toContain("AAAA");
  expect(inspect(value, { depth: 5 })).toContain("'[base64, 500 characters]'");
  expect(JSON.stringify([value.content[0], error.content[0]])).toBe(JSON.stringify([block, block]));
  expect(Object.keys(value.content[0] as object)).toEqual(Object.keys(block));
});
