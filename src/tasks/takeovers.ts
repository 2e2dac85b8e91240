/** The recoveries of one session: one when it starts, and later one for each pi on it that is seen to be gone. */

import type { TaskOwner } from "./record.ts";
import { type Recovery, type RecoveryParts, recoverTasks } from "./recovery.ts";

export class Takeovers {
  readonly #parts: RecoveryParts;
  readonly #onRecovery: (recovery: Recovery, isLate: boolean) => void;
  readonly #late = new Map<string, Promise<unknown>>();
  readonly #done = new Set<string>();
  /** Sentences that were told. */
  readonly #warned = new Set<string>();
  #orphansEnded: Promise<unknown> = Promise.resolve();

  /** `onRecovery` gets only warnings that are new. Must not throw. */
  constructor(parts: RecoveryParts, onRecovery: (recovery: Recovery, isLate: boolean) => void) {
    this.#parts = parts;
    this.#onRecovery = onRecovery;
  }

  /** Resolves when the children of the dead are gone. */
  get orphansEnded(): Promise<unknown> {
    return this.#orphansEnded;
  }

  /** Takes over what the dead left. Never rejects. */
  async recover(isLate = false): Promise<Recovery> {
    const { warnings, ...found } = await recoverTasks(this.#parts);
    this.#orphansEnded = Promise.all([this.#orphansEnded, found.orphansEnded]);
    const recovery = { ...found, warnings: warnings.filter((warning) => !this.#warned.has(warning)) };
    for (const warning of warnings) this.#warned.add(warning);
    this.#onRecovery(recovery, isLate);
    return recovery;
  }

  /** Has this owner been recovered from, as far as that could be done? */
  isDone({ id }: TaskOwner): boolean {
    return this.#done.has(id);
  }

  /** As `recover`, once for each owner: what the disk refuses is left to the next session. */
  async recoverFrom({ id }: TaskOwner): Promise<void> {
    const recovery = this.#late.get(id) ?? this.recover(true);
    this.#late.set(id, recovery);
    await recovery;
    this.#done.add(id);
  }
}
