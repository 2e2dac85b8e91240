/**
 * The sessions beside this one in the project's folder. They are looked into, and but for pruning nothing is changed
 * there: a task of a pi that is gone is shown as lost, which its own session makes true when it is resumed.
 */

import { basename, dirname } from "node:path";
import { Outbox } from "./outbox.ts";
import { type OutputPart, type OutputWish, readOutput } from "./output-window.ts";
import { ownerJudge } from "./owner.ts";
import { lostRecord, modifiedAt } from "./lost-record.ts";
import { isTerminal, type TaskOwner, type TaskRecord } from "./record.ts";
import { type RecordCheck, TASK_ID } from "./record-schema.ts";
import { pruneTasks, type Retention, sessionFolders } from "./retention.ts";
import { TaskStore } from "./task-store.ts";

/** Sessions that are looked through for a list, those that changed last; and tasks read in each, the newest. */
const MAX_SESSIONS = 20;
const MAX_READ = 50;
const MAX_LISTED = 50;

/** A task of another session. */
export interface OtherTask {
  /** Name of the session's folder: its id, where that is a plain name. */
  session: string;
  record: TaskRecord;
}

export class OtherSessions {
  readonly #folder: string;
  readonly #check: RecordCheck;
  /** By the ids of tasks that this session's branch started there. */
  readonly #known = new Map<string, TaskStore>();
  /** By the ids of tasks that were listed last. */
  #listed = new Map<string, TaskStore>();

  constructor(folder: string, check: RecordCheck) {
    this.#folder = folder;
    this.#check = check;
  }

  /** Takes note of tasks and the folders they were started in. A start entry is a file of the session's, so only folders beside this one count. */
  know(started: ReadonlyMap<string, string>): void {
    this.#known.clear();
    for (const [id, folder] of started) {
      const isBeside = dirname(folder) === dirname(this.#folder);
      if (folder !== this.#folder && isBeside && TASK_ID.test(id)) this.#known.set(id, this.#store(folder));
    }
  }

  /** Where a task lies that `know` told of. */
  storeOf(taskId: string): TaskStore | undefined {
    return this.#known.get(taskId);
  }

  /** What other sessions have not finished, lost, or not told of yet: bounded, those sessions first that changed last. */
  async open(): Promise<OtherTask[]> {
    this.#listed = new Map();
    const found: OtherTask[] = [];
    for (const folder of this.#newest()) {
      await new Promise((resolve) => setImmediate(resolve));
      const store = this.#store(folder);
      for (const record of await openIn(store)) {
        if (found.length >= MAX_LISTED) return found;
        found.push({ session: basename(folder), record });
        this.#listed.set(record.id, store);
      }
    }
    return found;
  }

  /** A task that `open` listed, as it is now, and a part of its output. */
  look(taskId: string, wish: OutputWish): { record: TaskRecord; part: OutputPart } | undefined {
    const store = this.#listed.get(taskId);
    const found = store?.find(taskId);
    if (!store || found?.kind !== "found") return undefined;
    const record = seenRecord(store, found.record, ownerJudge(store.paths.folder));
    return { record, part: readOutput(store.paths.output(taskId), wish) };
  }

  /** Deletes old tasks of all sessions there. Never rejects. */
  async prune(retention: Retention, owner: TaskOwner): Promise<void> {
    for (const folder of this.#folders()) {
      const store = this.#store(folder);
      const untold = new Set(new Outbox(store).ids());
      // What cannot be deleted now is tried again by a later session.
      await pruneTasks(store, retention, { owner, untold }).catch(() => 0);
    }
  }

  #store(folder: string): TaskStore {
    return new TaskStore({ folder, check: this.#check });
  }

  #folders(): string[] {
    const root = dirname(this.#folder);
    // Beside the folder of a session that is not kept lies what is not ours.
    if (basename(root) !== "tasks") return [];
    return sessionFolders(root).filter((folder) => folder !== this.#folder);
  }

  #newest(): string[] {
    return this.#folders()
      .map((folder) => ({ folder, at: modifiedAt(folder) }))
      .toSorted((one, other) => other.at - one.at)
      .slice(0, MAX_SESSIONS)
      .map(({ folder }) => folder);
  }
}

/** The record, or, where its pi is gone, what will become of it. */
export function seenRecord(
  store: TaskStore,
  record: TaskRecord,
  isDead: (owner: TaskRecord["owner"]) => boolean,
): TaskRecord {
  if (isTerminal(record.status) || !isDead(record.owner)) return record;
  return lostRecord(store, record) ?? record;
}

async function openIn(store: TaskStore): Promise<TaskRecord[]> {
  const untold = new Set(new Outbox(store).ids().slice(-MAX_READ));
  const { records } = await store.page({ limit: MAX_READ });
  const read = new Set(records.map(({ id }) => id));
  const older = [...untold].flatMap((id) => {
    const found = read.has(id) ? undefined : store.find(id);
    return found?.kind === "found" ? [found.record] : [];
  });
  const isDead = ownerJudge(store.paths.folder);
  return [...records, ...older.toReversed()]
    .filter(({ id, status }) => !isTerminal(status) || untold.has(id))
    .map((record) => seenRecord(store, record, isDead));
}
