/**
 * One program in one VM, seen from its thread. Every entry into the VM is a stretch: it runs until all jobs are done.
 * A stretch that began before an order to stop cannot hear of it, so it is ended a moment later; one that began after
 * it has its grace. The first last frame ends the run, whether the VM sends it or, when it cannot, this side does.
 */

import { GUEST_FILE, type GuestApi } from "./guest-engine.ts";
import type { DoneFrame, WorkerErrorKind } from "./protocol.ts";
import type { QuickjsParts, QuickjsThreadData } from "./quickjs-main.ts";
import { valueText } from "./value-text.ts";
import type { Value } from "./quickjs-exports.ts";
import { QuickjsVm, VmError, type VmHooks } from "./quickjs-vm.ts";

const MIB = 1_048_576;
/** The build's stack has 1 MiB; QuickJS looks at its depth only now and then. */
const STACK_BYTES = 524_288;
/** What a VM without memory gets to say so. */
const RESERVE_BYTES = 4 * MIB;
/** A heap that holds more of its limit has no room left for what was asked last. */
const FULL_SHARE = 0.5;
/** How long a stretch may go on after an order to stop. */
const STOP_MS = 100;
const SLOT = "ptcGuest";
const API = ["receive", "idle", "tick", "reject", "fail", "rehearse"] satisfies (keyof GuestApi)[];

type Api = Record<(typeof API)[number], Value>;

export class QuickjsRun {
  readonly #send: (json: string) => void;
  readonly #stops: Int32Array<SharedArrayBuffer>;
  readonly #heapBytes: number;
  #vm: QuickjsVm | undefined;
  #api: Api | undefined;
  #ended = false;
  #stopsSeen = 0;
  /** When a look first found an order to stop in this stretch. */
  #stopAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The VM wants `tick` before the thread turns to its messages. */
  #tickNow = false;

  private constructor(data: QuickjsThreadData, send: (json: string) => void) {
    this.#send = send;
    this.#stops = data.stops;
    this.#heapBytes = data.heapMb * MIB;
  }

