/**
 * The text by which a model hears of tasks that ended (spec 3.5). It reaches the model as a message of the user, so
 * everything a child wrote in it is escaped. Pure.
 */

import { cleanText, cutLine } from "../base/plain-text.ts";
import { cutToBytes } from "../children/child-text.ts";
import { PREVIEW_BYTES } from "./output-file.ts";
import type { TaskRecord } from "./record.ts";

/** Most bytes of one message. */
const MAX_BATCH_BYTES = 102_400;
const MAX_ERROR_CHARS = 1_000;
const MAX_LABEL_CHARS = 200;

/** One message with the ends of some tasks. */
export interface NoticeBatch {
  batchId: string;
  text: string;
  taskIds: string[];
  /** What it tells of, in the same order. */
  records: TaskRecord[];
}

/** What a notice says beside the record. */
export interface NoticePlace {
  /** The task's output file. */
  outputPath: (taskId: string) => string;
  batchId: () => string;
  nowMs: number;
}

/** Packs the ends of `records` into messages of at most 100 KiB, split between tasks. */
export function noticeBatches(records: readonly TaskRecord[], place: NoticePlace): NoticeBatch[] {
  const batches: { items: string[]; bytes: number; records: TaskRecord[] }[] = [];
  for (const record of records) {
    const item = noticeItem(record, place.outputPath(record.id));
    const bytes = Buffer.byteLength(item) + 1;
    let batch = batches.at(-1);
    if (!batch || batch.bytes + bytes > MAX_BATCH_BYTES - 200) {
      batch = { items: [], bytes: 0, records: [] };
      batches.push(batch);
    }
    batch.items.push(item);
    batch.bytes += bytes;
    batch.records.push(record);
  }
  return batches.map(({ items, records: told }) => {
    const batchId = place.batchId();
    const head = `<bg-task-notifications batch-id="${batchId}" delivered-at-ms="${place.nowMs}">`;
    const text = [head, ...items, "</bg-task-notifications>"].join("\n");
    return { batchId, taskIds: told.map(({ id }) => id), records: told, text };
  });
}

function noticeItem(record: TaskRecord, outputPath: string): string {
  const { id, status, outputBytes, outputPreview, errorMessage, stopReason } = record;
  const attributes = {
    id: `${id}-${status}`,
    "task-id": id,
    "subscription-id": id,
    status,
    label: oneLine(record.label),
    "agent-name": oneLine(record.agentName),
    depth: record.depth,
    "duration-ms": Math.round(record.durationMs ?? 0),
    "transition-at-ms": record.transitionAt,
  };
  const why = errorMessage ?? (status === "succeeded" ? undefined : stopReason);
  const parts = [
    ["output-bytes", String(outputBytes)],
    ["output-preview", cutToBytes(cleanText(outputPreview ?? ""), PREVIEW_BYTES)],
    ["output-ref", outputBytes > 0 ? outputPath : ""],
    ["error", why === undefined ? "" : cutLine(cleanText(why), MAX_ERROR_CHARS)],
    ["next-step", nextStep(record)],
  ];
  const opening = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return [
    `<bg-task-notification ${opening.join(" ")}>`,
    ...parts
      .filter(([, text]) => text !== "")
      .map(([name, text]) => `<${name}>${escaped(text ?? "")}</${name}>`),
    "</bg-task-notification>",
  ].join("\n");
}

function nextStep({ id, status }: TaskRecord): string {
  const read = `call ptc_task_output with taskId "${id}"`;
  if (status === "succeeded") return `${read} for the whole output and the report`;
  if (status === "lost")
    return `the task was cut off; ${read} for what it had, or start it again if it is still needed`;
  return `${read} for what it had`;
}

const oneLine = (text: string): string =>
  cutLine(cleanText(text).replaceAll(/\s+/g, " ").trim(), MAX_LABEL_CHARS);

/** XML text, also fit for an attribute in double quotes. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
