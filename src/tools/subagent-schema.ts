/** `structuredContent` of `ptc_subagent` and its schema (spec 2.8). */

import type { TSchema } from "typebox";
import type { ChildReport, DispatchResult, ReportChannelKind } from "../children/dispatch.ts";
import type { TypeBuilder } from "./tool-parts.ts";

/** What scripts get. Optional keys are absent, never null. */
export interface SubagentData {
  /** `running` for a task that was started. */
  status: DispatchResult["status"] | "running";
  /** `pending` for a task that was started. */
  report_channel: ReportChannelKind | "pending";
  task_id?: string;
  text?: string;
  exit_code?: number;
  signal?: string;
  report?: ChildReport;
  usage?: { input: number; output: number; cost: number; turns: number };
  read_only_tier?: "enforced";
}

export const CHANNELS = [
  "tool",
  "prompt-json",
  "none",
  "opted-out",
] as const satisfies readonly ReportChannelKind[];

/** Schema of the usage that scripts get. */
export function usageSchema(type: TypeBuilder): TSchema {
  return type.Object({
    input: type.Number(),
    output: type.Number(),
    cost: type.Number(),
    turns: type.Number(),
  });
}

export function subagentOutputSchema(type: TypeBuilder): TSchema {
  const usage = usageSchema(type);
  return type.Object({
    status: type.Union(["fulfilled", "rejected", "running"].map((status) => type.Literal(status))),
    report_channel: type.Union([...CHANNELS, "pending"].map((channel) => type.Literal(channel))),
    task_id: type.Optional(type.String({ description: "Of a background task" })),
    text: type.Optional(type.String({ description: "The child's final answer" })),
    exit_code: type.Optional(type.Number()),
    signal: type.Optional(type.String()),
    report: type.Optional(reportSchema(type, usage)),
    usage: type.Optional(usage),
    read_only_tier: type.Optional(type.Literal("enforced")),
  });
}

/** Schema of a child report; also of what `ptc_child_report` takes, without the host's usage. */
export function reportSchema(type: TypeBuilder, usage?: TSchema): TSchema {
  return type.Object({
    summary: type.String({ description: "What you did and found, in your own words" }),
    findings: type.Array(type.Object({ what: type.String(), evidence: type.String() }), {
      description: "Each claim with the independent thing that supports it",
    }),
    files_touched: type.Array(type.String(), { description: "Files you are sure you changed" }),
    ...(usage ? { usage: type.Optional(usage) } : {}),
  });
}
