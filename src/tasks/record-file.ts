/** One file that should hold a record: read with suspicion, since others may have written it. */

import { readHead, readSmallFile } from "../base/private-file.ts";
import { isTerminal, type TaskRecord, type TaskStatus } from "./record.ts";
import type { RecordCheck } from "./record-schema.ts";

/** A record holds a report of at most 1 MiB of characters. */
const MAX_RECORD_BYTES = 16_777_216;
/** Our own records begin so. */
const HEAD = /^\{"schema":1,"id":"[0-9A-Z]{26}","status":"([a-z]+)"/;
const HEAD_BYTES = 80;

/** What stands in a file, and a stamp that changes with it. */
export type RecordFile =
  | { kind: "record"; record: TaskRecord; stamp: string }
  | { kind: "absent" }
  | { kind: "unusable"; problem: string; stamp: string };

/** Reads the file of task `id`. Never throws. */
export function readRecordFile(path: string, id: string, check: RecordCheck): RecordFile {
  const file = readSmallFile(path, MAX_RECORD_BYTES);
  if (file.kind === "absent") return file;
  const unusable = (what: string): RecordFile => ({
    kind: "unusable",
    problem: `${path} ${what}; it is left in place`,
    stamp: file.stamp,
  });
  if (file.kind === "unusable") return unusable(file.problem);
  let value: unknown;
  try {
    value = JSON.parse(file.text);
  } catch {
    // Half-written, or no JSON at all: the sentence says all there is to say.
    return unusable(file.text.trim() === "" ? "is empty" : "is no JSON");
  }
  const { schema, id: writtenId } = (value ?? {}) as Partial<Record<"schema" | "id", unknown>>;
  if (typeof schema === "number" && schema > 1)
    return unusable(`was written by a newer version (schema ${schema})`);
  if (!check(value)) return unusable("is no task record");
  if (writtenId !== id) return unusable("holds the record of another task");
  return { kind: "record", record: value as TaskRecord, stamp: file.stamp };
}

/** A reader of how tasks ended that looks at the first bytes of their files only; undefined says that it cannot tell. */
export function endReader(): (path: string) => TaskStatus | undefined {
  const buffer = Buffer.alloc(HEAD_BYTES);
  return (path) => {
    const status = HEAD.exec(readHead(path, buffer) ?? "")?.[1] as TaskStatus | undefined;
    return status !== undefined && ENDS.has(status) ? status : undefined;
  };
}

const ENDS: ReadonlySet<TaskStatus> = new Set(
  (["succeeded", "failed", "canceled", "lost"] as const).filter(isTerminal),
);

/** What is written. The status stands near the beginning; see `endReader`. */
export function recordText({ schema, id, status, ...rest }: TaskRecord): string {
  return JSON.stringify({ schema, id, status, ...rest });
}
