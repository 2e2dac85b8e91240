import { expect, test } from "vitest";
import type { ChildProgress, DispatchResult } from "../../src/children/dispatch.ts";
import type { RunningChild } from "../../src/children/start-child.ts";
import { ForegroundChildren } from "../../src/extension/foreground-children.ts";

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.25, turns: 1 };
const result: DispatchResult = {
  status: "fulfilled",
  text: "",
  started: true,
  agentName: "scout",
  durationMs: 1,
  reportChannel: "none",
  usage,
};
const progress: ChildProgress = { agentName: "scout", turns: 1, usage, lastText: "", elapsedMs: 5 };

function fakeChild() {
  const { promise, resolve } = Promise.withResolvers<DispatchResult>();
  const stops: string[] = [];
  const child = {
    pid: 1,
    result: promise,
    progress: () => progress,
    stop: (reason: string) => stops.push(reason) > 0,
    kill: () => undefined,
  } as RunningChild;
  return { child, stops, end: resolve };
}

test("children are listed until their result, which is passed on and counted", async () => {
  const children = new ForegroundChildren();
  let changes = 0;
  children.onChange = () => (changes += 1);
  const [one, two] = [fakeChild(), fakeChild()];
  const first = children.follow("call-1", "part one", one.child);
  const second = children.follow("call-2", "part two", two.child);
  expect(children.list()).toEqual([
    { id: "call-1", label: "part one", progress },
    { id: "call-2", label: "part two", progress },
  ]);
  expect(children.find("call-2")?.label).toBe("part two");
  expect(children.count).toBe(2);
  one.end(result);
  two.end({ ...result, started: false, usage: undefined });
  expect(await first).toBe(result);
  expect((await second).started).toBe(false);
  expect(children.list()).toEqual([]);
  expect(children.find("call-1")).toBeUndefined();
  expect(children.ended).toEqual({ count: 1, cost: 0.25 });
  expect(changes).toBe(4);
});

test("the end of what a child says is kept while it runs, as a task's output has it", async () => {
  const children = new ForegroundChildren();
  const { child, end } = fakeChild();
  const followed = children.follow("call-1", "one", child);
  expect(children.output("call-1")).toBe("");
  children.said("call-1", "first\nsecond");
  children.said("call-1", "third");
  expect(children.output("call-1")).toBe("first\nsecond\n\nthird");
  for (let index = 0; index < 100; index += 1) children.said("call-1", `${index} ${"é".repeat(20_000)}`);
  const kept = children.output("call-1");
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(16_384);
  expect(kept).toMatch(/^é+$/);
  end(result);
  await followed;
  children.said("call-1", "late");
  expect(children.output("call-1")).toBe("");
});

test("one child is stopped, and no other", () => {
  const children = new ForegroundChildren();
  const [one, two] = [fakeChild(), fakeChild()];
  void children.follow("call-1", "one", one.child);
  void children.follow("call-2", "two", two.child);
  expect(children.stop("call-2", "enough")).toBe(true);
  expect(children.stop("call-3", "enough")).toBe(false);
  expect([one.stops, two.stops]).toEqual([[], ["enough"]]);
});

test("a screen that throws ends no child", async () => {
  const children = new ForegroundChildren();
  children.onChange = () => {
    throw new Error("stale");
  };
  const { child, end } = fakeChild();
  const followed = children.follow("call-1", "one", child);
  children.onMove = children.onChange;
  children.moved();
  end(result);
  expect(await followed).toBe(result);
});
