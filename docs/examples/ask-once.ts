/**
 * A permission extension that asks once for a program instead of once for each of its calls. Reading passes; what an
 * approved program calls passes; everything else is asked for. Load it with `pi -e ask-once.ts`.
 */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** pi's own tools say nothing of themselves, so what only reads is named here. */
const READING = new Set(["read", "grep", "find", "ls", "ptc_task_list", "ptc_task_output"]);
const PROGRAMS = new Set(["ptc_run_code", "ptc_workflow"]);

export default function askOnce(pi: ExtensionAPI): void {
  /** Calls of programs that were approved and still run. */
  const approved = new Set<string>();
  const isOfApproved = (parent: string): boolean =>
    [...approved].some((id) => parent === id || parent.startsWith(`${id}/`));
  let lastQuestion: Promise<unknown> = Promise.resolve();

  pi.on("tool_call", async ({ toolName, toolCallId, parentToolCallId, input }, ctx) => {
    if (READING.has(toolName)) return undefined;
    if (parentToolCallId !== undefined && isOfApproved(parentToolCallId)) return undefined;
    const isProgram = PROGRAMS.has(toolName);
    const title = isProgram ? "Run this program and all it calls?" : `Call ${toolName}?`;
    const { code, script } = input as { code?: string; script?: string };
    const text = (isProgram && (code ?? script)) || JSON.stringify(input).slice(0, 500);
    const question = lastQuestion.then(() => ctx.ui.confirm(title, text));
    lastQuestion = question.catch(() => undefined);
    if (!(await question)) return { block: true, reason: `${toolName} was not approved` };
    if (isProgram) approved.add(toolCallId);
    return undefined;
  });
  pi.on("tool_execution_end", ({ toolCallId }) => void approved.delete(toolCallId));
}
