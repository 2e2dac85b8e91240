/**
 * The door to background tasks: all that one session of pi knows and does about them. Tools, notices and the panel
 * come here; what a person or a model asks for is answered with data or a sentence, never a throw.
 */

import { monotonicFactory } from "ulid";
import { isPlainFolder } from "../base/private-file.ts";
import type { ChildProgress } from "../children/dispatch.ts";
import type { ChildPlan } from "../children/start-child.ts";
import { Outbox } from "./outbox.ts";
import { type OutputPart, type OutputWish, readOutput } from "./output-window.ts";
import { OtherSessions, seenRecord } from "./other-sessions.ts";
import { createOwner, Heartbeat, isOwnerDead, leaveOwnership, ownerJudge } from "./owner.ts";
import type { Recovery } from "./recovery.ts";
import {
  isAnnounced,
  isTerminal,
  type StopperKind,
  type TaskOwner,
  type TaskRecord,
  type TaskStatus,
} from "./record.ts";
import { type RecordCheck, TASK_ID } from "./record-schema.ts";
import { pruneTasks, type Retention } from "./retention.ts";
import { type TaskStart, TaskSupervisor } from "./supervisor.ts";
import { type TaskQuery, type TaskPage, TaskStore, type TaskStoreOptions } from "./task-store.ts";
import { Takeovers } from "./takeovers.ts";
import { TaskWriter } from "./task-writer.ts";

/** How long an owner that lives is not asked about again. */
const ASK_AGAIN_MS = 5_000;

/** What a session's tasks are made from. */
export interface SessionTasksOptions {
  /** `sessionTasksFolder` of the session. */
  folder: string;
  check: RecordCheck;
}

/** A task, or a sentence that says why there is none. */
export type FoundTask = { ok: true; record: TaskRecord } | { ok: false; problem: string };

/** What a stop came to. */
export type StopReply =
  | { ok: true; record: TaskRecord; fromStatus: TaskStatus }
  | { ok: false; problem: string };

export class SessionTasks {
  readonly folder: string;
  readonly owner: TaskOwner = createOwner();
  readonly #store: TaskStore;
  readonly #outbox: Outbox;
  readonly #writer: TaskWriter;
  readonly #supervisor: TaskSupervisor;
  readonly #newId = monotonicFactory();
  readonly #heartbeat: Heartbeat;
  /** Ends that the model was not told of; what the outbox holds, without reading it. */
  readonly #untold = new Set<string>();
  /** Sessions of the project beside this one. */
  readonly others: OtherSessions;
  readonly #isDead: (owner: TaskOwner) => boolean;
  readonly #takeovers: Takeovers;
  /** Ends that are told with the next run, but are no reason for one: those a dead pi left, for a start. A reload keeps them. */
  readonly patient = new Set<string>();

