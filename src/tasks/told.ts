/**
 * What the branch of a session shows of its tasks: which were started on it, and of which ends the model was told.
 * Told means that the notice is in the branch and a later answer came without an error. Pure.
 */

import { TASK_ID } from "./record-schema.ts";
import { isTasksFolder } from "./task-paths.ts";

/** Type of the entries that carry notices. */
export const NOTICE_ENTRY = "ptc-task-notice";
/** Type of the entries that note a start, so that a fork of the session knows the task. */
export const START_ENTRY = "ptc-task-start";

/** Type of the entries that note that the model looked at an end where no notices come. */
export const LOOK_ENTRY = "ptc-task-look";

/** An entry of a session, as pi gives it. Other extensions may write entries of any shape. */
export interface BranchEntry {
  type: string;
  id?: string;
  customType?: string;
  content?: unknown;
  details?: unknown;
  data?: unknown;
  message?: unknown;
  firstKeptEntryId?: unknown;
}

export interface BranchReading {
  /** Started on this branch: task id to the folder of the session that owns it. */
  started: Map<string, string>;
  /** The model answered after the notice. */
  told: Set<string>;
  /** The notice is in the branch and was not answered yet. */
  unanswered: Set<string>;
}

/** Reads the entries from root to leaf. */
export function readBranch(entries: readonly BranchEntry[]): BranchReading {
  const started = new Map(entries.flatMap(startOf));
  const told = new Set<string>();
  const unanswered = new Map<string, number>();
  const places = new Map(entries.map((entry, index) => [entry.id, index]));
  entries.forEach((entry, index) => {
    const shown = shownIn(entry);
    if (shown.length > 0) {
      for (const id of shown) if (!told.has(id)) unanswered.set(id, index);
    } else if (entry.type === "message" && isGoodAnswer(entry.message)) {
      for (const id of unanswered.keys()) told.add(id);
      unanswered.clear();
    } else if (entry.type === "compaction") {
      // What a compaction dropped before the model saw it was not told.
      const { firstKeptEntryId: first } = entry;
      const kept = (typeof first === "string" ? places.get(first) : undefined) ?? index;
      for (const [id, place] of unanswered) if (place < kept) unanswered.delete(id);
    }
  });
  return { started, told, unanswered: new Set(unanswered.keys()) };
}

function startOf({ type, customType, data }: BranchEntry): [string, string][] {
  if (type !== "custom" || customType !== START_ENTRY) return [];
  const { taskId, folder } = fieldsOf(data);
  if (typeof taskId !== "string" || !TASK_ID.test(taskId)) return [];
  // A session file may come from somebody else: only a folder that holds tasks is looked into.
  return typeof folder === "string" && isTasksFolder(folder) ? [[taskId, folder]] : [];
}

function isGoodAnswer(message: unknown): boolean {
  const { role, stopReason } = fieldsOf(message);
  return role === "assistant" && stopReason !== "error" && stopReason !== "aborted";
}

/** Tasks whose ends the entry shows to the model, or says that it was shown. */
function shownIn(entry: BranchEntry): string[] {
  const { type, customType, data } = entry;
  if (type === "custom_message" && customType === NOTICE_ENTRY) return noticedIn(entry);
  const id = type === "custom" && customType === LOOK_ENTRY ? fieldsOf(data)["taskId"] : undefined;
  return typeof id === "string" && TASK_ID.test(id) ? [id] : [];
}

/** Tasks that the entry says it tells of, and whose notice the model can see in it. */
function noticedIn({ details, content }: BranchEntry): string[] {
  const { taskIds } = fieldsOf(details);
  if (!Array.isArray(taskIds)) return [];
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  return taskIds.filter((id): id is string => typeof id === "string" && text.includes(id));
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
