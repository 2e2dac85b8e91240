import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunProgress } from "../../src/program/outcome.ts";
import { feedProgress as startFeed, type ProgressFeed } from "../../src/tools/progress.ts";

const progress = (elapsedMs: number): RunProgress => ({
  subCalls: [],
  calls: { total: 0, failed: 0 },
  phases: [],
  narrations: [],
  logs: [],
  elapsedMs,
});

const feedProgress = (send: (snapshot: RunProgress) => unknown): ProgressFeed<RunProgress> =>
  startFeed(send, progress);

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

test("the first change goes out at once, further ones together after 100 ms, as they are then", () => {
  const sent: number[] = [];
  const feed = feedProgress((snapshot) => sent.push(snapshot.elapsedMs));
  let now = 1;
  feed.changed(() => progress(now));
  expect(sent).toEqual([1]);
  for (now = 2; now < 50; now++) feed.changed(() => progress(now));
  expect(sent).toEqual([1]);
  vi.advanceTimersByTime(99);
  expect(sent).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([1, 50]);
  vi.advanceTimersByTime(899);
  expect(sent).toEqual([1, 50]);
});

test("changes without end go out ten times a second", () => {
  const sent: number[] = [];
  const feed = feedProgress((snapshot) => sent.push(snapshot.elapsedMs));
  for (let ms = 0; ms < 1_000; ms += 5) {
    feed.changed(() => progress(ms));
    vi.advanceTimersByTime(5);
  }
  expect(sent.length).toBeGreaterThanOrEqual(10);
  expect(sent.length).toBeLessThanOrEqual(11);
});

test("without any change one goes out each second, with the elapsed time", () => {
  const sent: number[] = [];
  feedProgress((snapshot) => sent.push(snapshot.elapsedMs));
  vi.advanceTimersByTime(3_500);
  expect(sent).toEqual([1_000, 2_000, 3_000]);
});

test("nothing goes out after the end, and no timer is left", () => {
  const sent: number[] = [];
  const feed = feedProgress((snapshot) => sent.push(snapshot.elapsedMs));
  feed.changed(() => progress(1));
  feed.changed(() => progress(2));
  feed.end();
  feed.changed(() => progress(3));
  vi.advanceTimersByTime(10_000);
  expect(sent).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a receiver that throws or rejects harms nothing and still gets the next one", async () => {
  let calls = 0;
  const feed = feedProgress(() => {
    calls += 1;
    if (calls === 1) throw new Error("stale");
    return Promise.reject(new Error("stale"));
  });
  expect(() => feed.changed(() => progress(1))).not.toThrow();
  vi.advanceTimersByTime(1_000);
  feed.changed(() => {
    throw new Error("snapshot");
  });
  vi.advanceTimersByTime(1_000);
  await Promise.resolve();
  expect(calls).toBeGreaterThanOrEqual(2);
  feed.end();
});

test("the timer does not keep the process alive", () => {
  const unref = vi.fn<() => void>();
  const real = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", ((...args: Parameters<typeof setTimeout>) =>
    Object.assign(real(...args), { unref })) as unknown as typeof setTimeout);
  feedProgress(() => undefined).end();
  vi.unstubAllGlobals();
  expect(unref).toHaveBeenCalledOnce();
});
