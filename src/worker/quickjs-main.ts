/**
 * Entry of a thread that runs one program in a QuickJS VM. The VM holds the same run as a Node worker does, built
 * without Node; this side moves texts in and out, keeps one timer, and ends what neither returns nor listens.
 */

import { workerData } from "node:worker_threads";
import type { WasmModule } from "../base/web-assembly.ts";
import { openThreadLine } from "./channel.ts";
import { PROTOCOL_VERSION } from "./protocol.ts";
import { QuickjsRun } from "./quickjs-run.ts";

/** What pi shares with every such thread. */
export interface QuickjsThreadData {
  inFlight: Int32Array<SharedArrayBuffer>;
  /** Counts pi's orders to stop: the deadline or an abort, then the end. */
  stops: Int32Array<SharedArrayBuffer>;
  /** MiB the VM may use. */
  heapMb: number;
}

/** Comes as the first message, when pi has it: the compiled engine, and the script for the VM. */
export interface QuickjsParts {
  module: WasmModule;
  guest: string;
}

const data = workerData as QuickjsThreadData;
const { port, send } = openThreadLine(data.inFlight);

port.once("message", async (parts: QuickjsParts) => {
  const run = await QuickjsRun.open(parts, data, send);
  port.on("message", (json: string) => run.receive(json));
  send(JSON.stringify({ kind: "ready", version: PROTOCOL_VERSION }));
  // A spare has time; a program that is waited for has none.
  setImmediate(() => run.rehearse());
});
