/** `ptc_task_output`: what a background child has said so far, or in the end. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { TASK_OUTPUT } from "../base/tool-names.ts";
import { boundedTail } from "../children/child-text.ts";
import type { ChildProgress } from "../children/dispatch.ts";
import { asData, renderDispatch } from "../children/render-dispatch.ts";
import type { TaskOutputDetails } from "../render/details.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { isTerminal, TASK_STATUSES, type TaskRecord } from "../tasks/record.ts";
import type { OutputPart } from "../tasks/output-window.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";
import { CHANNELS, reportSchema, usageSchema } from "./subagent-schema.ts";
import {
  dataLine,
  elapsedText,
  oneLine,
  READING_ANNOTATIONS,
  refuse,
  rowOf,
  type TaskAccess,
  type TextBounds,
} from "./task-access.ts";
import { asToolResult, type TypeBuilder } from "./tool-parts.ts";

const DEFAULT_WINDOW_BYTES = 51_200;
const MAX_WINDOW_BYTES = 1_048_576;
/** Room for the line that says which bytes are shown. */
const RANGE_BYTES = 600;
const MAX_STORED_CHARS = 4_096;
const MAX_WARNINGS = 10;

interface OutputArguments {
  taskId: string;
  sinceBytes?: number;
  maxBytes?: number;
}

type Part = Extract<OutputPart, { ok: true }>;

/** What was read for one call. A text for the model is bounded; what scripts get is as long as they asked for. */
interface Reading {
  record: TaskRecord;
  head: string[];
  page: Part;
  /** The beginning of the page, or all of it. */
  shown: Part;
}

const LABEL = "Task output";

/** The tool's definition, made with pi's TypeBox. */
export function createTaskOutputTool(type: TypeBuilder, access: TaskAccess, rows?: ToolRows): ToolDefinition {
  return {
    name: TASK_OUTPUT,
    label: LABEL,
    ...rows?.task(LABEL),
    description:
      "Read the output of a background child, also while it runs. Without a window you get its end; with sinceBytes and maxBytes one page, and where the next begins.",
    promptSnippet: "Read the output of a background task",
    parameters: type.Object({
      taskId: type.String({ description: "Id of the task" }),
      sinceBytes: type.Optional(type.Number({ description: "Byte to read from; default 0" })),
      maxBytes: type.Optional(
        type.Number({
          description: `Bytes to read, 1 to ${MAX_WINDOW_BYTES}; default ${DEFAULT_WINDOW_BYTES}`,
        }),
      ),
    }),
    outputSchema: outputSchema(type),
    annotations: READING_ANNOTATIONS,
    async execute(_toolCallId, params) {
      const asked = params as unknown as OutputArguments;
      const problem = windowProblem(asked);
      if (problem !== undefined) return refuse(problem);
      try {
        return readTask(asked, access);
      } catch (thrown) {
        return refuse(`task ${oneLine(asked.taskId)} could not be read: ${errorText(thrown)}`);
      }
    },
  };
}

function outputSchema(type: TypeBuilder) {
  const usage = usageSchema(type);
  return type.Object({
    task_id: type.String(),
    status: type.Union(TASK_STATUSES.map((status) => type.Literal(status))),
    output: type.String(),
    output_bytes: type.Number({ description: "Size of the whole output so far" }),
    next_offset: type.Optional(type.Number({ description: "sinceBytes of the next page" })),
    output_preview: type.Optional(type.String()),
    output_truncated: type.Boolean({ description: "output is not the whole" }),
    output_full_path: type.Optional(type.String()),
    report_channel: type.Optional(type.Union(CHANNELS.map((channel) => type.Literal(channel)))),
    read_only_tier: type.Optional(type.Literal("enforced")),
    report: type.Optional(reportSchema(type, usage)),
    usage: type.Optional(usage),
  });
}

function windowProblem({
  sinceBytes = 0,
  maxBytes = DEFAULT_WINDOW_BYTES,
}: OutputArguments): string | undefined {
  if (!Number.isSafeInteger(sinceBytes) || sinceBytes < 0)
    return `sinceBytes is ${sinceBytes}; it must be a whole number from 0 on`;
  if (!Number.isInteger(maxBytes) || maxBytes < 1 || maxBytes > MAX_WINDOW_BYTES)
    return `maxBytes is ${maxBytes}; it must be a whole number from 1 to ${MAX_WINDOW_BYTES}`;
  return undefined;
}

function readTask(asked: OutputArguments, access: TaskAccess): ReturnType<typeof asToolResult> {
  const tasks = access.tasks();
  // The status first: what is read after it is all there is of a task that is over.
  const found = tasks.find(asked.taskId);
  if (!found.ok) return refuse(found.problem);
  const { record } = found;
  const { bounds } = access;
  const isWindow = asked.sinceBytes !== undefined || asked.maxBytes !== undefined;
  const head = headOf(record, { progress: tasks.progressOf(record.id), withReport: !isWindow });
  const page = isWindow
    ? tasks.output(record, {
        since: asked.sinceBytes ?? 0,
        maxBytes: asked.maxBytes ?? DEFAULT_WINDOW_BYTES,
      })
    : tasks.output(record, roomBeside(head, bounds));
  if (!page.ok) return refuse(page.problem);
  const maxBytes = Math.min(page.end - page.start, bounds.maxBytes);
  const shown =
    isWindow && maxBytes > 0
      ? tasks.output(record, { since: page.start, maxBytes, maxLines: bounds.maxLines })
      : page;
  if (!shown.ok) return refuse(shown.problem);
  if (isTerminal(record.status)) access.wasShown(record.id);
  return asToolResult(outputResult({ record, head, page, shown }, tasks));
}

