/** The worker's end of the line to pi: one small interface, two ways to reach it. */

import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { type MessagePort, parentPort } from "node:worker_threads";
import { encodeFrames, FrameReader } from "../base/frame-codec.ts";
import type { HostFrame, WorkerFrame } from "./protocol.ts";

/** Characters a thread may be ahead of pi. */
const MAX_IN_FLIGHT = 131_072;

/** Where pi's frames come in, in a process. */
export const FRAMES_IN_FD = 3;
/** Where the worker's frames go out. */
export const FRAMES_OUT_FD = 4;

// Taken before a program can patch them.
const { stringify } = JSON;
const write = writeSync;

/** Line to pi. */
export interface Channel {
  /** Hands the frame over before it returns, so that nothing is lost when the program blocks or dies next. */
  post(frame: WorkerFrame): void;
  /** The same for frames that are JSON text already, in one write. */
  postJson(texts: readonly string[]): void;
  /** Keeps the worker alive while an answer is awaited; without it an idle program is seen as stuck. */
  hold(held: boolean): void;
}

/** A line over two pipes, of a process that leads its own group. */
export function openProcessChannel(maxBytes: number, onFrame: (frame: HostFrame) => void): Channel {
  const reader = new FrameReader(
    maxBytes,
    (frame) => onFrame(frame as HostFrame),
    () => process.exit(1),
  );
  const input = new Socket({ fd: FRAMES_IN_FD, readable: true, writable: false });
  input.on("data", (chunk: Buffer) => reader.push(chunk));
  input.on("close", endGroup);
  input.on("error", endGroup);
  return {
    post: (frame) => writeAll(encodeFrames([stringify(frame)])),
    postJson: (texts) => writeAll(encodeFrames(texts)),
    hold: (held) => void (held ? input.ref() : input.unref()),
  };
}

/** A line over the thread's own port, carrying JSON text so that both vessels treat values alike. */
export function openThreadChannel(
  inFlight: Int32Array<SharedArrayBuffer>,
  onFrame: (frame: HostFrame) => void,
): Channel {
  const { port, send } = openThreadLine(inFlight);
  port.on("message", (json: string) => onFrame(JSON.parse(json) as HostFrame));
  return {
    post: (frame) => send(stringify(frame)),
    postJson: (texts) => {
      for (const text of texts) send(text);
    },
    hold: (held) => void (held ? port.ref() : port.unref()),
  };
}

/** The thread's port, and what sends a frame's text over it. */
export function openThreadLine(inFlight: Int32Array<SharedArrayBuffer>): {
  port: MessagePort;
  send(json: string): void;
} {
  const port = parentPort;
  if (!port) throw new Error("a thread worker needs a parent port");
  const post = port.postMessage.bind(port);
  const { add, load, wait } = Atomics;
  const send = (json: string): void => {
    // A port has no limit of its own: pi would drown in what a loop prints.
    for (let held = load(inFlight, 0); held > MAX_IN_FLIGHT; held = load(inFlight, 0))
      wait(inFlight, 0, held, 100);
    add(inFlight, 0, json.length);
    post(json);
  };
  return { port, send };
}

/** pi is gone: ends the worker and what it started. */
function endGroup(): never {
  process.kill(-process.pid, "SIGKILL");
  process.exit(0);
}

function writeAll(bytes: Buffer): void {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += write(FRAMES_OUT_FD, bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(0);
      // Only a platform that opens the pipe non-blocking gets here: let pi read for a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
