/**
 * Owns the background children of one pi: starts them, writes their output and record while they run, and gives each
 * its end. A task's life here ends in `#finish`, on every path.
 */

import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "../base/error-text.ts";
import { makePrivateFolder } from "../base/private-file.ts";
import { cutLine } from "../base/plain-text.ts";
import type { DispatchResult } from "../children/dispatch.ts";
import { LiveChildren } from "../children/live-children.ts";
import type { ChildPlan, RunningChild } from "../children/start-child.ts";
import { identifyProcess } from "../base/process-identity.ts";
import { OutputFile } from "./output-file.ts";
import type { Outbox } from "./outbox.ts";
import {
  endStatus,
  isAnnounced,
  LOST_WITH_SESSION,
  moveTask,
  type SpawnSource,
  type StopperKind,
  type TaskChange,
  type TaskOwner,
  type TaskRecord,
  type TaskStatus,
} from "./record.ts";
import { SteadyWriter } from "./steady-writer.ts";
import type { TaskStore } from "./task-store.ts";

const MAX_ERROR_CHARS = 4_096;

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
  outbox: Outbox;
  owner: TaskOwner;
  /** Called once a task has ended and is on disk. */
  onEnd: (record: TaskRecord) => void;
  /** A sentence for the person: something could not be written. */
  onProblem: (problem: string) => void;
}

