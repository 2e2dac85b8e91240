/** A process worker by itself, its line to pi held by the test. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { encodeFrames, FrameReader } from "../../src/base/frame-codec.ts";
import { descendantsOf, signalTree } from "../../src/base/process-tree.ts";
import type { RunFrame, WorkerFrame } from "../../src/worker/protocol.ts";
import { expectEnd } from "../faults/processes.ts";

const WORKER = fileURLToPath(new URL("../../src/worker/main.ts", import.meta.url));
const RUN: RunFrame = {
  kind: "run",
  code: "",
  source: "",
  cwd: process.cwd(),
  tool: "run",
  loneFunction: false,
  args: null,
  phases: [],
  bindings: [],
  store: {},
  limits: {
    maxPendingCalls: 10,
    maxItemsPerCall: 10,
    maxOutputBytes: 1e8,
    maxMessageBytes: 1e6,
    maxValueBytes: 1e6,
  },
};

const workers: ChildProcess[] = [];
afterEach(() => {
  for (const { pid, exitCode, signalCode } of workers.splice(0))
    if (pid && exitCode === null && signalCode === null) signalTree(pid, "SIGKILL");
});

interface Line {
  child: ChildProcess;
  input: Socket;
  output: Socket;
  /** The next frame of this kind. */
  hears(kind: WorkerFrame["kind"]): Promise<WorkerFrame>;
}

function startWorker(): Line {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER, "1000000"], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  workers.push(child);
  const [, , , input, output] = child.stdio as unknown as Socket[] as [null, null, null, Socket, Socket];
  const waiting = new Map<string, (frame: WorkerFrame) => void>();
  const reader = new FrameReader(
    1e7,
    (value) => waiting.get((value as WorkerFrame).kind)?.(value as WorkerFrame),
    () => undefined,
  );
  output.on("data", (chunk: Buffer) => reader.push(chunk));
  for (const pipe of [input, output]) pipe.on("error", () => undefined);
  return { child, input, output, hears: (kind) => new Promise((resolve) => waiting.set(kind, resolve)) };
}

const runs = (code: string): Buffer => encodeFrames([JSON.stringify({ ...RUN, code })]);

test("a worker whose pi is gone ends with everything it started, without any guardian", async () => {
  const { child, input, hears } = startWorker();
  await hears("ready");
  input.write(
    runs(
      'const cp = await import("node:child_process"); cp.spawn("sh", ["-c", "sleep 600 & wait"]); console.log("on"); setInterval(() => 1, 1000); await new Promise(() => {})',
    ),
  );
  await hears("log");
  const all = descendantsOf(child.pid as number);
  expect(all.length).toBeGreaterThan(0);
  input.destroy();
  for (const pid of [child.pid as number, ...all]) await expectEnd(pid);
});

test("a worker that nobody reads any more ends instead of waiting for ever", async () => {
  const { child, input, output, hears } = startWorker();
  await hears("ready");
  const gone = once(child, "exit");
  input.write(runs("for (;;) console.log('x'.repeat(1000))"));
  await hears("log");
  output.destroy();
  expect(await gone).toEqual([0, null]);
});

test.each([
  ["text that is no frame", Buffer.from([3, 0, 0, 0, 120, 120, 120])],
  ["a frame over its limit", Buffer.from([0, 0, 0, 1])],
])("a worker that is sent %s ends", async (_what, bytes) => {
  const { child, input, hears } = startWorker();
  await hears("ready");
  const gone = once(child, "exit");
  input.write(bytes);
  expect(await gone).toEqual([1, null]);
});

test("a worker takes one program and no second", async () => {
  const { input, hears } = startWorker();
  await hears("ready");
  const done = hears("done");
  input.write(runs("await null; return globalThis.again = (globalThis.again ?? 0) + 1"));
  input.write(runs("console.log('second')"));
  expect(await done).toMatchObject({ kind: "done", json: "1" });
});
