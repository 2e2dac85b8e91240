import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LifeKind } from "../../src/base/process-key.ts";
import { watchParent } from "../../src/children/parent-watch.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const KEY = "100-7-0a1b2c3d";

/** A watch over what the system is made to say. */
function watch(system: { parent: number; life: LifeKind }) {
  const onGone = vi.fn<() => void>();
  const asked = vi.fn<(key: string) => LifeKind>(() => system.life);
  const stop = watchParent(KEY, onGone, { parentPid: () => system.parent, lifeOf: asked });
  return { onGone, asked, stop };
}

test("another parent is noticed within a second, once, and no list of processes is read for it", () => {
  const system: Parameters<typeof watch>[0] = { parent: 100, life: "alive" };
  const { onGone, asked } = watch(system);
  vi.advanceTimersByTime(5_000);
  expect(onGone).not.toHaveBeenCalled();
  system.parent = 1;
  vi.advanceTimersByTime(1_000);
  vi.advanceTimersByTime(5_000);
  expect(onGone).toHaveBeenCalledTimes(1);
  expect(asked).not.toHaveBeenCalled();
});

test("with a wrapper between, the dispatching pi is watched and not the wrapper", () => {
  const system: Parameters<typeof watch>[0] = { parent: 200, life: "alive" };
  const { onGone } = watch(system);
  system.parent = 201;
  vi.advanceTimersByTime(5_000);
  expect(onGone).not.toHaveBeenCalled();
  system.life = "gone";
  vi.advanceTimersByTime(1_000);
  expect(onGone).toHaveBeenCalledTimes(1);
});

test("a dispatching pi that went before the watch began is noticed", () => {
  const { onGone } = watch({ parent: 1, life: "gone" });
  vi.advanceTimersByTime(1_000);
  expect(onGone).toHaveBeenCalledTimes(1);
});

test("where the key says nothing, as in a container, the own parent is watched", () => {
  const system: Parameters<typeof watch>[0] = { parent: 7, life: "unknown" };
  const { onGone } = watch(system);
  vi.advanceTimersByTime(5_000);
  expect(onGone).not.toHaveBeenCalled();
  system.parent = 1;
  vi.advanceTimersByTime(1_000);
  expect(onGone).toHaveBeenCalledTimes(1);
});

test("a watch that was ended notices nothing", () => {
  const system: Parameters<typeof watch>[0] = { parent: 100, life: "alive" };
  const { onGone, stop } = watch(system);
  stop();
  system.parent = 1;
  vi.advanceTimersByTime(5_000);
  expect(onGone).not.toHaveBeenCalled();
});
