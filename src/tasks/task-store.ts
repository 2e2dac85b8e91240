/**
 * The records of one session's tasks as files: written whole, read with suspicion. What this process wrote is
 * known without reading; records of others are read anew when their file changed. A file that is no record is
 * told of in a warning, left in place, and never in the way of the others.
 */

import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { makePrivateFolder, readSmallFile, replaceFile } from "../base/private-file.ts";
import { isTerminal, type TaskRecord, type TaskStatus } from "./record.ts";
import type { RecordCheck } from "./record-schema.ts";
import { taskIdOf, TaskPaths } from "./task-paths.ts";
import { newestOf } from "./newest.ts";

/** A record holds a report of at most 1 MiB of characters. */
const MAX_RECORD_BYTES = 16_777_216;
/** Files read in one go before other work gets its turn. */
const READS_A_GO = 500;
/** Our own records begin so; the status is checked again on the parsed record. */
const STATUS_AHEAD = /^\{"schema":1,"id":"[0-9A-Z]{26}","status":"([a-z]+)"/;

/** Moments in a task's life at which a crash must lose nothing. */
export type TaskStepKind =
  | "record-temp-written"
  | "record-renamed"
  | "child-spawned"
  | "output-appended"
  | "outbox-written"
  | "notice-in-branch"
  | "outbox-removing";

export interface TaskStoreOptions {
  /** `sessionTasksFolder` of the session. */
  folder: string;
  check: RecordCheck;
  /** Told of each step, at the moment it is reached. Must not throw. */
  onStep?: (step: TaskStepKind, taskId: string) => void;
}

/** Which tasks a list is asked for. */
export interface TaskQuery {
  /** Absent: all. */
  statuses?: readonly TaskStatus[];
  limit: number;
}

/** Newest first. */
export interface TaskPage {
  records: TaskRecord[];
  /** One sentence for each file that is no record. */
  warnings: string[];
}

/** A record, or why there is none. */
export type Lookup =
  | { kind: "found"; record: TaskRecord }
  | { kind: "absent" }
  | { kind: "unusable"; problem: string };

interface Known {
  stamp: string;
  /** Undefined for a file that is no record. */
  status?: string;
  record?: TaskRecord;
  problem?: string;
}

export class TaskStore {
  readonly paths: TaskPaths;
  readonly #options: TaskStoreOptions;
  /** Records of this process. The files follow them. */
  readonly #own = new Map<string, TaskRecord>();
  readonly #known = new Map<string, Known>();
  #names: { stamp: string; names: string[] } = { stamp: "", names: [] };

  constructor(options: TaskStoreOptions) {
    this.#options = options;
    this.paths = new TaskPaths(options.folder);
  }

  /** Says that a step was reached. */
  step(step: TaskStepKind, taskId: string): void {
    this.#options.onStep?.(step, taskId);
  }

  /** Takes a record of this process as the truth, whatever the disk says. */
  keep(record: TaskRecord): void {
    this.#own.set(record.id, record);
    this.#known.delete(record.id);
  }

  /** Writes a record. Rejects when the disk refuses. */
  async save(record: TaskRecord): Promise<void> {
    const path = this.paths.record(record.id);
    const text = textOf(record);
    const write = (): Promise<void> =>
      replaceFile(path, text, () => this.step("record-temp-written", record.id));
    await write().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      await makePrivateFolder(this.paths.folder);
      await write();
    });
    this.step("record-renamed", record.id);
  }

  /** Deletes all that is known of a task, its child's session included. What cannot be deleted now stays for another time. */
  async remove(id: string): Promise<void> {
    this.#own.delete(id);
    this.#known.delete(id);
    try {
      // The record last, since what is left of a task is found by it.
      for (const path of [this.paths.taskFolder(id), this.paths.notice(id), this.paths.record(id)])
        await rm(path, { recursive: true, force: true });
    } catch {
      // See above.
    }
  }

  /** The record of one task. Throws a `TypeError` for an id that is none. */
  find(id: string): Lookup {
    const own = this.#own.get(id);
    if (own) return { kind: "found", record: own };
    const known = this.#read(id);
    if (known === undefined) return { kind: "absent" };
    if (known.record) return { kind: "found", record: known.record };
    return { kind: "unusable", problem: known.problem ?? "" };
  }

  /** A page of records, and a sentence for every bad file that was met. */
  async page({ statuses, limit }: TaskQuery): Promise<TaskPage> {
    const { names, warnings } = this.#list();
    const wanted = statuses && new Set<string>(statuses);
    const records: TaskRecord[] = [];
    // Without a filter the newest are nearly always enough; bad files among them make it look further.
    let rest = wanted ? names.toSorted().toReversed() : newestOf(names, limit);
    if (!wanted && limit < names.length && this.#take(rest, { limit, records, warnings }) < limit) {
      const seen = new Set(rest);
      rest = names
        .filter((name) => !seen.has(name))
        .toSorted()
        .toReversed();
    } else if (!wanted && limit < names.length) return { records, warnings };
    for (let start = 0; start < rest.length && records.length < limit; start += READS_A_GO) {
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      this.#take(rest.slice(start, start + READS_A_GO), { wanted, limit, records, warnings });
    }
    return { records, warnings };
  }

  /** Ids of all tasks that have not ended, whoever owns them. */
  async unfinished(): Promise<TaskPage> {
    return this.page({ statuses: ["running", "stopping"], limit: Infinity });
  }

  /** Ids of all records, oldest first. */
  ids(): string[] {
    return this.#list()
      .names.flatMap((name) => taskIdOf(name) ?? [])
      .toSorted();
  }

  /** Adds to `records` what fits, in the order of `names`; returns how many there are then. */
  #take(
    names: readonly string[],
    page: { wanted?: ReadonlySet<string>; limit: number; records: TaskRecord[]; warnings: string[] },
  ): number {
    for (const name of names) {
      if (page.records.length >= page.limit) break;
      const id = taskIdOf(name) as string;
      const own = this.#own.get(id);
      const known = own ? { record: own, status: own.status } : this.#read(id, page.wanted);
      if (known === undefined) continue;
      if ("problem" in known && known.problem !== undefined) page.warnings.push(known.problem);
      else if (known.record && (!page.wanted || page.wanted.has(known.record.status)))
        page.records.push(known.record);
    }
    return page.records.length;
  }

  /** What stands in one file. With `wanted` a record of another status may come without its fields. */
  #read(id: string, wanted?: ReadonlySet<string>): Known | undefined {
    const path = this.paths.record(id);
    const before = this.#known.get(id);
    if (before && this.#stampOf(path) === before.stamp && isEnough(before, wanted)) return before;
    const file = readSmallFile(path, MAX_RECORD_BYTES);
    if (file.kind === "absent") {
      this.#known.delete(id);
      return undefined;
    }
    const known: Known =
      file.kind === "unusable"
        ? { stamp: file.stamp, problem: `${path} ${file.problem}; it is left in place` }
        : this.#parse(file, id, wanted);
    this.#known.set(id, known);
    return known;
  }

  #parse(file: { text: string; stamp: string }, id: string, wanted?: ReadonlySet<string>): Known {
    const { stamp, text } = file;
    const ahead = STATUS_AHEAD.exec(text.slice(0, 100))?.[1];
    if (wanted && ahead !== undefined && !wanted.has(ahead)) return { stamp, status: ahead };
    const problem = (what: string): Known => ({
      stamp,
      problem: `${this.paths.record(id)} ${what}; it is left in place`,
    });
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // Half-written, or no JSON at all: the sentence says all there is to say.
      return problem(text.trim() === "" ? "is empty" : "is no JSON");
    }
    const { schema, id: writtenId } = (value ?? {}) as Partial<Record<"schema" | "id", unknown>>;
    if (typeof schema === "number" && schema > 1)
      return problem(`was written by a newer version (schema ${schema})`);
    if (!this.#options.check(value)) return problem("is no task record");
    if (writtenId !== id) return problem("holds the record of another task");
    const record = value as TaskRecord;
    return { stamp, status: record.status, record };
  }

  #list(): { names: string[]; warnings: string[] } {
    const { folder } = this.paths;
    try {
      const { mtimeMs, ctimeMs } = statSync(folder);
      const stamp = `${mtimeMs}:${ctimeMs}`;
      // A folder that changed within the clock's last tick may change again unseen.
      if (this.#names.stamp !== stamp || Date.now() - mtimeMs < 100) {
        const names = readdirSync(folder).filter((name) => taskIdOf(name) !== undefined);
        this.#names = { stamp, names };
      }
      return { names: this.#names.names, warnings: [] };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return { names: [], warnings: [] };
      return { names: [], warnings: [`${folder} cannot be read (${code ?? message})`] };
    }
  }

  #stampOf(path: string): string {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      return `${mtimeMs}:${size}:${ino}`;
    } catch {
      // Gone, or unreadable: reading says which.
      return "";
    }
  }
}

/** A record that was read for another filter may be there without its fields. */
function isEnough({ record, problem, status }: Known, wanted?: ReadonlySet<string>): boolean {
  if (record || problem !== undefined) return true;
  return wanted !== undefined && status !== undefined && !wanted.has(status);
}

/** The status stands near the beginning; see `STATUS_AHEAD`. */
function textOf({ schema, id, status, ...rest }: TaskRecord): string {
  return JSON.stringify({ schema, id, status, ...rest });
}

/** Does the record belong to a process other than `ownerId`, and is it unfinished? */
export function isForeignUnfinished(record: TaskRecord, ownerId: string): boolean {
  return record.owner.id !== ownerId && !isTerminal(record.status);
}
