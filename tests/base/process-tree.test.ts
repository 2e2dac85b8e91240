import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { descendantsOf, residentBytes, signalTree } from "../../src/base/process-tree.ts";
import { expectEnd, isRunning } from "../faults/processes.ts";

const trees: ChildProcess[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) if (tree.pid && isRunning(tree.pid)) tree.kill("SIGKILL");
});

/** A shell that leads its own group, runs `script` and prints the process ids it started. */
async function startTree(script: string): Promise<{ root: number; started: number[] }> {
  const tree = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  trees.push(tree);
  const [chunk] = (await once(tree.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { root: tree.pid as number, started: chunk.toString().trim().split(/\s+/).map(Number) };
}

test("descendants of every depth are found", async () => {
  const { root, started } = await startTree(
    "sleep 600 & a=$!; sh -c 'sleep 600 & echo '$a' $! $$; wait'; wait",
  );
  expect(started).toHaveLength(3);
  expect(descendantsOf(root).toSorted()).toEqual(expect.arrayContaining(started.toSorted()));
  signalTree(root, "SIGKILL");
});

test("a signal reaches the group and those that left it", async () => {
  const { root, started } = await startTree("setsid sleep 600 & a=$!; sleep 600 & echo $a $!; wait");
  signalTree(root, "SIGKILL");
  for (const pid of [root, ...started]) await expectEnd(pid);
});

test("a process that is gone has no descendants and no memory, and takes signals in silence", async () => {
  const child = spawn("true", { detached: true, stdio: "ignore" });
  await once(child, "exit");
  const pid = child.pid as number;
  await expectEnd(pid);
  expect(descendantsOf(pid)).toEqual([]);
  expect(residentBytes(pid)).toBeUndefined();
  expect(() => signalTree(pid, "SIGTERM")).not.toThrow();
});

test("resident memory is what the system says it is", () => {
  const bytes = residentBytes(process.pid) as number;
  expect(Math.abs(bytes - process.memoryUsage.rss())).toBeLessThan(32 * 1_048_576);
});
