import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pulse } from "../../src/render/pulse.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a watched run is redrawn every 150 ms until it ends, and then no timer is left", () => {
  const pulse = new Pulse();
  const redraw = vi.fn<() => void>();
  const end = pulse.begin("a");
  expect(vi.getTimerCount()).toBe(0);
  pulse.watch("a", redraw);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(449);
  expect(redraw).toHaveBeenCalledTimes(2);
  end();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(redraw).toHaveBeenCalledTimes(2);
  expect(pulse.isRunning("a")).toBe(false);
});

test("what does not run is not watched", () => {
  const pulse = new Pulse();
  pulse.watch("a", () => undefined);
  expect(vi.getTimerCount()).toBe(0);
});

test("many runs share one timer, which ends with the last watcher", () => {
  const pulse = new Pulse();
  const ends = ["a", "b"].map((id) => pulse.begin(id));
  pulse.watch("a", () => undefined);
  pulse.watch("b", () => undefined);
  expect(vi.getTimerCount()).toBe(1);
  ends[0]?.();
  expect(vi.getTimerCount()).toBe(1);
  pulse.unwatch("b");
  expect(vi.getTimerCount()).toBe(0);
});

test("a row that throws is not redrawn again, the others are", () => {
  const pulse = new Pulse();
  const good = vi.fn<() => void>();
  pulse.begin("bad");
  pulse.begin("good");
  const bad = vi.fn<() => void>(() => {
    throw new Error("stale");
  });
  pulse.watch("bad", bad);
  pulse.watch("good", good);
  vi.advanceTimersByTime(450);
  expect(bad).toHaveBeenCalledTimes(1);
  expect(good).toHaveBeenCalledTimes(3);
});

test("closing ends the timer, and nothing begins after it", () => {
  const pulse = new Pulse();
  const end = pulse.begin("a");
  pulse.watch("a", () => undefined);
  pulse.close();
  expect(vi.getTimerCount()).toBe(0);
  end();
  pulse.begin("b");
  pulse.watch("b", () => undefined);
  expect(vi.getTimerCount()).toBe(0);
  expect(pulse.isRunning("b")).toBe(false);
});
