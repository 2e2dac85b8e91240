/** A session that does what the test says, and what its notices do there. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { DEFAULT_SETTINGS, type NotifyKind } from "../../src/base/settings.ts";
import { TaskNotices } from "../../src/extension/task-notices.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import type { BranchEntry } from "../../src/tasks/told.ts";
import { endedRecord } from "../tasks/task-kit.ts";

export interface Draft {
  customType: string;
  content: string;
  details: { taskIds: string[] };
  type?: string;
}

export const FOLDER = "/s/tasks/one";

export class NoticeSession {
  branch: BranchEntry[] = [];
  sent: { message: Draft; options: object }[] = [];
  isIdle = true;
  notify: NotifyKind = "wake";
  printWaitMs = 1_000;
  untold: TaskRecord[] = [];
  elsewhere = new Map<string, TaskRecord>();
  started = new Map<string, string>();
  waiting = new Set<string>();
  running: object[] = [];
  lostBecause: string[] = [];
  readonly tasks = {
    folder: FOLDER,
    patient: new Set<string>(),
    onEnd: (_record: TaskRecord): void => undefined,
    untold: () => this.untold,
    isUntold: (id: string) => this.waiting.has(id) || this.untold.some((record) => record.id === id),
    noticed: () => undefined,
    told: async (ids: Iterable<string>) => {
      const gone = new Set(ids);
      this.untold = this.untold.filter(({ id }) => !gone.has(id));
    },
    others: { know: (started: Map<string, string>) => void (this.started = started) },
    find: (id: string) => {
      const record = this.elsewhere.get(`${this.started.get(id)} ${id}`);
      return record ? { ok: true, record } : { ok: false, problem: "none" };
    },
    outputPath: (id: string) => `${FOLDER}/${id}/output.log`,
    running: () => this.running,
    idle: async () => {
      const isOver = this.running.length === 0;
      return isOver;
    },
    loseAll: async (reason: string) => void this.lostBecause.push(reason),
  };
  readonly ctx = {
    isIdle: () => this.isIdle,
    hasUI: true,
    sessionManager: { getBranch: () => this.branch },
  };
  /** The extension's next instance in this session. */
  reloaded = (): TaskNotices =>
    new TaskNotices({
      pi: {
        sendMessage: (message: Draft, options: object) => void this.sent.push({ message, options }),
      } as unknown as ExtensionAPI,
      tasks: () => this.tasks as unknown as SessionTasks,
      settings: () => ({ ...DEFAULT_SETTINGS, notify: this.notify, printWaitMs: this.printWaitMs }),
    });
  readonly notices = this.reloaded();

  /** A task ends now. */
  end(record: TaskRecord = endedRecord()): TaskRecord {
    this.untold = [...this.untold, record];
    this.tasks.onEnd(record);
    return record;
  }

  prompt = (messageType = "user") =>
    this.notices.runStarts({ messageType } as never, this.ctx as never)?.message as Draft | undefined;
  turn = (more: object = {}) =>
    this.notices.turnEnded(
      { outcome: "completed", toolResults: [{}], entries: [], ...more } as never,
      this.ctx as never,
    );
  settle = (more: object = {}) =>
    this.notices.beforeSettle({ outcome: "completed", entries: [], ...more } as never, this.ctx as never);
  settled = (aborted = false) => this.notices.settled({ aborted }, this.ctx as never);

  /** What pi does with a notice that was handed to it. */
  enter(...drafts: Draft[]): void {
    for (const draft of drafts)
      this.branch.push({ ...draft, type: "custom_message", id: `e${this.branch.length}` });
  }

  answer(stopReason = "stop"): void {
    this.branch.push({
      type: "message",
      id: `e${this.branch.length}`,
      message: { role: "assistant", stopReason },
    });
  }
}

export const idsOf = (drafts: unknown): string[] =>
  ((drafts ?? []) as Draft[]).flatMap(({ details }) => details.taskIds);