export class TaskSupervisor {
  /** Set anew when a reloaded extension adopts the children. */
  onEnd: (record: TaskRecord) => void;
  onProblem: (problem: string) => void;
  readonly #options: SupervisorOptions;
  readonly #live = new LiveChildren();
  readonly #tasks = new Map<string, LiveTask & { output: OutputFile; finished: Promise<void> }>();
  readonly #writer = new SteadyWriter((id, problem) => this.#writeFailed(id, problem));
  /** Why tasks that run now will be lost. */
  #losing: string | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.onEnd = options.onEnd;
    this.onProblem = options.onProblem;
  }

  /** Tasks that have not ended, oldest first. */
  running(): LiveTask[] {
    return [...this.#tasks.values()];
  }

  /** Starts a child and its record. The plan is given back whatever happens; nothing is thrown. */
  async start(plan: ChildPlan, start: TaskStart): Promise<{ record: TaskRecord } | { refusal: string }> {
    const { store } = this.#options;
    const record = this.#newRecord(plan, start);
    try {
      store.keep(record);
      await store.save(record);
      // Before the child does, which would let others in.
      await makePrivateFolder(store.paths.taskFolder(start.taskId));
    } catch (error) {
      await store.remove(start.taskId);
      plan.dispose();
      return { refusal: `the task could not be recorded, so nothing was started: ${errorText(error)}` };
    }
    if (this.#losing !== undefined) {
      plan.dispose();
      await store.remove(start.taskId);
      return { refusal: "the session is ending, so nothing was started" };
    }
    return this.#spawn(plan, record);
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
    const task = this.#tasks.get(taskId);
    if (!task || task.record.status !== "running") return;
    this.#move(task, "stopping", { stopReason: reason, stoppedBy: by });
    task.child.stop(`stopped: ${reason}`);
  }

  /** Stops all that run and marks them lost; resolves when they are gone and written. */
  async loseAll(reason: string): Promise<void> {
    this.#losing = reason;
    const tasks = [...this.#tasks.values()];
    for (const { child } of tasks) child.stop("the session ended");
    await Promise.all(tasks.map(({ finished }) => finished));
    this.#losing = undefined;
  }

  /** As `loseAll`; nothing can be started afterwards. */
  async close(): Promise<void> {
    await this.loseAll(LOST_WITH_SESSION);
    this.#losing = LOST_WITH_SESSION;
    await this.#live.close("the session ended");
    await this.#writer.end();
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
    const { store } = this.#options;
    const { id } = first;
    const output = new OutputFile(store.paths.output(id), () => store.step("output-appended", id));
    const child = this.#live.start(plan, {
      onText: (text) => output.append(output.isEmpty ? text : `\n\n${text}`),
    });
    if (child.pid === undefined) {
      const { errorMessage = "the child could not be started" } = await child.result;
      await store.remove(id);
      return { refusal: errorMessage };
    }
    store.step("child-spawned", id);
    const identity = identifyProcess(child.pid);
    const record = { ...first, pid: child.pid, ...(identity ? { pidStartedAt: identity.startedAt } : {}) };
    const task = { record, child, output, finished: Promise.resolve() };
    this.#tasks.set(id, task);
    task.finished = child.result.then((result) => this.#finish(task, result));
    void this.#persist(record);
    return { record };
  }

  async #finish(task: LiveTask & { output: OutputFile }, result: DispatchResult): Promise<void> {
    const { id } = task.record;
    try {
      await task.output.close();
      await this.#keepStderr(id, result.stderr);
      const { status, change } = this.#endOf(task, result);
      const moved = moveTask(task.record, status, Date.now(), change);
      if (moved.ok) task.record = moved.record;
      const { record } = task;
      // Before the record: a crash between the two must not lose the notice.
      if (isAnnounced(record)) await this.#writer.write(`${id}.notice`, () => this.#options.outbox.add(id));
      await this.#persist(record);
      this.#tasks.delete(id);
      this.onEnd(record);
    } catch (error) {
      this.#tasks.delete(id);
      this.onProblem(`task ${id} ended, but not all of it could be kept: ${errorText(error)}`);
    }
  }

  #endOf(
    { record, output }: LiveTask & { output: OutputFile },
    result: DispatchResult,
  ): { status: TaskStatus; change: TaskChange } {
    const isStopping = record.status === "stopping";
    const lostBecause = isStopping || result.status === "fulfilled" ? undefined : this.#losing;
    const status = lostBecause === undefined ? endStatus(result, isStopping) : "lost";
    const warnings = [...(record.warnings ?? []), ...(result.warnings ?? []), ...output.warnings];
    return {
      status,
      change: {
        ...toldBy(result, status),
        durationMs: result.durationMs,
        outputBytes: output.bytes,
        ...(output.preview === "" ? {} : { outputPreview: output.preview }),
        ...(lostBecause === undefined ? {} : { stopReason: lostBecause, errorMessage: lostBecause }),
        ...this.#sessionFileOf(record.id),
        ...(warnings.length > 0 ? { warnings } : {}),
      },
    };
  }

  /** The child had a folder of its own for its session. */
  #sessionFileOf(id: string): { sessionFile?: string } {
    const folder = this.#options.store.paths.session(id);
    try {
      const name = readdirSync(folder).find((file) => file.endsWith(".jsonl"));
      return name === undefined ? {} : { sessionFile: join(folder, name) };
    } catch {
      // It kept no session.
      return {};
    }
  }

  async #keepStderr(id: string, stderr: string | undefined): Promise<void> {
    if (!stderr) return;
    const path = this.#options.store.paths.stderr(id);
    // The end of it also stands in the error message, so a disk that refuses loses little.
    await writeFile(path, stderr, { mode: 0o600 }).catch(() => undefined);
  }

  #move(task: LiveTask, to: TaskStatus, change: TaskChange): void {
    const moved = moveTask(task.record, to, Date.now(), change);
    if (!moved.ok) return;
    task.record = moved.record;
    void this.#persist(task.record);
  }

  #persist(record: TaskRecord): Promise<boolean> {
    this.#options.store.keep(record);
    return this.#writer.write(record.id, () => this.#options.store.save(record));
  }

  #writeFailed(key: string, problem: string): void {
    const id = key.replace(/\.notice$/, "");
    const sentence = `the record of task ${id} could not be written and is tried again: ${problem}`;
    const task = this.#tasks.get(id);
    if (task) task.record = { ...task.record, warnings: [...(task.record.warnings ?? []), sentence] };
    this.onProblem(sentence);
  }
}

/** What the child's result says about its task. Reports and errors of children that were stopped say nothing. */
function toldBy(result: DispatchResult, status: TaskStatus): TaskChange {
  const { usage, report, reportChannel, exitCode, signal, errorMessage } = result;
  const ended = status === "succeeded" || status === "failed";
  return {
    ...(usage ? { usage } : {}),
    ...(ended ? { reportChannel } : {}),
    ...(ended && report ? { report } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(status === "failed" && errorMessage ? { errorMessage: cutLine(errorMessage, MAX_ERROR_CHARS) } : {}),
  };
}
