/**
 * A worker in a process of its own, leading its own group. One owner, one end: `end()` or the
 * process's own exit, whichever is first. Measured against a thread: 12 ms instead of 2 for a small
 * program, but nothing a program does can take pi down.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { fileURLToPath } from "node:url";
import { encodeFrames, FrameReader } from "../base/frame-codec.ts";
import { residentBytes, signalTree } from "../base/process-tree.ts";
import type { HostFrame } from "../worker/protocol.ts";
import { CrashText } from "./crash-text.ts";
import {
  builtUrl,
  encodeHostFrame,
  Mailbox,
  type Vessel,
  type VesselEnd,
  type VesselListener,
  type VesselOptions,
  workerEnvironment,
} from "./vessel.ts";

const MEMORY_CHECK_MS = 100;
const LAST_WORDS_MS = 250;
/** A shell between pi and the worker would report an abort so. */
const ABORT_CODE = 134;
/** The young generation is three semi-spaces. */
const SEMI_SPACES = 3;

/** Spawns in the constructor; a spawn that fails is a `refused` end. */
export class ProcessVessel implements Vessel {
  readonly kind = "process";
  readonly #mailbox = new Mailbox();
  readonly #options: VesselOptions;
  #child: ChildProcess | undefined;
  #gone: Promise<void> = Promise.resolve();
  #markGone: () => void = () => undefined;
  #ended = false;
  #overMemory = false;
  readonly #crashText = new CrashText((text) => this.#mailbox.onOutput("stderr", text));
  #memoryTimer: NodeJS.Timeout | undefined;

  constructor(options: VesselOptions) {
    this.#options = options;
    try {
      this.#child = this.#spawn();
      this.#watch(this.#child);
    } catch (error) {
      this.#fail({ kind: "refused", message: spawnProblem(error, options.cwd) });
    }
  }