  /** Makes the VM and loads our script. Rejects when that fails. */
  static async open(
    parts: QuickjsParts,
    data: QuickjsThreadData,
    send: (json: string) => void,
  ): Promise<QuickjsRun> {
    const run = new QuickjsRun(data, send);
    const vm = await QuickjsVm.open(parts.module, run.#hooks(), {
      heapBytes: run.#heapBytes,
      stackBytes: STACK_BYTES,
    });
    run.#vm = vm;
    vm.set(vm.global, SLOT, vm.hostObject({ memoryMessage: memoryMessage(data.heapMb) }));
    vm.free(vm.evaluate(parts.guest, "ptc-guest.js"));
    const api = vm.get(vm.global, SLOT);
    run.#api = Object.fromEntries(API.map((name) => [name, vm.get(api, name)])) as Api;
    vm.free(vm.evaluate(`delete globalThis.${SLOT}`, "ptc-guest.js"));
    return run;
  }

  /** Hands a frame of pi to the VM. */
  receive(json: string): void {
    this.#stretch((vm, api) => {
      const text = vm.text(json);
      try {
        vm.call(api.receive, text);
      } finally {
        vm.free(text);
      }
    });
  }

  /** Runs once what every program needs. */
  rehearse(): void {
    this.#stretch((vm, api) => vm.call(api.rehearse));
  }

  #hooks(): VmHooks {
    return {
      functions: new Map<string, (text: string) => Value | void>([
        ["post", (json) => void (this.#ended || this.#send(json))],
        ["end", (json) => this.#end(json)],
        ["wake", (ms) => this.#wake(Number(ms))],
        ["compile", (code) => this.#compile(code)],
        ["show", (request) => this.#vm?.text(`${this.#show(request)}`)],
        ["isFull", () => this.#vm?.copy(this.#vm.boolean(this.#isFull(this.#vm)))],
      ]),
      shouldStop: () => this.#shouldStop(),
      onRejection: (promise, reason, isHandled) => this.#onRejection(promise, reason, isHandled),
    };
  }

  /** Enters the VM, and leaves it when nothing is left to do before the next message or timer. */
  #stretch(enter: (vm: QuickjsVm, api: Api) => void): void {
    const [vm, api] = [this.#vm, this.#api];
    if (this.#ended || !vm || !api) return;
    this.#stopsSeen = Atomics.load(this.#stops, 0);
    this.#stopAt = undefined;
    try {
      this.#settle(vm, api, () => enter(vm, api));
      while (this.#tickNow && !this.#mustStop()) {
        this.#tickNow = false;
        this.#settle(vm, api, () => vm.call(api.tick));
      }
    } catch (error) {
      this.#giveUp("exception", `the engine failed: ${(error as Error).message}`);
    }
    if (this.#mustStop()) this.#giveUp("exception", "the program was interrupted");
  }

  /** One step and all jobs that follow from it. What the VM could not catch itself is told to the run in it. */
  #settle(vm: QuickjsVm, api: Api, step: () => void): void {
    try {
      step();
      for (let more = true; more && !this.#mustStop(); more = vm.hasJobs) {
        vm.runJobs();
        vm.call(api.idle);
      }
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      if (!this.#mustStop()) this.#tellFailure(vm, api, error.value);
      vm.free(error.value);
    }
  }

  /** Only want of memory gets here, or an engine at its end. */
  #tellFailure(vm: QuickjsVm, api: Api, thrown: Value): void {
    const isFull = this.#isFull(vm);
    vm.limitHeap(this.#heapBytes + RESERVE_BYTES);
    try {
      vm.call(api.fail, thrown);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      vm.free(error.value);
    }
    if (this.#ended) return;
    if (isFull) this.#giveUp("out-of-memory", memoryMessage(this.#heapBytes / MIB));
    else this.#giveUp("exception", "the program broke what would have told how it failed");
  }

  #isFull(vm: QuickjsVm): boolean {
    return vm.heapUsed > this.#heapBytes * FULL_SHARE;
  }

  #onRejection(promise: Value, reason: Value, isHandled: boolean): void {
    const [vm, api] = [this.#vm, this.#api];
    if (!vm || !api) return;
    try {
      vm.call(api.reject, promise, reason, vm.boolean(isHandled));
    } catch (error) {
      // No memory to note it: the next thing the program does fails the same way.
      if (!(error instanceof VmError)) throw error;
      vm.free(error.value);
    }
  }

  #compile(code: string): Value {
    const vm = this.#vm as QuickjsVm;
    const value = vm.evaluateRaw(code, GUEST_FILE);
    if (!vm.isException(value)) return value;
    vm.free(value);
    return 0;
  }

  /** In plain Node this takes a tenth of the time. */
  #show(request: string): number {
    const colon = request.indexOf(":");
    const maxBytes = Number(request.slice(0, colon));
    let bytes = 0;
    for (const text of valueText(JSON.parse(request.slice(colon + 1)))) {
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > maxBytes || this.#ended) break;
      this.#send(JSON.stringify({ kind: "value", text }));
    }
    return bytes;
  }

  #wake(ms: number): void {
    clearTimeout(this.#timer);
    this.#tickNow = ms === 0;
    if (ms > 0) this.#timer = setTimeout(() => this.#stretch((vm, api) => vm.call(api.tick)), ms);
  }

  #mustStop(): boolean {
    return this.#stopAt !== undefined && performance.now() >= this.#stopAt;
  }

  #shouldStop(): boolean {
    if (Atomics.load(this.#stops, 0) !== this.#stopsSeen) this.#stopAt ??= performance.now() + STOP_MS;
    return this.#mustStop();
  }

  #giveUp(kind: WorkerErrorKind, message: string): void {
    const frame: DoneFrame = {
      kind: "done",
      error: { kind, message, excerpt: "" },
      jsonOmitted: false,
      warnings: [],
      store: {},
    };
    this.#end(JSON.stringify(frame));
  }

  #end(json: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#send(json);
  }
}

const memoryMessage = (heapMb: number): string =>
  `the program needed more memory than a heap of ${heapMb} MiB (maxOldGenerationSizeMb); work on smaller pieces`;
