import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { identifyProcess, presenceOf, startsOf } from "../../src/base/process-identity.ts";
import { isRunning } from "../faults/processes.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) if (child.pid && isRunning(child.pid)) child.kill("SIGKILL");
});

test("a process is there until it ends, and another with its id is not it", async () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  const identity = identifyProcess(child.pid as number);
  if (!identity) throw new Error("no identity");
  expect(presenceOf(identity)).toBe("alive");
  expect(presenceOf({ ...identity, startedAt: `${identity.startedAt}0` })).toBe("gone");
  expect(presenceOf({ ...identity, startedAt: "" })).toBe("unknown");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(presenceOf(identity)).toBe("gone");
  expect(identifyProcess(identity.pid)).toBeUndefined();
});

test("starts differ from process to process and stay the same, whatever it is called", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ptc-key-"));
  symlinkSync("/bin/sleep", join(folder, ") Z ("));
  const child = spawn(join(folder, ") Z ("), ["600"], { stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  rmSync(folder, { recursive: true });
  const pids = [process.pid, child.pid as number, 4_194_999];
  const first = startsOf(pids);
  expect([...first.keys()]).toEqual(pids.slice(0, 2));
  expect(Number(first.get(child.pid as number))).toBeGreaterThan(Number(first.get(process.pid)));
  expect(startsOf(pids)).toEqual(first);
});
