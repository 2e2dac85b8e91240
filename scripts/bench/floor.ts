/** The floor of a call: one message to a bare worker and back, with nothing of ours between. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type { VesselKind } from "../../src/program/request.ts";
import { median } from "./figures.ts";

const ROUNDS = 5;
const MESSAGES = 1_000;
const PROCESS_ECHO = `const { Socket } = require("node:net"), { writeSync } = require("node:fs");
new Socket({ fd: 3, readable: true, writable: false }).on("data", (d) => writeSync(4, d));`;
const THREAD_ECHO =
  'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (m) => parentPort.postMessage(m));';

/** Median milliseconds of one round trip. */
export async function measureRoundTrips(vessel: VesselKind): Promise<number> {
  const line = vessel === "process" ? openProcess() : openThread();
  const rounds: number[] = [];
  await line.ask();
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    for (let i = 0; i < MESSAGES; i += 1) await line.ask();
    rounds.push((performance.now() - startedAt) / MESSAGES);
  }
  await line.close();
  return median(rounds);
}

interface Line {
  ask(): Promise<unknown>;
  close(): Promise<unknown>;
}

function openProcess(): Line {
  const child = spawn(process.execPath, ["-e", PROCESS_ECHO], {
    stdio: ["ignore", "inherit", "inherit", "pipe", "pipe"],
  });
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Socket, Socket];
  return {
    ask: () => {
      const answered = once(output, "data");
      input.write('{"kind":"call","id":1,"name":"noop","args":{}}');
      return answered;
    },
    close: () => {
      child.kill("SIGKILL");
      return once(child, "exit");
    },
  };
}

function openThread(): Line {
  const worker = new Worker(THREAD_ECHO, { eval: true });
  return {
    ask: () => {
      const answered = once(worker, "message");
      worker.postMessage('{"kind":"call","id":1,"name":"noop","args":{}}');
      return answered;
    },
    close: () => worker.terminate(),
  };
}
