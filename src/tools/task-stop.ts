/** `ptc_task_stop`: asks a background child to end. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { TASK_STOP } from "../base/tool-names.ts";
import { asData } from "../children/render-dispatch.ts";
import type { TaskStopDetails } from "../render/details.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { TASK_STATUSES } from "../tasks/record.ts";
import { oneLine, refuse, rowOf, type TaskAccess } from "./task-access.ts";
import { asToolResult, type TypeBuilder } from "./tool-parts.ts";

const DEFAULT_REASON = "model stop";
const MAX_REASON_CHARS = 500;

const LABEL = "Stop task";

/** The tool's definition, made with pi's TypeBox. */
export function createTaskStopTool(type: TypeBuilder, access: TaskAccess, rows?: ToolRows): ToolDefinition {
  const status = type.Union(TASK_STATUSES.map((name) => type.Literal(name)));
  return {
    name: TASK_STOP,
    label: LABEL,
    ...rows?.task(LABEL),
    description: "Stop a background child of this session. It has a few seconds to end by itself.",
    promptSnippet: "Stop a background task",
    parameters: type.Object({
      taskId: type.String({ description: "Id of the task" }),
      reason: type.Optional(type.String({ description: "Why; kept with the task" })),
    }),
    outputSchema: type.Object({
      task_id: type.String(),
      status,
      from_status: status,
      stop_reason: type.Optional(type.String()),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async execute(_toolCallId, params) {
      const { taskId, reason } = params as { taskId: string; reason?: string };
      try {
        const why = oneLine(reason ?? "", MAX_REASON_CHARS) || DEFAULT_REASON;
        const reply = await access.tasks().stop(taskId, why, "model");
        if (!reply.ok) return refuse(reply.problem);
        const { record, fromStatus } = reply;
        const { stopReason } = record;
        const details: TaskStopDetails = {
          tool: TASK_STOP,
          task: rowOf(record),
          fromStatus,
          at: Date.now(),
          ...(stopReason === undefined ? {} : { stopReason }),
        };
        return asToolResult({
          content: [
            { type: "text", text: `${taskId}  ${record.status}  reason=${asData(stopReason ?? "none")}` },
          ],
          details,
          structuredContent: {
            task_id: taskId,
            status: record.status,
            from_status: fromStatus,
            ...(stopReason === undefined ? {} : { stop_reason: stopReason }),
          },
        });
      } catch (thrown) {
        return refuse(`task ${oneLine(taskId)} could not be stopped: ${errorText(thrown)}`);
      }
    },
  };
}
