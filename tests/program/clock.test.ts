import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock } from "../../src/program/clock.ts";

let expired: number;
const clock = (limitMs: number): Clock => new Clock(limitMs, () => (expired += 1));

beforeEach(() => {
  expired = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test("it expires once, when its time is over", () => {
  clock(1_000);
  vi.advanceTimersByTime(999);
  expect(expired).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(expired).toBe(1);
});

test("it stands still while it is paused, and keeps what was left", () => {
  const running = clock(1_000);
  vi.advanceTimersByTime(600);
  const resume = running.pause();
  vi.advanceTimersByTime(3_600_000);
  resume();
  vi.advanceTimersByTime(399);
  expect(expired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(expired).toBe(1);
});

test("it goes on when the last of several pauses ends; ending one twice counts once", () => {
  const running = clock(100);
  const [first, second] = [running.pause(), running.pause()];
  first();
  first();
  vi.advanceTimersByTime(1_000);
  expect(expired).toBe(0);
  second();
  vi.advanceTimersByTime(100);
  expect(expired).toBe(1);
});

test("once stopped it never expires, whatever was paused", () => {
  const running = clock(100);
  const resume = running.pause();
  running.stop();
  resume();
  running.pause()();
  vi.advanceTimersByTime(1_000);
  expect(expired).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("a pause after its end changes nothing", () => {
  const running = clock(100);
  vi.advanceTimersByTime(100);
  running.pause()();
  vi.advanceTimersByTime(1_000);
  expect(expired).toBe(1);
});
