/** Background tasks for programs without a pi session, as embedders see them. */

import type { TaskRecord, TaskStatus } from "../tasks/record.ts";
import { EmbeddedRuntime } from "./embedded-runtime.ts";

/** Where tasks are kept, and how many children may run. */
export interface BackgroundTaskRuntimeOptions {
  /** Folder below which tasks are kept. Default: a private temp folder that goes with `close`. */
  sessionDir?: string;
  /** Tasks of the same name are found again, and those of a process that died are recovered. Default `embedded`. */
  sessionId?: string;
  /** Children at once, foreground and background: 1 to 256, default 8. */
  concurrency?: number;
  /** How long ended tasks of `sessionId` are kept: 1 to 3650 days, default 30, and 1 to 100000 tasks, default 500. */
  retention?: { taskDays?: number; maxTasks?: number };
  /** Called once for each task that ended, also for those that a process that died had not been told of. */
  onEnd?: (task: TaskRecord) => void;
  /** Called with sentences about files that are no records and about writes that the disk refused. */
  onProblem?: (problem: string) => void;
}

/** Children and tasks of programs that get it as `runtime`. */
export interface BackgroundTaskRuntime {
  /** The newest tasks first, at most `limit` (1 to 1000, default 100), and a sentence for each file that is no record. */
  list(query?: {
    status?: readonly TaskStatus[];
    limit?: number;
  }): Promise<{ tasks: TaskRecord[]; warnings: string[] }>;
  /**
   * A page of a task's output, also while it runs: at most `maxBytes` (1 to 1048576, default 51200) from `sinceBytes`
   * (default 0) on. `nextOffset` is there while more may come. Rejects for an unknown task and an offset inside a character.
   */
  output(
    taskId: string,
    window?: { sinceBytes?: number; maxBytes?: number },
  ): Promise<{ task: TaskRecord; output: string; outputBytes: number; nextOffset?: number }>;
  /** Asks a task to end; resolves before it has. Rejects for a task that has ended, or is another process's. */
  stop(taskId: string, reason?: string): Promise<TaskRecord>;
  /** Stops what runs, which is then lost. Programs that run on are refused further children. */
  close(): Promise<void>;
}

/** Opens a runtime. Throws a `TypeError` for options that are none. */
export function createBackgroundTaskRuntime(
  options: BackgroundTaskRuntimeOptions = {},
): BackgroundTaskRuntime {
  return new EmbeddedRuntime(options);
}
