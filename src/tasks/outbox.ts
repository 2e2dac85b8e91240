/** Ends that the model was not told of, one file each: written before the record ends, removed once it answered. */

import { existsSync, readdirSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { isPlainFolder, makePrivateFolder, replaceFile } from "../base/private-file.ts";
import { taskIdOf } from "./task-paths.ts";
import type { TaskStore } from "./task-store.ts";

export class Outbox {
  readonly #store: TaskStore;

  constructor(store: TaskStore) {
    this.#store = store;
  }

  /** Notes an end. Rejects when the disk refuses. */
  async add(taskId: string): Promise<void> {
    const { paths } = this.#store;
    await makePrivateFolder(paths.outbox);
    await replaceFile(paths.notice(taskId), JSON.stringify({ schema: 1, id: taskId }));
    this.#store.step("outbox-written", taskId);
  }

  /** Oldest first. */
  ids(): string[] {
    const { outbox } = this.#store.paths;
    try {
      if (!isPlainFolder(outbox)) return [];
      return readdirSync(outbox)
        .flatMap((name) => taskIdOf(name) ?? [])
        .toSorted();
    } catch {
      // Nothing was ever noted, or writing will say what is wrong.
      return [];
    }
  }

  /** Is the end still to be told? */
  has(taskId: string): boolean {
    return existsSync(this.#store.paths.notice(taskId));
  }

  /** The model knows. Rejects when the disk refuses. */
  async remove(taskId: string): Promise<void> {
    this.#store.step("outbox-removing", taskId);
    await unlink(this.#store.paths.notice(taskId)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}
