/** What the model is told about children: how a program starts one, and which agents there are. */

import { cutLine } from "../base/plain-text.ts";
import { DISPATCH } from "../base/tool-names.ts";

/** An agent as the model sees it. */
export interface AgentLine {
  name: string;
  description: string;
  scope: "user" | "project";
}

/** Most agents that are listed (spec 1.4). */
const MAX_AGENTS = 20;
const MAX_LINE_CHARS = 160;

/** How programs start children; stands beside the contract where they can. */
export const DISPATCH_USAGE = `Children: \`await tools["${DISPATCH}"]({ task, agent?, agentScope?, cwd?, model?, readOnly?, timeoutMs?, background?, ... })\` gives one task to a fresh pi with its own context. It never rejects and has no \`content\`: it resolves to \`{ status: "fulfilled" | "rejected", text, report?: { summary, findings: { what, evidence }[], files_touched }, reportChannel, usage?, errorMessage?, started, readOnlyTier?: "enforced" }\`. A call over the limit of children at once is refused, not queued: pace with \`parallel(thunks, { limit })\` in ptc_workflow. The child knows only its task. With \`background: true\` it goes on by itself and the call resolves at once to \`{ taskId, label, status: "running" }\`; you are told when it ends, and \`ptc_task_output\` reads it.`;

/** The file may come with a repository: it must not be able to close a tag of the prompt. */
const inLine = (text: string): string => text.replaceAll("\n", " ").replaceAll("<", "&lt;");

/** The agents, one a line; empty without any. */
export function agentLines(agents: readonly AgentLine[]): string {
  if (agents.length === 0) return "";
  const lines = agents.slice(0, MAX_AGENTS).map(({ name, description, scope }) => {
    const where = scope === "project" ? ' (agentScope "project")' : "";
    return cutLine(`- ${inLine(name)}${where}: ${inLine(description)}`, MAX_LINE_CHARS);
  });
  const more = agents.length > MAX_AGENTS ? [`- and ${agents.length - MAX_AGENTS} more`] : [];
  return ["Agents (`agent`):", ...lines, ...more].join("\n");
}
