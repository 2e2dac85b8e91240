/**
 * Workers booted ahead. A spare belongs to one folder; it is handed out once, refilled after the
 * program that took it, and ended when nobody asked for one for a while. It never keeps pi alive.
 */

import { cleanText } from "../base/plain-text.ts";
import { asWorkerFrame, PROTOCOL_VERSION } from "../worker/protocol.ts";
import type { Vessel, VesselEnd, VesselListener } from "./vessel.ts";

/** Idle spares are ended after this long without a turn or a program. */
const IDLE_MS = 120_000;
const BOOT_MS = 30_000;
/** The end of what a worker that cannot start prints is enough to say why. */
const MAX_SAID_CHARS = 1_000;

/** A worker that said it is ready. */
export type BootResult = { ok: true; vessel: Vessel } | { ok: false; end: VesselEnd };

interface Spare {
  cwd: string;
  vessel: Vessel;
  booted: Promise<BootResult>;
}

/** The spares of one session. */
export class Spares {
  readonly #wanted: number;
  readonly #open: (cwd: string) => Vessel;
  readonly #onRest: () => void;
  readonly #spares = new Set<Spare>();
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  /** `open` starts one worker; `onRest` is called when the idle spares were ended. */
  constructor(wanted: number, open: (cwd: string) => Vessel, onRest: () => void) {
    this.#wanted = wanted;
    this.#open = open;
    this.#onRest = onRest;
  }

  /** Boots what is missing for `cwd`, and puts off the rest. */
  fill(cwd: string): void {
    if (this.#closing.signal.aborted) return;
    this.#putOffRest();
    let count = 0;
    for (const spare of this.#spares) {
      if (spare.cwd === cwd) count += 1;
      else this.#drop(spare);
    }
    for (; count < this.#wanted; count += 1) this.#add(cwd);
  }

  /** Resolves when every spare of `cwd` is ready or lost. */
  async filled(cwd: string): Promise<void> {
    this.fill(cwd);
    await Promise.all([...this.#spares].map((spare) => spare.booted));
  }

  /** A ready worker: a spare when there is one, else a fresh one. */
  async take(cwd: string): Promise<BootResult> {
    this.#putOffRest();
    for (const spare of this.#spares) {
      if (spare.cwd !== cwd) continue;
      this.#spares.delete(spare);
      spare.vessel.hold(true);
      const result = await spare.booted;
      // A spare can have died while it was idle; a fresh one tells whether that is a lasting fault.
      if (result.ok) return result;
    }
    const vessel = this.#open(cwd);
    vessel.hold(true);
    return this.#boot(vessel);
  }

  /** Ends all spares for good. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idleTimer);
    await this.#endAll();
  }

  #add(cwd: string): void {
    const vessel = this.#open(cwd);
    const spare: Spare = { cwd, vessel, booted: this.#boot(vessel, () => this.#spares.delete(spare)) };
    this.#spares.add(spare);
  }

  #drop(spare: Spare): void {
    this.#spares.delete(spare);
    void spare.vessel.end();
  }

  #putOffRest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      void this.#endAll();
      this.#onRest();
    }, IDLE_MS).unref();
  }

  async #endAll(): Promise<void> {
    const spares = [...this.#spares];
    this.#spares.clear();
    await Promise.all(spares.map((spare) => spare.vessel.end()));
  }

  /** Waits for a worker's first frame and checks its version. `onLost` is told of an end while it stands by. */
  #boot(vessel: Vessel, onLost: () => void = () => undefined): Promise<BootResult> {
    const { signal } = this.#closing;
    return boot(vessel, signal, onLost);
  }
}

function boot(vessel: Vessel, signal: AbortSignal, onLost: () => void): Promise<BootResult> {
  return new Promise((resolve) => {
    let said = "";
    const refuse = (end: VesselEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onClose);
      onLost();
      void vessel.end();
      const message = said ? `${end.message}; it said: ${cleanText(said).trim()}` : end.message;
      resolve({ ok: false, end: { ...end, message } });
    };
    const onClose = (): void => refuse({ kind: "refused", message: "the session ended" });
    signal.addEventListener("abort", onClose, { once: true });
    const timer = setTimeout(
      () => refuse({ kind: "refused", message: `the worker was not ready after ${BOOT_MS} ms` }),
      BOOT_MS,
    ).unref();
    const listener: VesselListener = {
      onFrame: (value) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onClose);
        const frame = asWorkerFrame(value);
        if (frame?.kind === "ready" && frame.version === PROTOCOL_VERSION) resolve({ ok: true, vessel });
        else
          refuse({
            kind: "refused",
            message: versionProblem(frame?.kind === "ready" ? frame.version : undefined),
          });
      },
      onOutput: (_stream, text) => (said = (said + text).slice(-MAX_SAID_CHARS)),
      onEnd: refuse,
    };
    vessel.listen(listener);
  });
}

function versionProblem(version: number | undefined): string {
  const found = version === undefined ? "no version" : `version ${version}`;
  return `the worker speaks ${found} of the frames, this pi speaks ${PROTOCOL_VERSION}: the package was updated under a running pi; restart pi`;
}