function roomBeside(head: readonly string[], { maxBytes, maxLines }: TextBounds): TextBounds {
  const lines = head.join("\n").split("\n").length;
  return {
    maxBytes: Math.max(1_024, maxBytes - Buffer.byteLength(head.join("\n")) - RANGE_BYTES),
    maxLines: Math.max(10, maxLines - lines - 3),
  };
}

function outputResult({ record, head, page, shown }: Reading, tasks: SessionTasks): object {
  const isOver = isTerminal(record.status);
  const isPart = page.start > 0 || page.end < page.size;
  const nextOffset = page.end < page.size || !isOver ? page.end : undefined;
  const path = page.size > 0 ? tasks.outputPath(record.id) : undefined;
  const text = [...head, ...rangeLines({ record, page, shown, nextOffset, path }), "", bodyOf(record, shown)];
  const details: TaskOutputDetails = {
    tool: TASK_OUTPUT,
    task: rowOf(record),
    output: boundedTail(page.text, MAX_STORED_CHARS),
    truncated: isPart,
    at: Date.now(),
    ...(nextOffset === undefined ? {} : { nextOffset }),
  };
  return {
    content: [{ type: "text", text: text.join("\n").trimEnd() }],
    details,
    structuredContent: {
      ...dataOf(record, page, isPart),
      ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
      ...(path ? { output_full_path: path } : {}),
    },
  };
}

/** Which bytes are shown and where the next begin; nothing where all there will ever be is shown. */
function rangeLines({
  record,
  page,
  shown,
  nextOffset,
  path,
}: Omit<Reading, "head"> & { nextOffset: number | undefined; path: string | undefined }): string[] {
  const next = shown.end < page.end ? shown.end : nextOffset;
  if (shown.start === 0 && next === undefined) return [];
  const parts = [
    `Bytes ${shown.start}-${shown.end} of ${shown.size}${isTerminal(record.status) ? "" : " so far"}`,
    ...(next === undefined ? [] : [`next sinceBytes ${next}`]),
    ...(path ? [`full output: ${path}`] : []),
  ];
  return [`[${parts.join("; ")}]`];
}

function bodyOf({ status, outputPreview }: TaskRecord, { text, size }: Part): string {
  if (size > 0 || !isTerminal(status) || !outputPreview) return asData(text);
  return `[The output is not on disk; this is its end.]\n${asData(outputPreview)}`;
}

function headOf(
  record: TaskRecord,
  { progress, withReport }: { progress: ChildProgress | undefined; withReport: boolean },
): string[] {
  const { id, status, agentName, depth, label, stopReason, errorMessage, warnings = [] } = record;
  const line = [
    id,
    status,
    `${dataLine(agentName, 60)} depth=${depth}`,
    dataLine(label),
    elapsedText(record, Date.now()),
  ];
  const tool = progress?.tool;
  const doing = progress && [
    `turn ${progress.turns}`,
    ...(tool ? [`${tool.running ? "running" : "ran"} ${dataLine(tool.name)}`] : []),
  ];
  const result = renderDispatch({
    status: "fulfilled",
    text: "",
    started: true,
    agentName,
    durationMs: 0,
    reportChannel: record.reportChannel ?? "none",
    ...(withReport && record.report ? { report: record.report } : {}),
    ...(record.usage ? { usage: record.usage } : {}),
  });
  return [
    line.join("  "),
    ...(doing ? [doing.join(", ")] : []),
    ...(stopReason === undefined ? [] : [`stop reason: ${dataLine(stopReason)}`]),
    ...(errorMessage === undefined ? [] : [`error: ${dataLine(errorMessage, 1_000)}`]),
    ...warnings.slice(0, MAX_WARNINGS).map((warning) => `Warning: ${dataLine(warning, 500)}`),
    ...(warnings.length > MAX_WARNINGS ? [`Warning: and ${warnings.length - MAX_WARNINGS} more`] : []),
    ...(result === "" ? [] : [result]),
  ];
}

function dataOf(record: TaskRecord, part: Part, isPart: boolean): object {
  const { usage, report, reportChannel, readOnlyTier, outputPreview } = record;
  return {
    task_id: record.id,
    status: record.status,
    output: part.text,
    output_bytes: part.size,
    output_truncated: isPart,
    ...(outputPreview === undefined ? {} : { output_preview: outputPreview }),
    ...(reportChannel === undefined ? {} : { report_channel: reportChannel }),
    ...(readOnlyTier === undefined ? {} : { read_only_tier: readOnlyTier }),
    ...(report === undefined ? {} : { report }),
    ...(usage
      ? { usage: { input: usage.input, output: usage.output, cost: usage.cost, turns: usage.turns } }
      : {}),
  };
}
