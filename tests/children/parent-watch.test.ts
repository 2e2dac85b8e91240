import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchParent } from "../../src/children/parent-watch.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("another parent is noticed within a second, once", () => {
  let parent = 100;
  const onGone = vi.fn<() => void>();
  watchParent(onGone, () => parent);
  vi.advanceTimersByTime(5_000);
  expect(onGone).not.toHaveBeenCalled();
  parent = 1;
  vi.advanceTimersByTime(1_000);
  vi.advanceTimersByTime(5_000);
  expect(onGone).toHaveBeenCalledTimes(1);
});

test("a watch that was ended notices nothing", () => {
  let parent = 100;
  const onGone = vi.fn<() => void>();
  const stop = watchParent(onGone, () => parent);
  stop();
  parent = 1;
  vi.advanceTimersByTime(5_000);
  expect(onGone).not.toHaveBeenCalled();
});
