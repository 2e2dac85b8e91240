/** No worker outlives its pi (fault 33), whatever ends pi. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const HOST = fileURLToPath(new URL("../fixtures/looping-host.ts", import.meta.url));

/** Starts the host and resolves with it and the id of the worker that loops. */
async function startHost(...args: string[]): Promise<{ host: ChildProcess; worker: number }> {
  const host = spawn(process.execPath, [HOST, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(host.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { host, worker: Number(/worker (\d+)/.exec(chunk.toString())?.[1]) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ends(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries += 1) await sleep(50);
  return !isAlive(pid);
}

test.each(["SIGKILL", "SIGTERM", "SIGABRT"] as const)(
  "a looping worker ends when its host dies of %s",
  async (signal) => {
    const { host, worker } = await startHost();
    expect(isAlive(worker)).toBe(true);
    host.kill(signal);
    expect(await ends(worker)).toBe(true);
  },
);

test("a looping worker ends when its host exits by itself", async () => {
  const { host, worker } = await startHost("exit");
  const [code] = (await once(host, "exit")) as [number];
  expect(code).toBe(7);
  expect(await ends(worker)).toBe(true);
});
