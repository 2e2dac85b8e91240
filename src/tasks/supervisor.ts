/**
 * Owns the background children of one pi: starts them, writes their output and record while they run, and gives each
 * its end. A task's life here ends in `#finish`, on every path.
 */

import { errorText } from "../base/error-text.ts";
import type { DispatchResult } from "../children/dispatch.ts";
import { LiveChildren } from "../children/live-children.ts";
import type { ChildPlan, RunningChild } from "../children/start-child.ts";
import { makePrivateFolder, replaceFile } from "../base/private-file.ts";
import { identifyProcess } from "../base/process-identity.ts";
import { OutputFile } from "./output-file.ts";
import {
  LOST_WITH_SESSION,
  moveTask,
  type SpawnSource,
  type StopperKind,
  type TaskChange,
  type TaskOwner,
  type TaskRecord,
  type TaskStatus,
} from "./record.ts";
import { endOfTask } from "./task-end.ts";
import type { TaskStore } from "./task-store.ts";
import type { TaskWriter } from "./task-writer.ts";

/** What is known of a task beside its child. */
export interface TaskStart {
  taskId: string;
  label: string;
  depth: number;
  source: SpawnSource;
  parentTaskId: string | undefined;
}

/** A task that runs now. */
export interface LiveTask {
  record: TaskRecord;
  child: RunningChild;
}

export interface SupervisorOptions {
  store: TaskStore;
  writer: TaskWriter;
  owner: TaskOwner;
  /** Called once a task has ended. Must not throw. */
  onEnd: (record: TaskRecord) => void;
  /** A sentence for the person. Must not throw. */
  onProblem: (problem: string) => void;
}

/** What is held of a task while its child lives; its record is the store's. */
interface Held {
  id: string;
  child: RunningChild;
  output: OutputFile;
  /** What brought the child down, where it did not end by itself. */
  cut?: "stop" | "loss";
  finished: Promise<void>;
}

