/**
 * Brings what this pi knows of its tasks to disk: the notice before the record that ends a task, so that a crash between
 * the two loses nothing. What the disk refuses is noted in the record and tried again, in the same order.
 */

import { isClaimed } from "./claim.ts";
import type { Outbox } from "./outbox.ts";
import { isAnnounced, type TaskRecord } from "./record.ts";
import { SteadyWriter } from "./steady-writer.ts";
import type { TaskStore } from "./task-store.ts";

const MAX_WARNINGS = 20;

export interface TaskWriterOptions {
  store: TaskStore;
  outbox: Outbox;
  /** A sentence for the person: something could not be written. Must not throw. */
  onProblem: (problem: string) => void;
}

export class TaskWriter {
  readonly #options: TaskWriterOptions;
  readonly #writer = new SteadyWriter((id, problem) => this.#refused(id, problem));
  readonly #changed = new Set<string>();
  /** Ends whose notice is not on disk yet. */
  readonly #owed = new Set<string>();
  /** Ends that the model knows of. */
  readonly #told = new Set<string>();

  constructor(options: TaskWriterOptions) {
    this.#options = options;
  }

  /** Takes the record as the truth. Resolves when it is on disk (true) or will be tried again (false). */
  record(record: TaskRecord): Promise<boolean> {
    const { id } = record;
    this.#options.store.keep(record);
    this.#changed.add(id);
    if (isAnnounced(record)) this.#owed.add(id);
    return this.#writer.write(id, () => this.#bring(id));
  }

  /** The model knows of the end. Resolves as `record` does. */
  told(id: string): Promise<boolean> {
    this.#told.add(id);
    this.#owed.delete(id);
    return this.#writer.write(id, () => this.#bring(id));
  }

  /** Was `told` called for it? */
  isTold(id: string): boolean {
    return this.#told.has(id);
  }

  /** Everything is tried once more, then never again. */
  end(): Promise<void> {
    return this.#writer.end();
  }

  /** Records that the disk lacks. */
  get unwritten(): number {
    return this.#changed.size;
  }

  async #bring(id: string): Promise<void> {
    const { store, outbox } = this.#options;
    const record = store.own(id);
    // Where only its heartbeat shows that an owner lives, it can have been given up for dead.
    if (record && isClaimed(store.paths, record)) return this.#drop(id);
    if (this.#owed.has(id)) {
      await outbox.add(id);
      this.#owed.delete(id);
    }
    if (record && this.#changed.has(id)) {
      await store.save(record);
      if (store.own(id) === record) this.#changed.delete(id);
    }
    if (this.#told.has(id)) await outbox.remove(id);
  }

  /** Another pi goes on with the task: what stands on disk is the truth. */
  #drop(id: string): void {
    this.#changed.delete(id);
    this.#owed.delete(id);
    this.#options.store.forget(id);
  }

  #refused(id: string, problem: string): void {
    const { store, onProblem } = this.#options;
    const sentence = `task ${id} could not be written to disk, which is tried again: ${problem}`;
    const record = store.own(id);
    const warnings = record?.warnings ?? [];
    if (record && warnings.length < MAX_WARNINGS && !warnings.includes(sentence))
      store.keep({ ...record, warnings: [...warnings, sentence] });
    onProblem(sentence);
  }
}
