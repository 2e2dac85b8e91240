/** Where the tasks of one session lie. Every id is checked before it becomes a part of a path. */

import { createHash } from "node:crypto";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { PROCESS_KEY } from "../base/process-key.ts";
import { TASK_ID } from "./record-schema.ts";

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The folder of one session's tasks. A session id that is no plain name is hashed. */
export function sessionTasksFolder(sessionDir: string, sessionId: string): string {
  const name = PLAIN_NAME.test(sessionId)
    ? sessionId
    : `x-${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}`;
  return join(sessionDir, "tasks", name);
}

/** May tasks lie there? */
export function isTasksFolder(path: string): boolean {
  if (!isAbsolute(path) || normalize(path) !== path) return false;
  return basename(dirname(path)) === "tasks" || TEMPORARY_FOLDER.test(basename(path));
}

/** Holds the key of a process. */
export const TEMPORARY_FOLDER = new RegExp(`^pi-ptc-tasks-(${PROCESS_KEY})-[0-9a-f-]{36}$`);

/** Paths below one session's folder. Each throws a `TypeError` for an id that is none. */
export class TaskPaths {
  readonly folder: string;
  readonly outbox: string;

  constructor(folder: string) {
    this.folder = folder;
    this.outbox = join(folder, "outbox");
  }

  record(id: string): string {
    return join(this.folder, `${checked(id)}.json`);
  }

  /** Output and standard error. */
  taskFolder(id: string): string {
    return join(this.folder, checked(id));
  }

  output(id: string): string {
    return join(this.taskFolder(id), "output.log");
  }

  stderr(id: string): string {
    return join(this.taskFolder(id), "stderr.log");
  }

  /** Where the child keeps its own session: apart from the parent's, or `pi --continue` would take it for the newest. */
  session(id: string): string {
    return join(this.taskFolder(id), "session");
  }

  notice(id: string): string {
    return join(this.outbox, `${checked(id)}.json`);
  }
}

/** The id in the file name of a record; undefined for other files. */
export function taskIdOf(fileName: string): string | undefined {
  if (!fileName.endsWith(".json")) return undefined;
  const id = fileName.slice(0, -".json".length);
  return TASK_ID.test(id) ? id : undefined;
}

function checked(id: string): string {
  if (typeof id !== "string" || !TASK_ID.test(id)) throw new TypeError(`${JSON.stringify(id)} is no task id`);
  return id;
}
