/** `ptc_task_output`: what a background child has said so far, or in the end. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { TASK_OUTPUT } from "../base/tool-names.ts";
import { boundedTail } from "../children/child-text.ts";
import type { TaskOutputDetails } from "../render/details.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { isTerminal, TASK_STATUSES, type TaskRecord } from "../tasks/record.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";
import { CHANNELS, reportSchema, usageSchema } from "./subagent-schema.ts";
import { oneLine, READING_ANNOTATIONS, refuse, rowOf, type TaskAccess } from "./task-access.ts";
import { bodyOf, fittingPart, headOf, type Part, rangeLines, roomBeside } from "./task-output-text.ts";
import { asToolResult, type TypeBuilder } from "./tool-parts.ts";

const DEFAULT_WINDOW_BYTES = 51_200;
const MAX_WINDOW_BYTES = 1_048_576;
const MAX_STORED_CHARS = 4_096;

interface OutputArguments {
  taskId: string;
  sinceBytes?: number;
  maxBytes?: number;
}

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
  const head = headOf(record, { progress: tasks.progressOf(record.id), withReport: !isWindow, bounds });
  const room = roomBeside(head, bounds);
  const page = isWindow
    ? tasks.output(record, {
        since: asked.sinceBytes ?? 0,
        maxBytes: asked.maxBytes ?? DEFAULT_WINDOW_BYTES,
      })
    : fittingPart(record, room, (wish) => tasks.output(record, wish));
  if (!page.ok) return refuse(page.problem);
  const { start: since, end } = page;
  const shown =
    isWindow && end > since
      ? fittingPart(record, { ...room, maxBytes: Math.min(end - since, room.maxBytes) }, (wish) =>
          tasks.output(record, { since, ...wish }),
        )
      : page;
  if (!shown.ok) return refuse(shown.problem);
  if (isTerminal(record.status)) access.wasShown(record.id);
  return asToolResult(outputResult({ record, head, page, shown }, tasks));
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
