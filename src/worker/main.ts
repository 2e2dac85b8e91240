/** Entry of a worker, in a process or a thread: announces itself, then runs the one program it is sent. */

import { isMainThread, workerData } from "node:worker_threads";
import { type Channel, openProcessChannel, openThreadChannel } from "./channel.ts";
import { type HostFrame, PROTOCOL_VERSION } from "./protocol.ts";
import { createNodeEngine, rehearseNode } from "./node-engine.ts";
import { ProgramRun } from "./program-run.ts";

function serve(): void {
  let run: ProgramRun | undefined;
  const onFrame = (frame: HostFrame): void => {
    if (frame.kind !== "run") run?.onFrame(frame);
    else if (!run) {
      // Threads share the folder of pi itself; a program must see the session's.
      if (!isMainThread) process.cwd = () => frame.cwd;
      run = new ProgramRun(channel, frame, createNodeEngine(frame.cwd));
      run.start();
    }
  };
  const channel: Channel = isMainThread
    ? openProcessChannel(Number(process.argv[2]), onFrame)
    : openThreadChannel((workerData as { inFlight: Int32Array<SharedArrayBuffer> }).inFlight, onFrame);
  channel.post({ kind: "ready", version: PROTOCOL_VERSION });
  // A spare has time; a program that is waited for has none.
  setImmediate(() => {
    if (!run) rehearseNode();
  });
}

serve();
