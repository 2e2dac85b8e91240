/** `ptc_child_report`: how a child hands back what it found. Active only in a child. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { CHILD_REPORT } from "../base/tool-names.ts";
import { reportSchema } from "./subagent-schema.ts";
import { asToolResult, type TypeBuilder } from "./tool-parts.ts";

/** The tool's definition. */
export function createChildReportTool(type: TypeBuilder): ToolDefinition {
  return {
    name: CHILD_REPORT,
    label: "Child report",
    description:
      "Hand your report to whoever gave you this task: call it once, when you are done, then answer in prose. A later call replaces an earlier one.",
    parameters: reportSchema(type),
    outputSchema: reportSchema(type),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    execute: async (_toolCallId, params) =>
      asToolResult({
        content: [{ type: "text", text: "The report was taken. Now give your final answer." }],
        details: { tool: CHILD_REPORT },
        structuredContent: params,
      }),
  };
}