export class TaskSupervisor {
  readonly #options: SupervisorOptions;
  readonly #live = new LiveChildren();
  readonly #tasks = new Map<string, Held>();
  /** Tasks that have a record, but no child yet. */
  readonly #starting = new Map<string, { stopReason?: string }>();
  /** Why tasks that run now will be lost. */
  #losing: string | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Tasks that have not ended, oldest first. */
  running(): LiveTask[] {
    return [...this.#tasks.values()].flatMap(({ id, child }) => {
      const record = this.#options.store.own(id);
      return record ? [{ record, child }] : [];
    });
  }

  /** Starts a child and its record. The plan is given back whatever happens; nothing is thrown. */
  async start(plan: ChildPlan, start: TaskStart): Promise<{ record: TaskRecord } | { refusal: string }> {
    const { store } = this.#options;
    const record = this.#newRecord(plan, start);
    const starting: { stopReason?: string } = {};
    let isWritten = false;
    this.#starting.set(record.id, starting);
    let problem: string | undefined;
    try {
      store.keep(record);
      await store.save(record);
      isWritten = true;
      // Before the child does, which would let others in.
      await makePrivateFolder(store.paths.taskFolder(record.id));
    } catch (error) {
      problem = `the task could not be recorded, so nothing was started: ${errorText(error)}`;
    }
    this.#starting.delete(record.id);
    if (starting.stopReason !== undefined)
      problem ??= `the task was stopped before its child was started: ${starting.stopReason}`;
    if (this.#closed || this.#losing !== undefined)
      problem ??= "the session is ending, so nothing was started";
    if (problem === undefined) return this.#spawn(plan, record);
    plan.dispose();
    return this.#refuse(record, problem, isWritten);
  }

  /** Takes the record away, or, where the disk no longer lets it, ends it. Whoever asked for the task is told right here. */
  async #refuse(record: TaskRecord, refusal: string, isWritten = true): Promise<{ refusal: string }> {
    const { store, writer } = this.#options;
    if ((await store.remove(record.id)) || !isWritten) return { refusal };
    const failed = moveTask(record, "failed", Date.now(), { errorMessage: refusal });
    if (failed.ok) void writer.record(failed.record);
    void writer.told(record.id);
    return { refusal };
  }

  /** Resolves when a task that runs now has ended, or after `maxMs`. The wait keeps pi alive. */
  nextEnd(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, maxMs);
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      for (const { finished } of this.#tasks.values()) void finished.then(wake);
    });
  }

  /** Asks a running task to end. A task that is not ours, or has ended, is left alone. */
  stop(taskId: string, reason: string, by: StopperKind): void {
    const starting = this.#starting.get(taskId);
    if (starting) starting.stopReason ??= reason;
    const task = this.#tasks.get(taskId);
    if (!task || this.#options.store.own(taskId)?.status !== "running") return;
    if (task.child.stop(`stopped: ${reason}`)) task.cut = "stop";
    void this.#move(taskId, "stopping", { stopReason: reason, stoppedBy: by });
  }

  /** Stops all that run and marks them lost; resolves when they are gone and written. */
  async loseAll(reason: string): Promise<void> {
    this.#losing = reason;
    const tasks = [...this.#tasks.values()];
    for (const task of tasks) if (task.child.stop("the session ended")) task.cut = "loss";
    await Promise.all(tasks.map(({ finished }) => finished));
    this.#losing = undefined;
  }

  /** As `loseAll`; nothing can be started afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.loseAll(LOST_WITH_SESSION);
    await this.#live.close("the session ended");
    await this.#options.writer.end();
  }

  #newRecord(plan: ChildPlan, { taskId, label, depth, source, parentTaskId }: TaskStart): TaskRecord {
    const now = Date.now();
    return {
      schema: 1,
      id: taskId,
      status: "running",
      label,
      agentName: plan.agentName,
      depth,
      createdAt: now,
      startedAt: now,
      transitionAt: now,
      outputBytes: 0,
      spawnSource: source,
      owner: this.#options.owner,
      ...(parentTaskId === undefined ? {} : { parentTaskId }),
      ...(plan.readOnly ? { readOnlyTier: "enforced" } : {}),
    };
  }

  async #spawn(plan: ChildPlan, first: TaskRecord): Promise<{ record: TaskRecord } | { refusal: string }> {
    const { store, writer } = this.#options;
    const { id } = first;
    const output = new OutputFile(store.paths.output(id), {
      onAppended: () => this.#appended(id, output.bytes),
      onProblem: (problem) => this.#refused(id, problem),
    });
    const child = this.#live.start(plan, {
      onText: (text) => output.append(output.isEmpty ? text : `\n\n${text}`),
    });
    if (child.pid === undefined) {
      const { errorMessage = "the child could not be started" } = await child.result;
      return this.#refuse(first, errorMessage);
    }
    store.step("child-spawned", id);
    const identity = identifyProcess(child.pid);
    const record = { ...first, pid: child.pid, ...(identity ? { pidStartedAt: identity.startedAt } : {}) };
    const task: Held = { id, child, output, finished: Promise.resolve() };
    this.#tasks.set(id, task);
    task.finished = child.result.then((result) => this.#finish(task, result));
    void writer.record(record);
    return { record };
  }

  /** Tells the size so far without a write for each piece. */
  #appended(id: string, outputBytes: number): void {
    const { store } = this.#options;
    const record = store.own(id);
    if (record && this.#tasks.has(id)) store.keep({ ...record, outputBytes });
    store.step("output-appended", id);
  }

  /** The record is told of it in memory: a disk that refuses output refuses records, too. */
  #refused(id: string, problem: string): void {
    const { store, onProblem } = this.#options;
    const record = store.own(id);
    const warnings = record?.warnings ?? [];
    if (record && !warnings.includes(problem)) store.keep({ ...record, warnings: [...warnings, problem] });
    onProblem(`task ${id}: ${problem}`);
  }

  async #finish(task: Held, result: DispatchResult): Promise<void> {
    const { id } = task;
    const { store, onEnd, onProblem } = this.#options;
    try {
      await task.output.close();
      await this.#keepStderr(id, result.stderr);
      const record = store.own(id);
      if (record) {
        const { status, change } = endOfTask(record, result, {
          cut: task.cut,
          output: task.output,
          lossReason: this.#losing ?? LOST_WITH_SESSION,
          sessionFolder: store.paths.session(id),
        });
        await this.#move(id, status, change);
      }
    } catch (error) {
      onProblem(`task ${id} ended, but not all of it could be kept: ${errorText(error)}`);
    }
    this.#tasks.delete(id);
    const record = store.own(id);
    // Without a record another pi goes on with the task.
    if (record) onEnd(record);
  }

  async #keepStderr(id: string, stderr: string | undefined): Promise<void> {
    if (!stderr) return;
    const path = this.#options.store.paths.stderr(id);
    await replaceFile(path, stderr).catch((error: unknown) =>
      // The end of it also stands in the error message, so it is not tried again.
      this.#refused(id, `standard error could not be written: ${errorText(error)}`),
    );
  }

  async #move(id: string, to: TaskStatus, change: TaskChange): Promise<void> {
    const { store, writer } = this.#options;
    const record = store.own(id);
    const moved = record && moveTask(record, to, Date.now(), change);
    if (moved?.ok) await writer.record(moved.record);
  }
}
