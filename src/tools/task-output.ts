/** `ptc_task_output`: what a background child has said so far, or in the end. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { TASK_OUTPUT } from "../base/tool-names.ts";
import type { ChildProgress } from "../children/dispatch.ts";
import { asData, renderDispatch } from "../children/render-dispatch.ts";
import type { TaskOutputDetails } from "../render/details.ts";
import { isTerminal, TASK_STATUSES, type TaskRecord } from "../tasks/record.ts";
import type { OutputPart } from "../tasks/output-window.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";
import { CHANNELS, reportSchema, usageSchema } from "./subagent-schema.ts";
import { elapsedText, oneLine, READING_ANNOTATIONS, refuse, rowOf, type TaskAccess } from "./task-access.ts";
import { asToolResult, type TypeBuilder } from "./tool-parts.ts";

const DEFAULT_WINDOW_BYTES = 51_200;
const MAX_WINDOW_BYTES = 1_048_576;
/** Room for the head beside the output. */
const HEAD_BYTES = 1_024;
const MAX_STORED_CHARS = 4_096;

interface OutputArguments {
  taskId: string;
  sinceBytes?: number;
  maxBytes?: number;
}

type Part = Extract<OutputPart, { ok: true }>;

/** The tool's definition, made with pi's TypeBox. */
export function createTaskOutputTool(type: TypeBuilder, access: TaskAccess): ToolDefinition {
  return {
    name: TASK_OUTPUT,
    label: "Task output",
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
  const found = tasks.find(asked.taskId);
  if (!found.ok) return refuse(found.problem);
  const isWindow = asked.sinceBytes !== undefined || asked.maxBytes !== undefined;
  const part = tasks.output(asked.taskId, {
    ...(isWindow ? { since: asked.sinceBytes ?? 0 } : {}),
    maxBytes: isWindow ? (asked.maxBytes ?? DEFAULT_WINDOW_BYTES) : access.bounds.maxBytes - HEAD_BYTES,
  });
  if (!part.ok) return refuse(part.problem);
  if (isTerminal(found.record.status)) access.wasShown(asked.taskId);
  const shown = isWindow ? part : endOf(part, access);
  return asToolResult(outputResult(found.record, { tasks, part: shown, isWindow }, access));
}

/** As many of the last lines as pi's bounds allow. */
function endOf(part: Part, access: TaskAccess): Part {
  const { maxBytes, maxLines } = access.bounds;
  const { content } = access.truncateTail(part.text, {
    maxBytes: maxBytes - HEAD_BYTES,
    maxLines: maxLines - 20,
  });
  return { ...part, text: content, start: part.end - Buffer.byteLength(content) };
}

function outputResult(
  record: TaskRecord,
  { tasks, part, isWindow }: { tasks: SessionTasks; part: Part; isWindow: boolean },
  access: TaskAccess,
): object {
  const { id, status } = record;
  const isOver = isTerminal(status);
  const isPart = part.start > 0 || part.end < part.size;
  const nextOffset = part.end < part.size || !isOver ? part.end : undefined;
  const path = part.size > 0 ? tasks.outputPath(id) : undefined;
  const head = headOf(record, {
    progress: tasks.progressOf(id),
    withReport: isOver && part.start === 0 && !isPart,
  });
  const details: TaskOutputDetails = {
    tool: TASK_OUTPUT,
    task: rowOf(record),
    output: part.text.slice(-MAX_STORED_CHARS),
    truncated: isPart,
    ...(nextOffset === undefined ? {} : { nextOffset }),
  };
  const range = isPart ? [`[Bytes ${part.start}-${part.end} of ${part.size}. Full output: ${path}]`] : [];
  const body = boundedBody(part.text, isWindow, access);
  return {
    content: [{ type: "text", text: [...head, ...range, "", body].join("\n").trimEnd() }],
    details,
    structuredContent: {
      ...dataOf(record, part, isPart),
      ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
      ...(path ? { output_full_path: path } : {}),
    },
  };
}

/** A window may be asked for larger than what a model is shown; scripts get all of it. */
function boundedBody(text: string, isWindow: boolean, { bounds }: TaskAccess): string {
  const clean = asData(text);
  if (!isWindow) return clean;
  const lines = clean.split("\n").slice(0, bounds.maxLines - 20);
  let shown = lines.join("\n");
  if (Buffer.byteLength(shown) > bounds.maxBytes)
    shown = Buffer.from(shown)
      .subarray(0, bounds.maxBytes - HEAD_BYTES)
      .toString("utf8")
      .replace(/\uFFFD$/, "");
  if (shown.length === clean.length) return shown;
  return `${shown}\n[The rest of this page is left out here; ask for a smaller maxBytes.]`;
}

function headOf(
  record: TaskRecord,
  { progress, withReport }: { progress: ChildProgress | undefined; withReport: boolean },
): string[] {
  const { id, status, agentName, depth, label, stopReason, errorMessage, warnings = [] } = record;
  const line = [
    id,
    status,
    `${oneLine(agentName, 60)} depth=${depth}`,
    oneLine(label),
    elapsedText(record, Date.now()),
  ];
  const tool = progress?.tool;
  const doing = progress && [
    `turn ${progress.turns}`,
    ...(tool ? [`${tool.running ? "running" : "ran"} ${oneLine(tool.name)}`] : []),
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
    ...(stopReason === undefined ? [] : [`stop reason: ${oneLine(stopReason)}`]),
    ...(errorMessage === undefined ? [] : [`error: ${oneLine(errorMessage, 1_000)}`]),
    ...warnings.map((warning) => `Warning: ${oneLine(warning, 500)}`),
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
