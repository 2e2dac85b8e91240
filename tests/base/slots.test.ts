import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Release, Slots, SlotWaitError } from "../../src/base/slots.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Names of those that got a slot, in order. */
function takers(slots: Slots): { order: string[]; take: (name: string) => Promise<Release> } {
  const order: string[] = [];
  const take = async (name: string): Promise<Release> => {
    const release = await slots.acquire(1_000);
    order.push(name);
    return release;
  };
  return { order, take };
}

test("as many as there are slots get one at once, the others in arrival order", async () => {
  const { order, take } = takers(new Slots(2));
  const [a, b, c, d] = ["a", "b", "c", "d"].map(take) as [
    Promise<Release>,
    Promise<Release>,
    Promise<Release>,
    Promise<Release>,
  ];
  await Promise.all([a, b]);
  expect(order).toEqual(["a", "b"]);
  (await b)();
  await c;
  (await a)();
  await d;
  expect(order).toEqual(["a", "b", "c", "d"]);
});

test("a slot given back twice counts once", async () => {
  const slots = new Slots(1);
  const release = slots.tryAcquire() as Release;
  release();
  release();
  expect(slots.tryAcquire()).toBeTypeOf("function");
  expect(slots.tryAcquire()).toBeUndefined();
});

test("a newcomer does not overtake those who wait", async () => {
  const slots = new Slots(1);
  const release = slots.tryAcquire() as Release;
  const waiting = slots.acquire(1_000);
  release();
  expect(slots.tryAcquire()).toBeUndefined();
  (await waiting)();
  expect(slots.tryAcquire()).toBeTypeOf("function");
});

test("a wait ends after its time, and its turn is not lost for others", async () => {
  const slots = new Slots(1);
  const release = slots.tryAcquire() as Release;
  const impatient = slots.acquire(100);
  const patient = slots.acquire(1_000);
  vi.advanceTimersByTime(100);
  await expect(impatient).rejects.toMatchObject({ reason: "timeout", message: "timed out after 100 ms" });
  release();
  expect(await patient).toBeTypeOf("function");
  expect(vi.getTimerCount()).toBe(0);
});

test("an abort ends a wait at once, and one before it never waits", async () => {
  const slots = new Slots(1);
  slots.tryAcquire();
  const controller = new AbortController();
  const waiting = slots.acquire(1_000, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toBeInstanceOf(SlotWaitError);
  await expect(slots.acquire(1_000, controller.signal)).rejects.toMatchObject({ reason: "abort" });
  expect(vi.getTimerCount()).toBe(0);
});

test("an abort after the slot was given takes nothing away", async () => {
  const slots = new Slots(1);
  const controller = new AbortController();
  const release = await slots.acquire(1_000, controller.signal);
  controller.abort();
  expect(slots.tryAcquire()).toBeUndefined();
  release();
  expect(slots.tryAcquire()).toBeTypeOf("function");
});

test("all who wait can be refused at once", async () => {
  const slots = new Slots(1);
  slots.tryAcquire();
  const waiting = [slots.acquire(1_000), slots.acquire(1_000)];
  slots.refuseAll("the session ended");
  const ends = await Promise.allSettled(waiting);
  expect(ends).toEqual(
    waiting.map(() => ({
      status: "rejected",
      reason: expect.objectContaining({ reason: "closed", message: "the session ended" }),
    })),
  );
});
