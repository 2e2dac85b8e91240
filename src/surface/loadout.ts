import { RUN_CODE, SUBAGENT, WORKFLOW } from "../base/tool-names.ts";
import type { ListedTool } from "./tool-listing.ts";

/** Programs start no programs, and one road leads to children. */
const UNBOUND: ReadonlySet<string> = new Set([RUN_CODE, WORKFLOW, "codemode", "tool_search", SUBAGENT]);

/** A tool of pi's. */
export interface CallableTool {
  name: string;
  description: string;
  parameters: unknown;
  outputSchema?: unknown;
}

/** The part of pi's `ToolLoadout` that is read. */
export interface LoadoutView {
  declared: readonly { name: string }[];
  callable: readonly CallableTool[];
  getExposure(name: string): string;
  getNamespace(name: string): ListedTool["namespace"];
  getPromptGuidelines(name: string): readonly string[];
}

/** Of all tools that pi lets a tool call, those that programs may. */
export function bindableTools<T extends { name: string }>(callable: readonly T[]): T[] {
  return callable.filter((tool) => !UNBOUND.has(tool.name));
}

/**
 * Bindable tools that are not declared to the model. Deferred ones, which may be many and come late, are
 * left out for programs to search for.
 */
export function undeclaredTools(loadout: LoadoutView): ListedTool[] {
  const declared = new Set(loadout.declared.map((tool) => tool.name));
  return bindableTools(loadout.callable)
    .filter((tool) => !declared.has(tool.name) && loadout.getExposure(tool.name) !== "deferred")
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      outputSchema: tool.outputSchema,
      guidelines: loadout.getPromptGuidelines(tool.name),
      namespace: loadout.getNamespace(tool.name),
    }));
}
