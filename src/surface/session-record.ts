/** What a session's entries tell about our tools. */

import { BUILT_INS } from "./tool-roles.ts";

/** Type of the custom entry that keeps `/ptc on` and `/ptc off`. */
export const MODE_ENTRY_TYPE = "ptc-mode";

/** Data of that entry. */
export interface ModeEntry {
  mode: "on" | "off";
}

/** What is read of a session entry. */
export interface RecordedEntry {
  type: string;
  customType?: string;
  data?: unknown;
  message?: unknown;
}

/** The last `/ptc on` or `/ptc off` of the session. */
export function chosenMode(entries: readonly RecordedEntry[]): "on" | "off" | undefined {
  for (const { type, customType, data } of entries.toReversed()) {
    if (type !== "custom" || customType !== MODE_ENTRY_TYPE) continue;
    const { mode } = (data ?? {}) as Partial<ModeEntry>;
    if (mode === "on" || mode === "off") return mode;
  }
  return undefined;
}

/**
 * Those of `names` that the branch lost when it was resumed without this package: then only tools of extensions went
 * in that step. One that also took a built-in tool away was somebody's choice.
 */
export function leftBehindTools(branch: readonly RecordedEntry[], names: readonly string[]): string[] {
  const steps = branch.flatMap(({ type, message }) => (type === "message" ? [toolStep(message)] : []));
  return names.filter((name) => {
    const last = steps.findLast(({ added, removed }) => added.includes(name) || removed.includes(name));
    return last?.removed.includes(name) && !last.removed.some((other) => BUILT_INS.includes(other));
  });
}

/** Names that a system message adds and removes, however foreign its shape. */
function toolStep(message: unknown): { added: string[]; removed: string[] } {
  const { role, toolsAdded, toolsRemoved } = (message ?? {}) as Record<string, unknown>;
  if (role !== "system") return { added: [], removed: [] };
  return { added: namesIn(toolsAdded), removed: namesIn(toolsRemoved) };
}

function namesIn(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  const names = tools.map((tool) => (tool as { name?: unknown } | null)?.name);
  return names.filter((name) => typeof name === "string");
}
