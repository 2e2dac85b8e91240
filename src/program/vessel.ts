/** One worker as the host sees it, whatever it runs in. It serves one program and is then ended. */

import { errorText } from "../base/error-text.ts";
import type { HostFrame } from "../worker/protocol.ts";
import type { VesselKind } from "./request.ts";

/** Why a worker is no more, when it was not told to end. */
export interface VesselEnd {
  kind: "worker-exit" | "out-of-memory" | "protocol" | "refused";
  message: string;
}

/** What a worker's owner hears. None of it comes after `end()`. */
export interface VesselListener {
  /** A parsed frame, its shape unchecked. */
  onFrame(frame: unknown): void;
  /** Text written past our frames to standard output or error, in whole lines where possible. */
  onOutput(stream: "stdout" | "stderr", text: string): void;
  /** The worker is gone by itself. Called once. */
  onEnd(end: VesselEnd): void;
}

/** A booted or booting worker. */
export interface Vessel {
  readonly kind: VesselKind;
  /** Sets who hears from the worker; frames and ends from before are handed over first. */
  listen(listener: VesselListener): void;
  /** Sends a frame. Returns why it cannot be sent, or undefined. */
  post(frame: HostFrame): string | undefined;
  /** Whether the worker keeps pi's process alive: true while it runs a program. */
  hold(held: boolean): void;
  /** Hands over output that was held back. */
  flush(): void;
  /** Ends the worker and all its processes. Resolves when it is gone; idempotent. */
  end(): Promise<void>;
}

/** How to boot a worker. */
export interface VesselOptions {
  cwd: string;
  maxMessageBytes: number;
  maxOldGenerationSizeMb: number;
  maxYoungGenerationSizeMb: number;
  maxMemoryMb: number;
  /** The worker is gone for good, whoever ended it. */
  onGone: () => void;
}

/** The only variables a program sees (spec 1.3). */
const PASSED_VARIABLES = ["PATH", "PATHEXT", "SYSTEMROOT", "WINDIR", "TEMP", "TMP"];

/** What a worker gets of this environment. */
export function workerEnvironment(): Record<string, string> {
  const entries = PASSED_VARIABLES.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** JSON text of a frame, or why it cannot be sent. */
export function encodeHostFrame(frame: HostFrame, maxBytes: number): { json: string } | { problem: string } {
  try {
    const json = JSON.stringify(frame);
    const size = json.length > maxBytes / 4 ? Buffer.byteLength(json) : json.length;
    if (size <= maxBytes) return { json };
    return { problem: `${size} bytes are over the limit of ${maxBytes} (maxMessageBytes)` };
  } catch (error) {
    return { problem: `it is no JSON: ${errorText(error)}` };
  }
}

/** Where a built file lies: beside the file that holds this, or, where the sources run, in `dist` as it was built last. */
export function builtUrl(name: string): URL {
  return new URL(import.meta.url.endsWith(".ts") ? `../../dist/${name}` : name, import.meta.url);
}

/** Whether the running executable is a plain Node that can start a worker process. */
export function hasNodeExecutable(): boolean {
  if (process.versions["bun"] !== undefined || process.versions["electron"] !== undefined) return false;
  return process.getBuiltinModule("node:sea")?.isSea() !== true;
}

/** Holds what a worker says until somebody listens. */
export class Mailbox implements VesselListener {
  #listener: VesselListener | undefined;
  #held: ((listener: VesselListener) => void)[] = [];
  #closed = false;
  #end: VesselEnd | undefined;

  listen(listener: VesselListener): void {
    // A worker can die between two owners; the second must hear of it.
    if (this.#end) return listener.onEnd(this.#end);
    this.#listener = listener;
    const held = this.#held;
    this.#held = [];
    for (const deliver of held) this.#deliver(deliver);
  }

  /** Nothing is delivered from now on. */
  close(): void {
    this.#closed = true;
    this.#held = [];
  }

  onFrame(frame: unknown): void {
    this.#deliver((listener) => listener.onFrame(frame));
  }

  onOutput(stream: "stdout" | "stderr", text: string): void {
    this.#deliver((listener) => listener.onOutput(stream, text));
  }

  onEnd(end: VesselEnd): void {
    if (this.#closed) return;
    if (this.#listener) this.#end = end;
    this.#deliver((listener) => listener.onEnd(end));
    if (this.#listener) this.close();
  }

  #deliver(deliver: (listener: VesselListener) => void): void {
    if (this.#closed) return;
    if (this.#listener) deliver(this.#listener);
    else this.#held.push(deliver);
  }
}
