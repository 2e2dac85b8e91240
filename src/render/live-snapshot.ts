/** What widget and panel show: the session's children as they are now. Whoever owns them supplies it. */

import type { ChildProgress, ChildReport } from "../children/dispatch.ts";
import type { TaskRow } from "./details.ts";

/** A child that runs now, in the foreground or as a task. */
export interface LiveChild {
  /** Of the tool call it belongs to, or of the task. */
  id: string;
  label: string;
  progress: ChildProgress;
}

/** The children of one session at one moment. Times in milliseconds since 1970. */
export interface LiveSnapshot {
  /** In the order in which they were started, tasks last. */
  children: readonly LiveChild[];
  /** Those that have ended: how many, and what they cost in US dollars. */
  ended: { count: number; cost: number };
  /** Tasks of the session, newest first. */
  tasks: readonly TaskRow[];
  /** Tasks there are; `tasks` may hold fewer. */
  taskCount: number;
  at: number;
}

/** More of one child or task. */
export interface LiveDetail {
  /** End of what it said so far. */
  output: string;
  report?: ChildReport;
}

/** Where widget and panel look, and what a person may do there. */
export interface LiveSource {
  snapshot(): LiveSnapshot;
  detail(id: string): LiveDetail;
  /** Asks a child or task to end. Never throws. */
  stop(id: string): void;
}
