/** The record of one background task and the ways its status may change (spec 3.1). Pure. */

import type { ChildReport, ChildUsage, ReportChannelKind } from "../children/dispatch.ts";

export const TASK_STATUSES = ["running", "stopping", "succeeded", "failed", "canceled", "lost"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The pi process that started a task, and alone writes and signals it. */
export interface TaskOwner {
  /** Of this instance; a reload keeps it. */
  id: string;
  pid: number;
  /** Start of the process; see `ProcessIdentity`. */
  startedAt: string;
  /** In which the process has its id, a machine or a container; absent in old records: this one. */
  place?: string;
}

/** Who started a task: the model itself, or a program or script that the model wrote. */
export interface SpawnSource {
  kind: "model" | "program";
  /** Id of the tool call. */
  callerId: string;
}

/** One task as it is on disk. Times in milliseconds since 1970. Optional keys are absent, never null. */
export interface TaskRecord {
  schema: 1;
  /** A ULID, so ids sort by their start. */
  id: string;
  /** Second, so that a reader of many files sees it in their first bytes. */
  status: TaskStatus;
  label: string;
  agentName: string;
  depth: number;
  createdAt: number;
  startedAt: number;
  finishedAt?: number;
  durationMs?: number;
  /** Of the last change of status. */
  transitionAt: number;
  outputBytes: number;
  /** The whole output when it has at most 2048 bytes, else its end. */
  outputPreview?: string;
  stopReason?: string;
  /** Who asked for the stop. The model is not told of its own. */
  stoppedBy?: StopperKind;
  errorMessage?: string;
  exitCode?: number;
  signal?: string;
  spawnSource: SpawnSource;
  /** The nearest task above it, children in the foreground between them or not. */
  parentTaskId?: string;
  /** The child's own session. */
  sessionFile?: string;
  pid?: number;
  pidStartedAt?: string;
  owner: TaskOwner;
  usage?: ChildUsage;
  report?: ChildReport;
  /** Absent while running, and for tasks that were canceled or lost. */
  reportChannel?: ReportChannelKind;
  readOnlyTier?: "enforced";
  /** What went wrong beside the task itself, such as output that could not be written. */
  warnings?: string[];
}

export type StopperKind = "model" | "person";

/** Why tasks become `lost`. */
export const LOST_ON_RESTART = "lost_on_session_restart";
export const LOST_WITH_SESSION = "session_ended_while_running";

const NEXT: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  running: ["stopping", "succeeded", "failed", "canceled", "lost"],
  stopping: ["canceled", "succeeded", "failed", "lost"],
  succeeded: [],
  failed: [],
  canceled: [],
  lost: [],
};

/** A status that never changes again. */
export function isTerminal(status: TaskStatus): boolean {
  return NEXT[status].length === 0;
}

/** How long a task took; undefined where nobody knows: when its pi died, only the last sign of life is recorded. */
export function knownDuration({ durationMs, stopReason }: TaskRecord): number | undefined {
  return stopReason === LOST_ON_RESTART ? undefined : durationMs;
}

/** What comes with a change of status. */
export type TaskChange = Partial<
  Omit<TaskRecord, "schema" | "id" | "status" | "createdAt" | "transitionAt" | "finishedAt">
>;

/** The record after a change, or a sentence that names the status which forbids it. */
export type Movement = { ok: true; record: TaskRecord } | { ok: false; problem: string };

/** Moves a task on. A clock that stepped back never makes an end come before its start. */
export function moveTask(
  record: TaskRecord,
  to: TaskStatus,
  nowMs: number,
  change: TaskChange = {},
): Movement {
  if (!NEXT[record.status].includes(to))
    return { ok: false, problem: `task ${record.id} is ${record.status} and cannot become ${to}` };
  const transitionAt = Math.max(nowMs, record.transitionAt);
  const moved: TaskRecord = { ...record, ...change, status: to, transitionAt };
  if (!isTerminal(to)) return { ok: true, record: moved };
  const durationMs = change.durationMs ?? Math.max(0, transitionAt - record.startedAt);
  return { ok: true, record: { ...moved, finishedAt: transitionAt, durationMs } };
}

/**
 * The status a finished child gives its task. `cut`: what brought it down; one that ended by itself, even while it was
 * being stopped, gets what it earned.
 */
export function endStatus(
  result: { status: "fulfilled" | "rejected" },
  cut?: "stop" | "loss",
): Extract<TaskStatus, "succeeded" | "failed" | "canceled" | "lost"> {
  if (result.status === "fulfilled") return "succeeded";
  if (cut === undefined) return "failed";
  return cut === "stop" ? "canceled" : "lost";
}

/** Is the model told that this task ended? It knows of the stops it asked for. */
export function isAnnounced({ status, stoppedBy }: Pick<TaskRecord, "status" | "stoppedBy">): boolean {
  return isTerminal(status) && !(status === "canceled" && stoppedBy === "model");
}
