/** Ending a child with everything below it (spec 2.4): by parent ids, by the run marker, and never a stranger. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as realFs from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { forceEnd, requestEnd, RUN_MARKER, sweepMarked } from "../../src/children/stop-tree.ts";
import { expectEnd, isRunning } from "../faults/processes.ts";
import { eventually, expectNoneMarked, marked } from "./played-child.ts";

/** What the module under test reads of `/proc`, changed by a test where it has to be. */
const proc = vi.hoisted(() => ({ read: undefined as ((path: string, text: string) => string) | undefined }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof realFs>();
  const readFileSync = ((path: string, ...rest: []) => {
    const text = fs.readFileSync(path, ...rest);
    return proc.read && typeof text === "string" ? proc.read(path, text) : text;
  }) as typeof fs.readFileSync;
  return { ...fs, readFileSync };
});

let number = 0;
let marker: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  number += 1;
  marker = `stop-${process.pid}-${number}`;
});
afterEach(() => {
  proc.read = undefined;
  for (const pid of marked(`stop-${process.pid}-${number}`)) process.kill(pid, "SIGKILL");
  for (const { pid, exitCode, signalCode } of started.splice(0))
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(pid, "SIGKILL");
});

/** A shell that leads its own group, marked; resolves when it has printed `ready`. */
async function shell(script: string, value: string | null = marker): Promise<number> {
  const env = { PATH: process.env["PATH"], ...(value === null ? {} : { [RUN_MARKER]: value }) };
  const child = spawn("sh", ["-c", script], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  await once(child.stdout, "data");
  return child.pid as number;
}

const pidsOf = (pids: string): number[] => pids.trim().split(/\s+/).filter(Boolean).map(Number);
/** The processes below `pid`, as `ps` sees them. */
function below(pid: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = lines.map(pidsOf);
  const found = pairs.filter(([, parent]) => parent === pid).map(([child]) => child as number);
  return [...found, ...found.flatMap(below)];
}

describe("asking a child to end", () => {
  test("reaches its group, not the commands it gave groups of their own", async () => {
    const pid = await shell("sleep 60 & setsid sleep 61 & sleep 0.1; echo ready; wait");
    await eventually(() => below(pid).length >= 2, "two commands run");
    const commands = below(pid);
    requestEnd(pid);
    await expectEnd(pid);
    await eventually(() => commands.filter(isRunning).length === 1, "the command of its own group is left");
  });

  test("that is gone does nothing", async () => {
    const pid = await shell("echo ready");
    await expectEnd(pid);
    expect(() => requestEnd(pid)).not.toThrow();
    expect(() => forceEnd(pid, marker)).not.toThrow();
  });
});

describe("forcing a child down", () => {
  test("ends a tree of shells that ignore SIGTERM, each in a group of its own", async () => {
    const leaf = "trap '' TERM; setsid sleep 60 & sleep 60 & wait";
    const pid = await shell(
      `trap '' TERM; setsid sh -c "${leaf}" & setsid sh -c "${leaf}" & sleep 0.2; echo ready; wait`,
    );
    await eventually(() => below(pid).length >= 6, "the tree stands");
    const tree = [pid, ...below(pid)];
    requestEnd(pid);
    forceEnd(pid, marker);
    for (const each of tree) await expectEnd(each);
  });

  test("finds orphans by the marker they carry", async () => {
    const pid = await shell("(setsid sleep 60 &); sleep 0.1; echo ready; exec sleep 60");
    await eventually(() => marked(marker).length === 2, "the orphan runs");
    expect(below(pid)).toEqual([]);
    forceEnd(pid, marker);
    await expectNoneMarked(marker);
  });

  test("finds commands without an environment by their parents", async () => {
    const pid = await shell("env -i setsid sleep 60 & sleep 0.1; echo ready; wait");
    await eventually(() => below(pid).length === 1, "the command runs");
    const [command] = below(pid);
    expect(marked(marker)).toEqual([pid]);
    forceEnd(pid, marker);
    await expectEnd(command as number);
  });
});

test("forcing a child down spares a process whose start is another than when it was found", async () => {
  const pid = await shell("env -i setsid sleep 60 & sleep 0.1; echo ready; wait");
  await eventually(() => below(pid).length === 1, "the command runs");
  const [command] = below(pid) as [number];
  let reads = 0;
  proc.read = (path, text) => {
    if (path !== `/proc/${command}/stat`) return text;
    reads += 1;
    const fields = text.split(" ");
    fields[21] = `${fields[21]}${reads}`;
    return fields.join(" ");
  };
  forceEnd(pid, marker);
  await expectEnd(pid);
  expect(isRunning(command)).toBe(true);
  process.kill(command, "SIGKILL");
  await expectEnd(command);
});

describe("sweeping up after a child", () => {
  test("ends what carries its marker or one below it, and nothing else", async () => {
    const values = [marker, `${marker}/below`, `${marker}x`, `above/${marker}`, null];
    const pids = await Promise.all(values.map((value) => shell("echo ready; exec sleep 60", value)));
    sweepMarked(marker);
    await expectEnd(pids[0] as number);
    await expectEnd(pids[1] as number);
    expect(pids.slice(2).map(isRunning)).toEqual([true, true, true]);
  });

  test("never ends the process that sweeps, whatever it carries", () => {
    const url = pathToFileURL(join(import.meta.dirname, "../../src/children/stop-tree.ts")).href;
    const script = `import { sweepMarked } from ${JSON.stringify(url)}; sweepMarked(${JSON.stringify(marker)}); console.log("alive")`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, [RUN_MARKER]: marker },
      encoding: "utf8",
    });
    expect(said).toBe("alive\n");
  });

  test("spares a process whose start is another than when it was found", async () => {
    const pid = await shell("echo ready; exec sleep 60");
    let reads = 0;
    proc.read = (path, text) => {
      if (path !== `/proc/${pid}/stat`) return text;
      reads += 1;
      const fields = text.split(" ");
      fields[21] = `${fields[21]}${reads}`;
      return fields.join(" ");
    };
    sweepMarked(marker);
    expect(reads).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(true);
    proc.read = undefined;
    sweepMarked(marker);
    await expectEnd(pid);
  });

  test("keeps up with a command that goes on starting others", async () => {
    const script = "echo ready; i=0; while [ $i -lt 400 ]; do i=$((i+1)); setsid sleep 60 & done; wait";
    await shell(script);
    sweepMarked(marker);
    await expectNoneMarked(marker);
  });
});
