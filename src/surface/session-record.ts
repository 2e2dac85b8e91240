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
 * Did the branch lose `names` because it was resumed without this package? Then only tools of extensions went with
 * them. A step that also took a built-in tool away was somebody's choice.
 */
export function wasLeftBehind(branch: readonly RecordedEntry[], names: readonly string[]): boolean {
  for (const { type, message } of branch.toReversed()) {
    const removed = type === "message" ? removedTools(message) : [];
    if (removed.some((name) => names.includes(name)))
      return !removed.some((name) => BUILT_INS.includes(name));
  }
  return false;
}

function removedTools(message: unknown): string[] {
  const { role, toolsRemoved } = (message ?? {}) as { role?: unknown; toolsRemoved?: unknown };
  if (role !== "system" || !Array.isArray(toolsRemoved)) return [];
  return toolsRemoved
    .map((tool) => (tool as { name?: unknown } | null)?.name)
    .filter((name) => typeof name === "string");
}
