import { beforeEach, describe, expect, test } from "vitest";
import { PendingCalls } from "../../src/worker/pending-calls.ts";
import { createToolsTable } from "../../src/worker/tools-table.ts";
import { FakeChannel } from "./fake-channel.ts";

type Table = Record<string, (args?: unknown) => Promise<unknown>>;

let channel: FakeChannel;
beforeEach(() => {
  channel = new FakeChannel();
});
const table = (...bindings: string[]): Table =>
  createToolsTable(
    bindings,
    new PendingCalls(channel, { maxPendingCalls: 9, maxMessageBytes: 1_000 }),
  ) as Table;

/** Names that were called. */
async function called(): Promise<string[]> {
  await new Promise(setImmediate);
  return channel.of("call").map(({ name }) => name);
}

describe("tools", () => {
  test("call the binding of their name, without arguments with an empty object", async () => {
    const tools = table("read", "bash");
    void tools["read"]?.({ path: "a" });
    void tools["bash"]?.();
    await called();
    expect(channel.of("call").map(({ name, args }) => [name, args])).toEqual([
      ["read", { path: "a" }],
      ["bash", {}],
    ]);
  });

  test("are reached by the identifier form of an odd name, unless that is taken or shared", async () => {
    const tools = table("my-tool", "a.b", "a_b", "x-y", "x.y");
    void tools["my_tool"]?.({});
    void tools["a_b"]?.({});
    void tools["a.b"]?.({});
    expect(await called()).toEqual(["my-tool", "a_b", "a.b"]);
    await expect(tools["x_y"]?.({})).rejects.toThrow(/no binding named "x_y"/);
  });

  test("are no thenable, no JSON and nothing to change", () => {
    const tools = table("read") as unknown as Record<PropertyKey, unknown>;
    expect(tools["then"]).toBeUndefined();
    expect(tools["toJSON"]).toBeUndefined();
    expect(tools[Symbol.iterator]).toBeUndefined();
    expect(Reflect.set(tools, "read", 1)).toBe(false);
    expect(Reflect.deleteProperty(tools, "read")).toBe(false);
    expect(Reflect.defineProperty(tools, "other", { value: 1 })).toBe(false);
    expect(Reflect.setPrototypeOf(tools, {})).toBe(false);
    expect(Object.keys(tools)).toEqual(["read"]);
  });

  test("may be called `then`, `__proto__` or like a method of objects, and still be bound", async () => {
    const tools = table("__proto__", "constructor", "hasOwnProperty");
    for (const name of ["__proto__", "constructor", "hasOwnProperty"]) void tools[name]?.({});
    expect(await called()).toEqual(["__proto__", "constructor", "hasOwnProperty"]);
  });
});

describe("an unknown name", () => {
  test("rejects with what there is and what was probably meant", async () => {
    const tools = table("read", "write");
    await expect(tools["raed"]?.({})).rejects.toMatchObject({
      toolName: "raed",
      message: 'no binding named "raed" in this run; available bindings: read, write\ndid you mean "read"?',
    });
    await expect(tools["toString"]?.()).rejects.toThrow(/no binding named "toString"/);
    expect(await called()).toEqual([]);
  });

  test("lists sixty of many, and says so of none", async () => {
    const many = table(...Array.from({ length: 100 }, (_, index) => `tool${index}`));
    await expect(many["zzzzzz"]?.()).rejects.toThrow(/tool59, and 40 more \(see ptcBindings\)$/);
    await expect(table()["read"]?.()).rejects.toThrow(/available bindings: none$/);
  });
});
