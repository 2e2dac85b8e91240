/**
 * The background tasks of one session of pi: opened when it starts, closed with it, handed over a reload. Where pi
 * keeps no session they lie in a private folder that goes with the process.
 */

import { rm } from "node:fs/promises";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { PtcSettings } from "../base/settings.ts";
import { TASK_ID_VARIABLE } from "../children/child-environment.ts";
import { DispatchSlots } from "../children/dispatch-slots.ts";
import type { DispatchHandle } from "../children/dispatch.ts";
import type { BackgroundPlace, BackgroundPlan } from "../children/plan-child.ts";
import type { ChildPlan } from "../children/start-child.ts";
import { createRecordCheck, TASK_ID } from "../tasks/record-schema.ts";
import { SessionTasks } from "../tasks/session-tasks.ts";
import { sessionTasksFolder } from "../tasks/task-paths.ts";
import { sweepTemporaryTasks, temporaryTasksFolder } from "../tasks/temporary-tasks.ts";
import { LOOK_ENTRY, START_ENTRY } from "../tasks/told.ts";
import type { TaskAccess } from "../tools/task-access.ts";
import type { Host } from "./host.ts";
import { handOver, takeOver } from "./task-handover.ts";

/** Event on `pi.events` for each step of a task's life: `{ step, taskId }`. */
export const TASK_STEP_EVENT = "ptc:task-step";

export interface TaskServiceOptions {
  host: Host;
  pi: ExtensionAPI;
  settings: () => Readonly<PtcSettings>;
  /** Tells a person. */
  warn: (problem: string) => void;
}

export class TaskService implements TaskAccess {
  readonly bounds: TaskAccess["bounds"];
  readonly #options: TaskServiceOptions;
  #tasks: SessionTasks | undefined;
  #slots: DispatchSlots | undefined;
  /** What a reloaded instance of this session finds its tasks by. */
  #key = "";
  /** The folder goes with the process. */
  #isTemporary = false;
  #isAdopted = false;
  /** Ends that this instance noted as looked at. */
  readonly #shown = new Set<string>();

  constructor(options: TaskServiceOptions) {
    this.#options = options;
    const { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES } = options.host.codingAgent;
    this.bounds = { maxBytes: DEFAULT_MAX_BYTES, maxLines: DEFAULT_MAX_LINES };
  }

  /** Opens the tasks of the session that starts, or takes over those that ran on through a reload. */
  open({ sessionManager }: Pick<ExtensionContext, "sessionManager">): SessionTasks {
    const { host, pi, settings, warn } = this.#options;
    const { kept, key, isTemporary } = placeOf(sessionManager);
    this.#isTemporary = isTemporary;
    this.#key = key;
    const adopted = takeOver(this.#key);
    this.#isAdopted = adopted !== undefined;
    this.#slots = adopted?.slots ?? new DispatchSlots(settings().limits);
    this.#slots.retune(settings().limits);
    const folder = this.#isTemporary ? temporaryTasksFolder() : kept;
    this.#tasks = adopted?.tasks ?? new SessionTasks({ folder, check: createRecordCheck(host) });
    this.#tasks.onProblem = warn;
    this.#tasks.onStep = (step, taskId) => pi.events.emit(TASK_STEP_EVENT, { step, taskId });
    return this.#tasks;
  }

  /** Ends what a reload left for this session, which goes on without tasks. Never rejects. */
  async abandon({ sessionManager }: Pick<ExtensionContext, "sessionManager">): Promise<void> {
    await takeOver(placeOf(sessionManager).key)
      ?.close()
      .catch(() => undefined);
  }

  tasks(): SessionTasks {
    if (!this.#tasks) throw new Error("this session of pi has ended, or has not started yet");
    return this.#tasks;
  }

  /** Where no notices come, having looked is being told, which the branch has to show. */
  wasShown(taskId: string): void {
    if (this.#options.settings().notify !== "quiet") return;
    void this.#tasks?.told([taskId]);
    if (this.#shown.has(taskId)) return;
    this.#shown.add(taskId);
    this.#append(LOOK_ENTRY, { taskId });
  }

  /** The tasks, where the session has started and goes on. */
  get current(): SessionTasks | undefined {
    return this.#tasks;
  }

  /** The tasks ran on through a reload. */
  get isAdopted(): boolean {
    return this.#isAdopted;
  }

  /** Deletes old tasks. Never rejects. */
  async prune(): Promise<void> {
    const { retention } = this.#options.settings();
    // Beside a temporary folder lies what is not ours.
    const kept = this.#isTemporary ? undefined : this.#tasks;
    await Promise.all([kept?.prune(retention), sweepTemporaryTasks()]);
  }

  /** The session's one counter of children. */
  slots(): DispatchSlots {
    this.#slots ??= new DispatchSlots(this.#options.settings().limits);
    return this.#slots;
  }

  /** How background children are kept; undefined outside the session. */
  place(): BackgroundPlace | undefined {
    const tasks = this.#tasks;
    if (!tasks) return undefined;
    return {
      newId: () => tasks.newId(),
      sessionDir: (taskId) => (this.#isTemporary ? undefined : tasks.childSessionDir(taskId)),
    };
  }

  /** Starts a planned background child. */
  async start(
    plan: ChildPlan,
    { taskId, label, depth }: BackgroundPlan,
    source: { kind: "model" | "program"; callerId: string },
  ): Promise<DispatchHandle | { refusal: string }> {
    const tasks = this.tasks();
    const above = process.env[TASK_ID_VARIABLE];
    const parentTaskId = above !== undefined && TASK_ID.test(above) ? above : undefined;
    const started = await tasks.start(plan, { taskId, label, depth, source, parentTaskId });
    if ("refusal" in started) return started;
    this.#append(START_ENTRY, { taskId, folder: tasks.folder });
    return { taskId, label, status: "running" };
  }

  #append(type: string, data: object): void {
    try {
      this.#options.pi.appendEntry(type, data);
    } catch {
      // The session was replaced meanwhile, which ends its tasks.
    }
  }

  /** Ends the session's tasks, unless a reload goes on with them. */
  async close(reason: string): Promise<void> {
    const tasks = this.#tasks;
    const slots = this.#slots;
    this.#tasks = undefined;
    if (!tasks || !slots) return;
    tasks.onEnd = () => undefined;
    tasks.onStep = () => undefined;
    const isTemporary = this.#isTemporary;
    const close = async (): Promise<void> => {
      await tasks.close();
      if (isTemporary) await rm(tasks.folder, { recursive: true, force: true });
    };
    if (reason === "reload") handOver(this.#key, { tasks, slots, close });
    // What cannot be deleted is swept another time.
    else await close().catch(() => undefined);
  }
}

/** Where the session's tasks lie if it is kept, and what they are found by over a reload. */
function placeOf(sessionManager: ExtensionContext["sessionManager"]): {
  kept: string;
  key: string;
  isTemporary: boolean;
} {
  const id = sessionManager.getSessionId();
  const isTemporary = sessionManager.getSessionFile() === undefined;
  const kept = sessionTasksFolder(sessionManager.getSessionDir(), id);
  return { kept, key: isTemporary ? `not kept: ${id}` : kept, isTemporary };
}
