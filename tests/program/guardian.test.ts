/** No worker outlives its pi (fault 33), whatever ends pi and whatever becomes of the shell that watches. */

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { descendantsOf } from "../../src/base/process-tree.ts";
import { Guardian } from "../../src/program/guardian.ts";
import { expectEnd, isRunning } from "../faults/processes.ts";

/** Shells the guardians started, and what to start in place of one. */
const shells = vi.hoisted(() => ({ path: "/bin/sh", started: [] as ChildProcess[] }));
vi.mock("node:child_process", async (original) => {
  const actual = await original<typeof import("node:child_process")>();
  const start = (command: string, args: string[], options: SpawnOptions): ChildProcess => {
    const child = actual.spawn(command === "/bin/sh" ? shells.path : command, args, options);
    if (command === "/bin/sh") shells.started.push(child);
    return child;
  };
  return { ...actual, spawn: start };
});

const HOST = fileURLToPath(new URL("../fixtures/looping-host.ts", import.meta.url));

/** Everything the tests started, for those that fail. */
const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

/** Starts the host and resolves with it, the worker that loops and everything else it started. */
async function startHost(...args: string[]): Promise<{ host: ChildProcess; worker: number; all: number[] }> {
  const host = spawn(process.execPath, [HOST, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(host.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const worker = Number(/worker (\d+)/.exec(chunk.toString())?.[1]);
  const all = descendantsOf(host.pid as number);
  started.push(...all);
  return { host, worker, all };
}

describe("everything a host started ends", () => {
  test.each(["SIGKILL", "SIGTERM", "SIGABRT"] as const)(
    "when it dies of %s, a looping worker too",
    async (signal) => {
      const { host, worker, all } = await startHost();
      expect(all).toContain(worker);
      // The guardian's shell is one of them.
      expect(all.length).toBeGreaterThan(1);
      host.kill(signal);
      for (const pid of all) await expectEnd(pid);
    },
  );

  test("when it exits by itself, a looping worker too", async () => {
    const { host, all } = await startHost("exit");
    const [code] = (await once(host, "exit")) as [number];
    expect(code).toBe(7);
    for (const pid of all) await expectEnd(pid);
  });
});

describe("a guardian", () => {
  const guardian = (): Guardian => new Guardian();
  /** A process that leads its own group. */
  const group = (): number => {
    const { pid } = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    started.push(pid as number);
    return pid as number;
  };

  afterEach(() => {
    shells.path = "/bin/sh";
    shells.started.length = 0;
  });

  test("ends the groups in its care when it is closed, and no others", async () => {
    const watching = guardian();
    const [kept, forgotten] = [group(), group()];
    watching.watch(kept);
    watching.watch(forgotten);
    watching.forget(forgotten);
    const shellEnd = once(shells.started[0] as ChildProcess, "exit");
    watching.close();
    await expectEnd(kept);
    await shellEnd;
    expect(isRunning(forgotten)).toBe(true);
  });

  test("whose shell is killed gets another one that takes over", async () => {
    const watching = guardian();
    const [first, second] = [group(), group()];
    watching.watch(first);
    const [shell] = shells.started as [ChildProcess];
    shell.kill("SIGKILL");
    await once(shell, "exit");
    watching.watch(second);
    expect(shells.started).toHaveLength(2);
    watching.close();
    await expectEnd(first);
    await expectEnd(second);
  });

  test("without a shell harms nobody, and starts one when there is", async () => {
    const watching = guardian();
    const [first, second] = [group(), group()];
    shells.path = "/nowhere/sh";
    watching.watch(first);
    await once(shells.started[0] as ChildProcess, "error");
    watching.forget(first);
    watching.watch(first);
    await once(shells.started[1] as ChildProcess, "error");
    shells.path = "/bin/sh";
    watching.watch(second);
    watching.close();
    await expectEnd(first);
    await expectEnd(second);
  });
});
