import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { expectFetch, type Handover, handOver, takeOver } from "../../src/extension/task-handover.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

function handover() {
  const close = vi.fn<() => Promise<void>>(async () => undefined);
  const value = { tasks: {}, slots: {}, close } as unknown as Handover;
  return { value, close };
}

test("what one instance leaves the next of the same session gets, once", async () => {
  const { value, close } = handover();
  handOver("one", value);
  expect(takeOver("two")).toBeUndefined();
  expect(takeOver("one")).toMatchObject({ tasks: value.tasks, slots: value.slots });
  expect(takeOver("one")).toBeUndefined();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(close).not.toHaveBeenCalled();
});

test("what nobody fetches is closed, and a close that fails harms nothing", async () => {
  const { value, close } = handover();
  close.mockRejectedValue(new Error("disk full"));
  handOver("one", value);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(close).toHaveBeenCalledOnce();
  expect(takeOver("one")).toBeUndefined();
});

test("what is waited for by an instance that has loaded is kept while other extensions take their time to start", async () => {
  const { value, close } = handover();
  handOver("one", value);
  await vi.advanceTimersByTimeAsync(60_000);
  expectFetch();
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(close).not.toHaveBeenCalled();
  expect(takeOver("one")).toMatchObject({ tasks: value.tasks });
  handOver("one", value);
  expectFetch();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(close).toHaveBeenCalledOnce();
  expect(takeOver("one")).toBeUndefined();
});

test("it reaches an instance whose code was loaded a second time", async () => {
  const { value } = handover();
  handOver("one", value);
  vi.resetModules();
  const again = await import("../../src/extension/task-handover.ts");
  expect(again.takeOver).not.toBe(takeOver);
  expect(again.takeOver("one")).toMatchObject({ tasks: value.tasks });
});

test("it keeps no process alive", () => {
  const unref = vi.fn<() => void>();
  const real = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", ((...args: Parameters<typeof setTimeout>) =>
    Object.assign(real(...args), { unref: () => (unref(), 1) })) as unknown as typeof setTimeout);
  handOver("one", handover().value);
  vi.unstubAllGlobals();
  expect(unref).toHaveBeenCalledOnce();
  takeOver("one");
});
