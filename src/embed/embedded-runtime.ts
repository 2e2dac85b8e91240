/**
 * Children and background tasks of programs without a pi session: one counter of slots, and tasks that outlive their
 * program and end with `close`.
 */

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import * as typebox from "typebox";
import * as typeboxCompile from "typebox/compile";
import * as typeboxValue from "typebox/value";
import { DEFAULT_CONFIG, LIMIT_RANGES, rangeProblem } from "../base/limits.ts";
import { resolveRetention, retentionProblem } from "../base/retention-ranges.ts";
import { DispatchSlots } from "../children/dispatch-slots.ts";
import type { DispatchHandle } from "../children/dispatch.ts";
import type { BackgroundPlace, BackgroundPlan } from "../children/plan-child.ts";
import type { ChildPlan } from "../children/start-child.ts";
import { isTerminal, TASK_STATUSES, type TaskRecord, type TaskStatus } from "../tasks/record.ts";
import { createRecordCheck } from "../tasks/record-schema.ts";
import { SessionTasks } from "../tasks/session-tasks.ts";
import { sessionTasksFolder } from "../tasks/task-paths.ts";
import { temporaryTasksFolder } from "../tasks/temporary-tasks.ts";
import { ARRAY, FUNCTION, refuse, type Shape, shapeProblems, type Shapes, TEXT } from "./check-shape.ts";
import type { BackgroundTaskRuntime, BackgroundTaskRuntimeOptions } from "./background-runtime.ts";

const CALLER = "createBackgroundTaskRuntime";
const DEFAULT_SESSION = "embedded";
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const DEFAULT_WINDOW_BYTES = 51_200;
const MAX_WINDOW_BYTES = 1_048_576;

