/** A counter of slots with a first-in first-out queue. Acquiring returns its own release. */

/** Gives one slot back; calling it again does nothing. */
export type Release = () => void;

/** Why a wait ended without a slot. */
export class SlotWaitError extends Error {
  readonly reason: "timeout" | "abort" | "closed";
  constructor(reason: "timeout" | "abort" | "closed", message: string) {
    super(message);
    this.reason = reason;
  }
}

interface Waiter {
  grant(release: Release): void;
  refuse(error: SlotWaitError): void;
}

/** `size` slots; who waits is served in the order of asking. */
export class Slots {
  readonly #size: number;
  readonly #waiters = new Set<Waiter>();
  #used = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** A slot at once, or undefined when none is free. */
  tryAcquire(): Release | undefined {
    if (this.#used >= this.#size) return undefined;
    this.#used += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#used -= 1;
      this.#grantNext();
    };
  }

  /** A slot in arrival order. Rejects with `SlotWaitError` after `waitMs`, on abort, or on `refuseAll`. */
  acquire(waitMs: number, signal?: AbortSignal): Promise<Release> {
    if (signal?.aborted)
      return Promise.reject(new SlotWaitError("abort", "aborted while waiting for a slot"));
    const free = this.tryAcquire();
    if (free) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        grant: (release) => (settle(), resolve(release)),
        refuse: (error) => (settle(), reject(error)),
      };
      const onAbort = (): void =>
        waiter.refuse(new SlotWaitError("abort", "aborted while waiting for a slot"));
      const timer = setTimeout(
        () => waiter.refuse(new SlotWaitError("timeout", `timed out after ${waitMs} ms`)),
        waitMs,
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** Ends every wait. */
  refuseAll(message: string): void {
    for (const waiter of [...this.#waiters]) waiter.refuse(new SlotWaitError("closed", message));
  }

  #grantNext(): void {
    const [next] = this.#waiters;
    if (!next) return;
    const release = this.tryAcquire();
    if (release) next.grant(release);
  }
}