  /** Id of the process; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  listen(listener: VesselListener): void {
    this.#mailbox.listen(listener);
  }

  post(frame: HostFrame): string | undefined {
    const encoded = encodeHostFrame(frame, this.#options.maxMessageBytes);
    if ("problem" in encoded) return encoded.problem;
    const pipe = this.#child?.stdio[3] as Socket | undefined;
    if (!this.#ended && pipe?.writable) pipe.write(encodeFrames([encoded.json]));
    return undefined;
  }

  hold(held: boolean): void {
    const child = this.#child;
    if (!child) return;
    const handles = [child, ...(child.stdio ?? []).filter((stream) => stream !== null)] as {
      ref?(): void;
      unref?(): void;
    }[];
    for (const handle of handles) held ? handle.ref?.() : handle.unref?.();
    clearInterval(this.#memoryTimer);
    if (held && !this.#ended)
      this.#memoryTimer = setInterval(() => this.#checkMemory(), MEMORY_CHECK_MS).unref();
  }

  flush(): void {
    this.#crashText.release();
  }

  end(): Promise<void> {
    this.#mailbox.close();
    this.#kill();
    return this.#gone;
  }

  #spawn(): ChildProcess {
    const { maxOldGenerationSizeMb, maxYoungGenerationSizeMb, maxMessageBytes, cwd } = this.#options;
    const flags = [
      `--max-old-space-size=${maxOldGenerationSizeMb}`,
      `--max-semi-space-size=${Math.max(1, Math.floor(maxYoungGenerationSizeMb / SEMI_SPACES))}`,
      "--disable-warning=ExperimentalWarning",
    ];
    const entry = fileURLToPath(builtUrl("worker.cjs"));
    return spawn(process.execPath, [...flags, entry, String(maxMessageBytes)], {
      cwd,
      detached: true,
      env: workerEnvironment(),
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    });
  }

  #watch(child: ChildProcess): void {
    this.#gone = new Promise((resolve) => {
      this.#markGone = () => {
        this.#options.onGone();
        resolve();
      };
    });
    child.once("error", (error) => {
      this.#fail({ kind: "refused", message: spawnProblem(error, this.#options.cwd) });
      if (child.pid === undefined) this.#markGone();
    });
    // Without descriptors to spare, Node makes no pipes, and the error follows.
    if (child.pid === undefined || !child.stdio) return;
    const reader = new FrameReader(
      this.#options.maxMessageBytes,
      (frame) => this.#mailbox.onFrame(frame),
      (problem) => this.#fail({ kind: "protocol", message: `the program broke the line to pi: ${problem}` }),
      true,
    );
    const [, stdout, stderr, input, output] = child.stdio as unknown as [
      null,
      Socket,
      Socket,
      Socket,
      Socket,
    ];
    output.on("data", (chunk: Buffer) => reader.push(chunk));
    for (const stream of [stdout, stderr, input, output]) {
      // A broken pipe only announces the exit, which has its own event.
      stream.on("error", () => undefined);
    }
    readText(stdout, (text) => this.#mailbox.onOutput("stdout", text));
    readText(stderr, (text) => this.#crashText.push(text));
    child.once("exit", (code, signal) => this.#onExit([output, stderr], code, signal));
    this.hold(false);
  }

  /** What was written last may still be on its way; `close` may never come when a grandchild holds a pipe. */
  #onExit(streams: readonly Socket[], code: number | null, signal: NodeJS.Signals | null): void {
    this.#markGone();
    const settle = (): void => this.#fail(this.#describeExit(code, signal));
    const closed = streams.map((stream) => stream.destroyed || once(stream, "close"));
    void Promise.all(closed).then(settle, settle);
    setTimeout(settle, LAST_WORDS_MS).unref();
  }

  #checkMemory(): void {
    const pid = this.#child?.pid;
    const bytes = pid === undefined || this.#ended ? undefined : residentBytes(pid);
    if (bytes === undefined || bytes <= this.#options.maxMemoryMb * 1_048_576) return;
    this.#overMemory = true;
    this.#fail(this.#outOfMemory());
  }

  #outOfMemory(): VesselEnd {
    const { maxMemoryMb, maxOldGenerationSizeMb } = this.#options;
    const limit = this.#overMemory
      ? `${maxMemoryMb} MiB (maxMemoryMb)`
      : `a heap of ${maxOldGenerationSizeMb} MiB (maxOldGenerationSizeMb)`;
    return {
      kind: "out-of-memory",
      message: `the program needed more memory than ${limit}; work on smaller pieces`,
    };
  }

  #describeExit(code: number | null, signal: NodeJS.Signals | null): VesselEnd {
    const aborted = signal === "SIGABRT" || code === ABORT_CODE;
    if (this.#crashText.explains(aborted)) return this.#outOfMemory();
    const how = signal ?? (aborted ? "SIGABRT" : undefined);
    const message = how
      ? `the program's process was ended by ${how}`
      : `the program's process exited with code ${code ?? 0} before the program returned`;
    return { kind: "worker-exit", message };
  }

  #fail(end: VesselEnd): void {
    this.#mailbox.onEnd(end);
    this.#kill();
  }

  #kill(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#memoryTimer);
    const child = this.#child;
    if (child?.pid === undefined) return;
    if (child.exitCode === null && child.signalCode === null) signalTree(child.pid, "SIGKILL");
    else signalGroup(child.pid);
    for (const stream of child.stdio) stream?.destroy();
    // Whoever awaits the end must hear of it, even when nothing else keeps Node running.
    if (child.exitCode === null && child.signalCode === null) child.ref();
  }
}

function readText(stream: Socket, emit: (text: string) => void): void {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (chunk: Buffer) => emit(decoder.write(chunk)));
}

/** A group outlives its leader while members live, so its id cannot have been reused for another group. */
function signalGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

function spawnProblem(error: unknown, cwd: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR")
    return `no worker could be started in "${cwd}" (${code}); does the folder exist?`;
  return `no worker could be started: ${message}`;
}
