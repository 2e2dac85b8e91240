/** `ptc_subagent`: one task for a fresh pi, and its answer as data. */

import type { ExtensionToolContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { SUBAGENT } from "../base/tool-names.ts";
import type { ChildProgress, ChildReport, DispatchHandle, DispatchResult } from "../children/dispatch.ts";
import { asData, renderDispatch } from "../children/render-dispatch.ts";
import type { SubagentDetails } from "../render/details.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { type AgentLine, agentLines } from "../surface/dispatch-text.ts";
import { fitText } from "./bounded-json.ts";
import { feedProgress } from "./progress.ts";
import { subagentOutputSchema, type SubagentData } from "./subagent-schema.ts";
import { asToolResult, type TypeBuilder, wordParameter } from "./tool-parts.ts";

/** What a dispatch needs to know of the call it comes from. */
export interface DispatchSurroundings {
  /** Folder and model of the session, and what it can call. */
  ctx: ExtensionToolContext;
  toolCallId: string;
  signal: AbortSignal | undefined;
  onProgress: (progress: () => ChildProgress) => void;
}

/** The one function by which model, programs and scripts reach children. */
export interface ChildAccess {
  /**
   * Runs one child to its end, or starts a task and gives its handle. Never rejects; a refusal is a result with
   * `started: false`.
   */
  dispatch(input: unknown, around: DispatchSurroundings): Promise<DispatchResult | DispatchHandle>;
  /** Did another tool make this call, a program or a script of codemode? */
  isNested(toolCallId: string): boolean;
  agents(): readonly AgentLine[];
  /** Text that with `head` before it is within pi's bounds, the rest in a file that it names. */
  fitText(text: string, head: string): Promise<string>;
}

const LABEL = "Subagent";
const INTRO =
  "Hand one task to a fresh pi with its own context, model and tools, and get its answer back. Use it for work that needs reading or thinking you do not want in this context. The child knows nothing of this conversation: put all it needs into the task.";

/** The tool's definition, made with pi's TypeBox; its text, read anew each time, lists the agents there are now. */
export function createSubagentTool(type: TypeBuilder, access: ChildAccess, rows?: ToolRows): ToolDefinition {
  return {
    name: SUBAGENT,
    label: LABEL,
    ...rows?.subagent(LABEL),
    get description() {
      return [INTRO, agentLines(access.agents())].filter(Boolean).join("\n\n");
    },
    promptSnippet: "Hand a task to a fresh pi with its own context and get its answer",
    parameters: subagentParameters(type),
    outputSchema: subagentOutputSchema(type),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async execute(toolCallId, params, signal, onUpdate, ctx) {
      const feed = feedProgress<ChildProgress>(
        (progress) => onUpdate?.(asToolResult(partialResult(progress))),
        (elapsedMs) => nothingYet(elapsedMs),
      );
      const isNested = access.isNested(toolCallId);
      const ended = rows?.begin(toolCallId);
      try {
        const onProgress = (progress: () => ChildProgress): void => feed.changed(progress);
        const answer = await access.dispatch(params, { ctx, toolCallId, signal, onProgress });
        if ("taskId" in answer) return asToolResult(startedResult(answer));
        return asToolResult(await subagentResult(answer, access, isNested));
      } finally {
        feed.end();
        ended?.();
      }
    },
  };
}

function subagentParameters(type: TypeBuilder) {
  const text = (description: string) => type.Optional(type.String({ description }));
  const number = (description: string) => type.Optional(type.Number({ description }));
  return type.Object({
    task: type.String({ description: "What to do, with all the child needs to know" }),
    agent: text("Name of an agent; without it a plain pi"),
    cwd: text("Folder to work in; default: this session's"),
    agentScope: type.Optional(
      wordParameter(type, ["user", "project", "both"], "Where the agent is looked up; default user"),
    ),
    model: text("Model as provider/id; default: the agent's, else this session's"),
    thinkingLevel: text("Thinking level; default: the agent's, else this session's"),
    label: text("A few words for the human"),
    timeoutMs: number("Deadline of the child in milliseconds"),
    maxTurns: number("Stop the child after so many turns"),
    maxCostUsd: number("Stop the child when it cost more US dollars"),
    readOnly: type.Optional(type.Boolean({ description: "The child may only read" })),
    background: type.Optional(
      type.Boolean({
        description: "Return at once with a task id; the child goes on and you are told when it ends",
      }),
    ),
  });
}

function startedResult(handle: DispatchHandle): object {
  const { taskId } = handle;
  const details: SubagentDetails = { tool: SUBAGENT, running: false, handle };
  const data: SubagentData = { status: "running", report_channel: "pending", task_id: taskId };
  return {
    content: [{ type: "text", text: `Started background task ${taskId}` }],
    details,
    structuredContent: data,
  };
}

/** What pi stores and shows. Programs and scripts get theirs from a nested call, which is stored nowhere: it keeps all. */
async function subagentResult(
  result: DispatchResult,
  access: ChildAccess,
  isNested: boolean,
): Promise<object> {
  const text = isNested ? renderDispatch(result) : await fittedText(result, access);
  const details: SubagentDetails = {
    tool: SUBAGENT,
    running: false,
    result: isNested ? result : boundResult(result),
  };
  return {
    content: [{ type: "text", text }],
    details,
    ...(result.started ? { structuredContent: dataOf(result) } : {}),
    ...(result.usage ? { usage: piUsage(result.usage) } : {}),
    ...(result.status === "rejected" ? { isError: true } : {}),
  };
}

/** What the host says stands first and is never cut away; the child's answer gets the room that is left. */
async function fittedText(result: DispatchResult, access: ChildAccess): Promise<string> {
  const head = renderDispatch({ ...result, text: "" });
  const answer = await access.fitText(asData(result.text), head);
  return [head, answer].filter((part) => part.trim() !== "").join("\n\n");
}

const KIB = 1_024;
/** As JSON; together under 90 KiB. */
const STORED = { text: 16 * KIB, stderr: 16 * KIB, error: 8 * KIB, summary: 4 * KIB, item: 600 };
const MAX_STORED_ITEMS = 20;

/** The text stands in the result's content already; details hold what rows draw, under 128 KiB together. */
function boundResult(result: DispatchResult): DispatchResult {
  const { report, stderr, warnings, errorMessage } = result;
  return {
    ...result,
    text: fitText(result.text, STORED.text),
    ...(stderr === undefined ? {} : { stderr: fitText(stderr, STORED.stderr) }),
    ...(errorMessage === undefined ? {} : { errorMessage: fitText(errorMessage, STORED.error) }),
    ...(warnings ? { warnings: warnings.slice(0, MAX_STORED_ITEMS).map(boundItem) } : {}),
    ...(report ? { report: boundReport(report) } : {}),
  };
}

const boundItem = (text: string): string => fitText(text, STORED.item);

function boundReport(report: ChildReport): ChildReport {
  return {
    ...report,
    summary: fitText(report.summary, STORED.summary),
    findings: report.findings
      .slice(0, MAX_STORED_ITEMS)
      .map(({ what, evidence }) => ({ what: boundItem(what), evidence: boundItem(evidence) })),
    files_touched: report.files_touched.slice(0, MAX_STORED_ITEMS).map(boundItem),
  };
}

function dataOf(result: DispatchResult): SubagentData {
  const { usage, report, exitCode, signal, readOnlyTier } = result;
  return {
    status: result.status,
    report_channel: result.reportChannel,
    text: result.text,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(report ? { report } : {}),
    ...(usage
      ? { usage: { input: usage.input, output: usage.output, cost: usage.cost, turns: usage.turns } }
      : {}),
    ...(readOnlyTier ? { read_only_tier: readOnlyTier } : {}),
  };
}

/** In pi's shape. A child reports its cost as one number; the parts of it are not known here. */
function piUsage({
  input,
  output,
  cacheRead,
  cacheWrite,
  cost,
}: NonNullable<DispatchResult["usage"]>): object {
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
  };
}

function partialResult(progress: ChildProgress): object {
  const { turns, tool, lastText } = progress;
  const doing = tool ? `${tool.running ? "running" : "ran"} ${tool.name}` : lastText;
  const details: SubagentDetails = { tool: SUBAGENT, running: true, progress };
  const turn = turns > 0 ? `turn ${turns}` : "";
  const text = [turn, doing].filter(Boolean).join(": ") || "starting";
  return { content: [{ type: "text", text }], details };
}

function nothingYet(elapsedMs: number): ChildProgress {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 0 };
  return { agentName: "", turns: 0, usage, lastText: "", elapsedMs };
}