  constructor(options: SessionTasksOptions) {
    this.folder = options.folder;
    this.others = new OtherSessions(this.folder, options.check);
    this.#isDead = ownerJudge(this.folder, ASK_AGAIN_MS);
    this.#store = new TaskStore({ ...options, onStep: (step, taskId) => this.onStep(step, taskId) });
    this.#outbox = new Outbox(this.#store);
    this.#heartbeat = new Heartbeat(this.folder, this.owner);
    const onProblem = (problem: string): void => guarded(() => this.onProblem(problem));
    this.#writer = new TaskWriter({ store: this.#store, outbox: this.#outbox, onProblem });
    const parts = { store: this.#store, writer: this.#writer, owner: this.owner };
    this.#takeovers = new Takeovers(
      { ...parts, outbox: this.#outbox, showLife: () => this.#heartbeat.begin() },
      (recovery, isLate) => this.#recovered(recovery, isLate),
    );
    this.#supervisor = new TaskSupervisor({
      ...parts,
      onEnd: (record) => this.#ended(record),
      onProblem,
    });
  }

  /** Called when a task has ended. Set by whoever tells the model; a reload sets it anew. */
  onEnd: (record: TaskRecord) => void = () => undefined;
  /** Called with a sentence for the person. */
  onProblem: (problem: string) => void = () => undefined;
  /** Called at each step of a task's life. */
  onStep: NonNullable<TaskStoreOptions["onStep"]> = () => undefined;

  /** An id for a task that is about to start. */
  newId(): string {
    return this.#newId();
  }

  /** Where a task's child keeps its own session. */
  childSessionDir(taskId: string): string {
    return this.#store.paths.session(taskId);
  }

  outputPath(taskId: string): string {
    return this.#storeOf(taskId).paths.output(taskId);
  }

  #storeOf(taskId: string): TaskStore {
    return this.others.storeOf(taskId) ?? this.#store;
  }

  async start(plan: ChildPlan, start: TaskStart): Promise<{ record: TaskRecord } | { refusal: string }> {
    await this.#heartbeat.begin();
    return this.#supervisor.start(plan, start);
  }

  /** Newest first. Tasks of a pi that has died meanwhile are recovered first. */
  async page(query: TaskQuery): Promise<TaskPage> {
    const page = await this.#store.page(query);
    const dead = page.records.find((record) => this.#isLeft(record) && !this.#takeovers.isDone(record.owner));
    if (!dead) return page;
    await this.#takeovers.recoverFrom(dead.owner);
    return this.page(query);
  }

  /** How many records there are. */
  count(): number {
    return this.#store.ids().length;
  }

  /** Tasks of this pi that have not ended, oldest first. */
  running(): { record: TaskRecord; progress: ChildProgress }[] {
    return this.#supervisor.running().map(({ record, child }) => ({ record, progress: child.progress() }));
  }

  runningIds(): string[] {
    return this.#supervisor.running().map(({ record }) => record.id);
  }

  /** Resolves when nothing runs any more: true, or false after `maxMs`. */
  async idle(maxMs: number): Promise<boolean> {
    const deadline = performance.now() + maxMs;
    while (this.#supervisor.running().length > 0) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await this.#supervisor.nextEnd(left);
    }
    return true;
  }

  progressOf(taskId: string): ChildProgress | undefined {
    return this.#supervisor
      .running()
      .find(({ record }) => record.id === taskId)
      ?.child.progress();
  }

  /** A task of a pi that is gone is lost, though nobody may have written so yet. */
  find(taskId: string): FoundTask {
    const found = this.#lookUp(taskId);
    if (!found.ok) return found;
    const store = this.#storeOf(taskId);
    if (store !== this.#store)
      return { ok: true, record: seenRecord(store, found.record, ownerJudge(store.paths.folder)) };
    if (!this.#isLeft(found.record)) return found;
    void this.#takeovers.recoverFrom(found.record.owner);
    return { ok: true, record: seenRecord(store, found.record, this.#isDead) };
  }

  #lookUp(taskId: string): FoundTask {
    if (!TASK_ID.test(taskId))
      return {
        ok: false,
        problem: `taskId ${JSON.stringify(taskId)} is no task id; ids look like 01J9Z3T5W8Q4N7K2M6P0R1S5VX and are listed by ptc_task_list`,
      };
    const found = this.#storeOf(taskId).find(taskId);
    if (found.kind === "found") return { ok: true, record: found.record };
    if (found.kind === "unusable") return { ok: false, problem: found.problem };
    return {
      ok: false,
      problem: `there is no task ${taskId} in this session; call ptc_task_list for those there are`,
    };
  }

  /** Has it not ended, and is its pi gone? */
  #isLeft({ status, owner }: TaskRecord): boolean {
    return !isTerminal(status) && owner.id !== this.owner.id && this.#isDead(owner);
  }

  /** A part of the output of a task that `find` found. */
  output({ id, status }: TaskRecord, wish: Omit<OutputWish, "isOver">): OutputPart {
    return readOutput(this.outputPath(id), { ...wish, isOver: isTerminal(status) });
  }

  /** Asks a task to end. */
  async stop(taskId: string, reason: string, by: StopperKind): Promise<StopReply> {
    const found = this.#lookUp(taskId);
    if (!found.ok) return found;
    const { status, owner } = found.record;
    if (isTerminal(status))
      return { ok: false, problem: `task ${taskId} is ${status} already; there is nothing to stop` };
    if (owner.id !== this.owner.id) {
      const { paths } = this.#storeOf(taskId);
      if (!isOwnerDead(owner, paths.folder))
        return {
          ok: false,
          problem: `task ${taskId} belongs to another pi that is running (process ${owner.pid}); stop it there`,
        };
      if (paths.folder === this.folder) await this.#takeovers.recoverFrom(owner);
      return { ok: false, problem: `task ${taskId} belonged to a pi that is gone, so it is lost` };
    }
    this.#supervisor.stop(taskId, reason, by);
    const after = this.find(taskId);
    return after.ok ? { ok: true, record: after.record, fromStatus: status } : after;
  }

  /** Takes over what a dead pi left in this session. Resolves with sentences for the person that were not told before. */
  async recover(): Promise<string[]> {
    return (await this.#takeovers.recover()).warnings;
  }

  #recovered({ taken, warnings }: Recovery, isLate: boolean): void {
    // Also where the disk refuses the notices.
    for (const id of taken) {
      this.#untold.add(id);
      this.patient.add(id);
    }
    if (!isLate) return;
    for (const warning of warnings) guarded(() => this.onProblem(warning));
    for (const record of this.untold()) if (taken.includes(record.id)) guarded(() => this.onEnd(record));
  }

  /** Deletes old tasks of this session, or of all that lie beside it, too. Never rejects. */
  async prune(retention: Retention, scope: "own" | "all" = "all"): Promise<void> {
    const { owner } = this;
    // What cannot be deleted now is tried again by a later session.
    if (isPlainFolder(this.folder))
      await pruneTasks(this.#store, retention, { owner, untold: this.#untold }).catch(() => 0);
    if (scope === "all") await this.others.prune(retention, owner);
  }

  /** Ended tasks that the model was not told of, oldest first. */
  untold(): TaskRecord[] {
    return [...this.#untold].toSorted().flatMap((id) => {
      const record = this.#store.own(id);
      return record && isAnnounced(record) ? [record] : [];
    });
  }

  /** Has the end of this task not been told anywhere yet? */
  isUntold(taskId: string): boolean {
    return this.#untold.has(taskId) || this.#outbox.has(taskId);
  }

  /** The notice of these tasks is in the branch. */
  noticed(taskIds: Iterable<string>): void {
    for (const id of taskIds) this.#store.step("notice-in-branch", id);
  }

  /** The model knows of these ends. What the disk refuses is found told in the branch next time. */
  async told(taskIds: Iterable<string>): Promise<void> {
    const known = [...taskIds].filter((id) => this.#untold.delete(id));
    await Promise.all(known.map((id) => this.#writer.told(id)));
  }

  /** Stops what runs and marks it lost. */
  loseAll(reason: string): Promise<void> {
    return this.#supervisor.loseAll(reason);
  }

  /** The session has ended. */
  async close(): Promise<void> {
    await this.#supervisor.close();
    await this.#takeovers.orphansEnded;
    this.#heartbeat.end();
    if (this.#untold.size === 0 && this.#writer.unwritten === 0) return;
    // This process may go on for long: without it nobody could take over what is left.
    await leaveOwnership(this.folder, this.owner).catch(() => undefined);
  }

  #ended(record: TaskRecord): void {
    if (isAnnounced(record)) this.#untold.add(record.id);
    guarded(() => this.onEnd(record));
  }
}

/** The session that listens may be gone. */
function guarded(tell: () => void): void {
  try {
    tell();
  } catch {
    // There is nobody left to tell.
  }
}
