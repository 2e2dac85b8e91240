/**
 * The records of one session's tasks as files: written whole, read with suspicion. What this process wrote is
 * known without reading; records of others are read anew when their file changed. A file that is no record is
 * told of in a warning, left in place, and never in the way of the others.
 */

import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { sep } from "node:path";
import { makePrivateFolder, replaceFile } from "../base/private-file.ts";
import type { TaskRecord, TaskStatus } from "./record.ts";
import type { RecordCheck } from "./record-schema.ts";
import { endReader, readRecordFile, type RecordFile, recordText } from "./record-file.ts";
import { taskIdOf, TaskPaths } from "./task-paths.ts";
import { newestOf } from "./newest.ts";

/** Files read in one go before other work gets its turn. */
const READS_A_GO = 500;

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
  /** Told of each step, at the moment it is reached. */
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

/** Names in the folder, as they were when it had the stamp. */
interface NameList {
  stamp: string;
  names: string[];
  /** Of files that may be records; made when it is first needed. */
  newestFirst?: string[];
  warnings: string[];
}

type Known = Exclude<RecordFile, { kind: "absent" }>;

export class TaskStore {
  readonly paths: TaskPaths;
  readonly #options: TaskStoreOptions;
  /** Records of this process. The files follow them. */
  readonly #own = new Map<string, TaskRecord>();
  readonly #known = new Map<string, Known>();
  /** How tasks of others ended, by the names of their files; that never changes. */
  readonly #ends = new Map<string, TaskStatus>();
  readonly #readEnd = endReader();
  #names: NameList = { stamp: "", names: [], warnings: [] };

  constructor(options: TaskStoreOptions) {
    this.#options = options;
    this.paths = new TaskPaths(options.folder);
  }

  /** Says that a step was reached. */
  step(step: TaskStepKind, taskId: string): void {
    try {
      this.#options.onStep?.(step, taskId);
    } catch {
      // Whoever watches must not change what happens.
    }
  }

  /** Takes a record of this process as the truth, whatever the disk says. */
  keep(record: TaskRecord): void {
    this.#own.set(record.id, record);
    this.#known.delete(record.id);
  }

  /** A record of this process as it is now. */
  own(id: string): TaskRecord | undefined {
    return this.#own.get(id);
  }

  /** Leaves the record to its file. */
  forget(id: string): void {
    this.#own.delete(id);
  }

  /** Writes a record. Rejects when the disk refuses. */
  async save(record: TaskRecord): Promise<void> {
    const path = this.paths.record(record.id);
    const text = recordText(record);
    const write = (): Promise<void> =>
      replaceFile(path, text, () => this.step("record-temp-written", record.id));
    await write().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      await makePrivateFolder(this.paths.folder);
      await write();
    });
    this.step("record-renamed", record.id);
  }

  /**
   * Deletes all there is of a task, its child's session included. The record goes last, so that what cannot be deleted
   * now is found another time: false then.
   */
  async remove(id: string): Promise<boolean> {
    this.#own.delete(id);
    try {
      for (const path of [this.paths.taskFolder(id), this.paths.notice(id), this.paths.record(id)])
        await rm(path, { recursive: true, force: true });
      this.#known.delete(id);
      return true;
    } catch {
      // Another time.
      return false;
    }
  }

  /** The record of one task. Throws a `TypeError` for an id that is none. */
  find(id: string): Lookup {
    const own = this.#own.get(id);
    if (own) return { kind: "found", record: own };
    const file = this.#read(id);
    if (file.kind === "record") return { kind: "found", record: file.record };
    return file.kind === "absent" ? file : { kind: "unusable", problem: file.problem };
  }

  /** A page of records, and a sentence for every bad file that was met. */
  async page({ statuses, limit }: TaskQuery): Promise<TaskPage> {
    const list = this.#list();
    const page = {
      wanted: statuses && new Set<string>(statuses),
      limit,
      records: [] as TaskRecord[],
      warnings: [...list.warnings],
    };
    const isPart = !statuses && limit < list.names.length;
    // Without a filter the newest are nearly always enough; bad files among them make it look further.
    if (!isPart || this.#take(newestOf(list.names, limit, mayBeRecord), page) < limit) {
      list.newestFirst ??= list.names.filter(mayBeRecord).toSorted().toReversed();
      const rest = list.newestFirst.slice(isPart ? limit : 0);
      for (let start = 0; start < rest.length && page.records.length < limit; start += READS_A_GO) {
        if (start > 0) await new Promise((resolve) => setImmediate(resolve));
        this.#take(rest.slice(start, start + READS_A_GO), page);
      }
    }
    return { records: page.records, warnings: page.warnings };
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
    page: {
      wanted: ReadonlySet<string> | undefined;
      limit: number;
      records: TaskRecord[];
      warnings: string[];
    },
  ): number {
    const { records, limit, wanted, warnings } = page;
    for (const name of names) {
      if (records.length >= limit) break;
      const id = this.#isKnownElse(name, wanted) ? undefined : taskIdOf(name);
      if (id === undefined) continue;
      const own = this.#own.get(id);
      if (!own && wanted && this.#endedElse(name, wanted)) continue;
      const found = own ? ({ kind: "record", record: own } as const) : this.#read(id);
      if (found.kind === "unusable") warnings.push(found.problem);
      else if (found.kind === "record" && (!wanted || wanted.has(found.record.status)))
        records.push(found.record);
    }
    return records.length;
  }

  /** Is the task known to have ended in a way that is not wanted? */
  #isKnownElse(name: string, wanted: ReadonlySet<string> | undefined): boolean {
    const end = wanted && this.#ends.get(name);
    return end !== undefined && !wanted?.has(end);
  }

  /** Has the task ended in a way that is not wanted? */
  #endedElse(name: string, wanted: ReadonlySet<string>): boolean {
    const end = this.#readEnd(`${this.paths.folder}${sep}${name}`);
    if (end === undefined) return false;
    this.#ends.set(name, end);
    return !wanted.has(end);
  }

  #read(id: string): RecordFile {
    const path = this.paths.record(id);
    const before = this.#known.get(id);
    if (before && this.#stampOf(path) === before.stamp) return before;
    const file = readRecordFile(path, id, this.#options.check);
    if (file.kind === "absent") this.#known.delete(id);
    else this.#known.set(id, file);
    return file;
  }

  #list(): NameList {
    const { folder } = this.paths;
    try {
      const { mtimeMs, ctimeMs } = statSync(folder);
      const stamp = `${mtimeMs}:${ctimeMs}`;
      // A folder that changed within the clock's last tick may change again unseen.
      if (this.#names.stamp !== stamp || Date.now() - mtimeMs < 100) {
        this.#names = { stamp, names: this.#withOwn(readdirSync(folder)), warnings: [] };
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const warnings = code === "ENOENT" ? [] : [`${folder} cannot be read (${code ?? message})`];
      this.#names = { stamp: "", names: this.#withOwn([]), warnings };
    }
    return this.#names;
  }

  /** Records of this process are there even if somebody deleted their files. */
  #withOwn(names: string[]): string[] {
    if (this.#own.size === 0) return names;
    const found = new Set(names);
    const missing = [...this.#own.keys()].map((id) => `${id}.json`).filter((name) => !found.has(name));
    return missing.length === 0 ? names : [...names, ...missing];
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

/** By its length, which is checked sooner than all of it is. */
const mayBeRecord = (name: string): boolean => name.length === RECORD_NAME_CHARS && name.endsWith(".json");
const RECORD_NAME_CHARS = 26 + ".json".length;