/** What `runPtcProgram` knows of a runtime beside what embedders do. */
export class EmbeddedRuntime implements BackgroundTaskRuntime {
  readonly #tasks: SessionTasks;
  readonly #slots: DispatchSlots;
  readonly #isTemporary: boolean;
  readonly #ready: Promise<void>;
  #pruned: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: BackgroundTaskRuntimeOptions) {
    const { sessionDir, sessionId = DEFAULT_SESSION, concurrency, onEnd, onProblem } = checked(options);
    this.#isTemporary = sessionDir === undefined;
    const folder =
      sessionDir === undefined ? temporaryTasksFolder() : sessionTasksFolder(resolve(sessionDir), sessionId);
    const { dispatchConcurrency, maxDispatchDepth } = DEFAULT_CONFIG;
    this.#slots = new DispatchSlots({
      dispatchConcurrency: concurrency ?? dispatchConcurrency,
      maxDispatchDepth,
    });
    this.#tasks = new SessionTasks({
      folder,
      check: createRecordCheck({ typebox, typeboxCompile, typeboxValue }),
    });
    if (onProblem) this.#tasks.onProblem = onProblem;
    this.#tasks.onEnd = (record) => {
      try {
        onEnd?.(record);
      } finally {
        // Whoever embeds is told here and nowhere else.
        void this.#tasks.told([record.id]);
      }
    };
    this.#ready = this.#open(resolveRetention(options.retention));
  }

  /** The one counter of children. Throws once the runtime is closed. */
  slots(): DispatchSlots {
    if (this.#closing) throw new Error("the background task runtime was closed");
    return this.#slots;
  }

  /** How background children are kept. */
  place(): BackgroundPlace {
    return {
      newId: () => this.#tasks.newId(),
      sessionDir: (taskId) => (this.#isTemporary ? undefined : this.#tasks.childSessionDir(taskId)),
    };
  }

  /** Starts a planned background child. */
  async start(
    plan: ChildPlan,
    { taskId, label, depth }: BackgroundPlan,
    parentTaskId: string | undefined,
  ): Promise<DispatchHandle | { refusal: string }> {
    const source = { kind: "program", callerId: randomUUID() } as const;
    const started = await this.#tasks.start(plan, { taskId, label, depth, source, parentTaskId });
    return "refusal" in started ? started : { taskId, label, status: "running" };
  }

  async list(query: { status?: readonly TaskStatus[]; limit?: number } = {}) {
    refuse("list", shapeProblems("options", query, QUERY));
    const { status, limit = DEFAULT_LIMIT } = query;
    mustBeWhole("limit", limit, { min: 1, max: MAX_LIMIT });
    const unknown = status?.find((name) => !TASK_STATUSES.includes(name));
    if (unknown !== undefined)
      throw new TypeError(
        `status is ${JSON.stringify(unknown)}; it must be one of ${TASK_STATUSES.join(", ")}`,
      );
    await this.#ready;
    const { records, warnings } = await this.#tasks.page({
      limit,
      ...(status?.length ? { statuses: status } : {}),
    });
    return { tasks: records, warnings };
  }

  async output(taskId: string, window: { sinceBytes?: number; maxBytes?: number } = {}) {
    refuse("output", shapeProblems("options", window, WINDOW));
    const { sinceBytes = 0, maxBytes = DEFAULT_WINDOW_BYTES } = window;
    mustBeWhole("sinceBytes", sinceBytes, { min: 0, max: Number.MAX_SAFE_INTEGER });
    mustBeWhole("maxBytes", maxBytes, { min: 1, max: MAX_WINDOW_BYTES });
    await this.#ready;
    const task = this.#find(taskId);
    const part = this.#tasks.output(task, { since: sinceBytes, maxBytes });
    if (!part.ok) throw new Error(part.problem);
    const mayGoOn = part.end < part.size || !isTerminal(task.status);
    return { task, output: part.text, outputBytes: part.size, ...(mayGoOn ? { nextOffset: part.end } : {}) };
  }

  async stop(taskId: string, reason = "stopped"): Promise<TaskRecord> {
    await this.#ready;
    const reply = await this.#tasks.stop(taskId, String(reason), "person");
    if (!reply.ok) throw new Error(reply.problem);
    return reply.record;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#ready;
    await this.#pruned;
    await this.#tasks.close();
    // What cannot be deleted lies in the system's temp folder.
    if (this.#isTemporary)
      await rm(this.#tasks.folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async #open(retention: { taskDays: number; maxTasks: number }): Promise<void> {
    if (this.#isTemporary) return;
    for (const problem of await this.#tasks.recover()) tell(() => this.#tasks.onProblem(problem));
    for (const record of this.#tasks.untold()) tell(() => this.#tasks.onEnd(record));
    // Not awaited: old tasks are no reason to wait. What lies beside them is for its own runtime.
    this.#pruned = this.#tasks.prune(retention, "own");
  }

  #find(taskId: string): TaskRecord {
    const found = this.#tasks.find(String(taskId));
    if (!found.ok) throw new Error(found.problem);
    return found.record;
  }
}

const ANYTHING: Shape = { wanted: "anything", fits: () => true };
const OPTIONS: Shapes<keyof BackgroundTaskRuntimeOptions> = {
  sessionDir: TEXT,
  sessionId: TEXT,
  // Their own checks follow.
  concurrency: ANYTHING,
  retention: ANYTHING,
  onEnd: FUNCTION,
  onProblem: FUNCTION,
};
const RETENTION: Shapes = { taskDays: ANYTHING, maxTasks: ANYTHING };
const QUERY: Shapes = { status: ARRAY, limit: ANYTHING };
const WINDOW: Shapes = { sinceBytes: ANYTHING, maxBytes: ANYTHING };

function checked(options: BackgroundTaskRuntimeOptions): BackgroundTaskRuntimeOptions {
  const problems = shapeProblems("options", options, OPTIONS);
  refuse(CALLER, problems);
  const { concurrency, retention } = options;
  const ofSlots =
    concurrency === undefined
      ? undefined
      : rangeProblem("concurrency", LIMIT_RANGES.dispatchConcurrency, concurrency);
  const ofRetention = retention === undefined ? [] : shapeProblems("retention", retention, RETENTION);
  const problem = ofSlots ?? ofRetention[0] ?? retentionProblem(retention);
  refuse(CALLER, problem === undefined ? [] : [problem]);
  return options;
}

function mustBeWhole(name: string, value: number, { min, max }: { min: number; max: number }): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new TypeError(`${name} is ${String(value)}; it must be a whole number from ${min} to ${max}`);
}

function tell(listener: () => void): void {
  try {
    listener();
  } catch {
    // A listener's fault is its own.
  }
}
