/** `ptc_task_list`: the background tasks of this session, newest first. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { TASK_LIST } from "../base/tool-names.ts";
import type { TaskListDetails } from "../render/details.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { TASK_STATUSES, type TaskRecord, type TaskStatus } from "../tasks/record.ts";
import { dataLine, elapsedText, READING_ANNOTATIONS, refuse, rowOf, type TaskAccess } from "./task-access.ts";
import { asToolResult, type TypeBuilder, wordParameter } from "./tool-parts.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** Tasks that details carry for a row, which draws fewer. */
const MAX_STORED = 100;
const MAX_WARNINGS = 10;

const LABEL = "Tasks";

/** The tool's definition, made with pi's TypeBox. */
export function createTaskListTool(type: TypeBuilder, access: TaskAccess, rows?: ToolRows): ToolDefinition {
  return {
    name: TASK_LIST,
    label: LABEL,
    ...rows?.task(LABEL),
    description: "List this session's background children, newest first.",
    promptSnippet: "List background tasks",
    parameters: type.Object({
      status: type.Optional(
        type.Array(wordParameter(type, TASK_STATUSES), {
          description: "Only tasks with one of these",
        }),
      ),
      limit: type.Optional(type.Number({ description: `1 to ${MAX_LIMIT}; default ${DEFAULT_LIMIT}` })),
    }),
    outputSchema: listSchema(type),
    annotations: READING_ANNOTATIONS,
    async execute(_toolCallId, params) {
      const { status, limit = DEFAULT_LIMIT } = params as { status?: TaskStatus[]; limit?: number };
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
        return refuse(`limit is ${limit}; it must be a whole number from 1 to ${MAX_LIMIT}`);
      try {
        const tasks = access.tasks();
        const { records, warnings } = await tasks.page({
          statuses: status?.length ? status : undefined,
          limit,
        });
        const nothing = records.length > 0 ? undefined : nothingText(status ?? [], tasks.count());
        return asToolResult(
          listResult(records, { warnings, untold: tasks.untold().length, nothing }, access),
        );
      } catch (thrown) {
        return refuse(`the tasks could not be listed: ${errorText(thrown)}`);
      }
    },
  };
}

function listSchema(type: TypeBuilder) {
  const task = type.Object({
    id: type.String(),
    status: type.Union(TASK_STATUSES.map((status) => type.Literal(status))),
    agent: type.String(),
    depth: type.Number(),
    label: type.String(),
    output_bytes: type.Optional(type.Number()),
    error_message: type.Optional(type.String()),
  });
  return type.Object({ tasks: type.Array(task), count: type.Number() });
}

function listResult(
  records: readonly TaskRecord[],
  { warnings, untold, nothing }: { warnings: string[]; untold: number; nothing: string | undefined },
  access: TaskAccess,
): object {
  const now = Date.now();
  const notes = [
    ...(nothing === undefined ? [] : [nothing]),
    ...(untold > 0 ? [`${untold} of the ended tasks you have not been told of yet`] : []),
    ...warnings.slice(0, MAX_WARNINGS).map((warning) => `Warning: ${dataLine(warning, 500)}`),
    ...(warnings.length > MAX_WARNINGS
      ? [`Warning: and ${warnings.length - MAX_WARNINGS} more like these`]
      : []),
  ];
  const lines = records.map((record) => taskLine(record, now));
  const shown = fitting(lines, notes, access.bounds);
  const more = lines.length - shown.length;
  const details: TaskListDetails = {
    tool: TASK_LIST,
    tasks: records.slice(0, MAX_STORED).map(rowOf),
    total: records.length,
    warnings: warnings.slice(0, MAX_WARNINGS),
    at: now,
  };
  const text = [...shown, ...(more > 0 ? [`and ${more} more; use limit or status`] : []), ...notes].join(
    "\n",
  );
  return {
    content: [{ type: "text", text }],
    details,
    structuredContent: { tasks: records.map(dataOf), count: records.length },
  };
}

/** A filter that meets nothing must not read as if nothing had been started. */
function nothingText(statuses: readonly TaskStatus[], total: number): string {
  if (statuses.length === 0 || total === 0) return "no background tasks";
  return `no background tasks with status ${statuses.join(" or ")}; without the filter there ${total === 1 ? "is 1" : `are ${total}`}`;
}

/** The first lines that fit, so that the newest are shown. */
function fitting(lines: readonly string[], notes: readonly string[], bounds: TaskAccess["bounds"]): string[] {
  let bytes = Buffer.byteLength(notes.join("\n")) + 200;
  const count = lines.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > bounds.maxBytes || index >= bounds.maxLines - notes.length - 2;
  });
  return count === -1 ? [...lines] : lines.slice(0, count);
}

/** A task in one line, as the model sees it. */
export function taskLine(record: TaskRecord, nowMs: number): string {
  const { id, status, agentName, depth, outputBytes, errorMessage } = record;
  const parts = [
    id,
    status,
    `${dataLine(agentName, 60)} depth=${depth}`,
    dataLine(record.label),
    `${outputBytes}B`,
    ...elapsedText(record, nowMs),
    ...(errorMessage === undefined ? [] : [`error=${dataLine(errorMessage)}`]),
  ];
  return parts.join("  ");
}

function dataOf({ id, status, agentName, depth, label, outputBytes, errorMessage }: TaskRecord): object {
  return {
    id,
    status,
    agent: agentName,
    depth,
    label,
    output_bytes: outputBytes,
    ...(errorMessage === undefined ? {} : { error_message: errorMessage }),
  };
}
