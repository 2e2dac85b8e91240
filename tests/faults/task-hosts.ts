/** Processes that own tasks in one folder, each driven by its orders. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TaskAnswer, TaskOrder } from "../fixtures/task-host.ts";

const HOST = fileURLToPath(new URL("../fixtures/task-host.ts", import.meta.url));

export class TaskHost {
  readonly pid: number;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  /** `limits` is shell text that runs first. */
  constructor(root: string, limits = "") {
    const command = `${limits} exec "$0" "$1" "$2"`;
    this.#process = spawn("sh", ["-c", command, process.execPath, HOST, root]);
    this.pid = this.#process.pid as number;
    this.#reader = createInterface({ input: this.#process.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.#process.stderr.pipe(process.stderr);
  }

  async order(order: TaskOrder): Promise<TaskAnswer> {
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the host has ended");
    return JSON.parse(value) as TaskAnswer;
  }

  /** Ends it, by default as a crash would. */
  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill(signal);
      await once(this.#process, "exit");
    }
    this.#reader.close();
  }
}
