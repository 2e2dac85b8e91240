import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SteadyWriter } from "../../src/tasks/steady-writer.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

/** A disk that refuses until it is told otherwise. */
class Disk {
  full = true;
  readonly log: string[] = [];
  readonly problems: string[] = [];
  readonly writer = new SteadyWriter((key, problem) => void this.problems.push(`${key}: ${problem}`));

  write(key: string, text: string): Promise<boolean> {
    return this.writer.write(key, async () => {
      this.log.push(`${text}${this.full ? " refused" : ""}`);
      if (this.full) throw new Error("disk full");
    });
  }
}

test("a write that works is done once", async () => {
  const disk = new Disk();
  disk.full = false;
  expect(await disk.write("a", "1")).toBe(true);
  expect([disk.log, disk.problems, vi.getTimerCount()]).toEqual([["1"], [], 0]);
});

test("a refused write is told once and tried again until it works", async () => {
  const disk = new Disk();
  expect(await disk.write("a", "1")).toBe(false);
  expect(disk.problems).toEqual(["a: disk full"]);
  await vi.advanceTimersByTimeAsync(100);
  await vi.advanceTimersByTimeAsync(1_000);
  disk.full = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(disk.log).toEqual(["1 refused", "1 refused", "1 refused", "1"]);
  expect([disk.problems, vi.getTimerCount()]).toEqual([["a: disk full"], 0]);
});

test("a newer write of the same key takes the place of the older and does not wait", async () => {
  const disk = new Disk();
  await disk.write("a", "1");
  await vi.advanceTimersByTimeAsync(100);
  await vi.advanceTimersByTimeAsync(1_000);
  disk.full = false;
  expect(await disk.write("a", "2")).toBe(true);
  expect(disk.log).toEqual(["1 refused", "1 refused", "1 refused", "2"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(disk.log).toHaveLength(4);
});

test("of writes that come while one is at work only the newest is done, and all hear of it", async () => {
  const disk = new Disk();
  disk.full = false;
  let release: () => void = () => undefined;
  const slow = disk.writer.write("a", () => new Promise((resolve) => (release = resolve)));
  const answers = Promise.all([disk.write("a", "2"), disk.write("a", "3"), disk.write("a", "4")]);
  release();
  expect([await slow, await answers, disk.log]).toEqual([true, [true, true, true], ["4"]]);
});

test("keys do not wait for each other", async () => {
  const disk = new Disk();
  await disk.write("a", "1");
  disk.full = false;
  expect(await disk.write("b", "2")).toBe(true);
  expect(disk.log).toEqual(["1 refused", "2"]);
});

test("the end tries everything once more, without a pause, and then never again", async () => {
  const disk = new Disk();
  await disk.write("a", "1");
  await disk.write("b", "2");
  await disk.writer.end();
  expect(disk.log).toEqual(["1 refused", "2 refused", "1 refused", "2 refused"]);
  expect(await disk.write("c", "3")).toBe(false);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(disk.log).toHaveLength(5);
  expect(vi.getTimerCount()).toBe(0);
});

test("the end waits for a write that is at work, and for one that came behind it", async () => {
  const disk = new Disk();
  disk.full = false;
  let release: () => void = () => undefined;
  void disk.writer.write("a", () => new Promise((resolve) => (release = resolve)));
  const behind = disk.write("a", "2");
  const end = disk.writer.end();
  release();
  await end;
  expect([await behind, disk.log]).toEqual([true, ["2"]]);
});
