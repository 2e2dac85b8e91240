import { SUBAGENT } from "../base/tool-names.ts";
import { CODEMODE, type CodemodeFacts } from "./choose.ts";
import type { ListedTool } from "./tool-listing.ts";
import { PROGRAM_TOOLS } from "./tool-roles.ts";

/** Programs start no programs, and one road leads to children. */
const UNBOUND: ReadonlySet<string> = new Set([...PROGRAM_TOOLS, CODEMODE, "tool_search", SUBAGENT]);

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
 * Bindable tools whose declarations the model is not shown, `unseen` being active ones that are hidden. Deferred
 * ones, which may be many and come late, are left out for programs to search for.
 */
export function undeclaredTools(loadout: LoadoutView, unseen: ReadonlySet<string> = new Set()): ListedTool[] {
  const declared = new Set(loadout.declared.map((tool) => tool.name).filter((name) => !unseen.has(name)));
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

/** Active tools that pi's codemode hides in its mode `only`: every `direct` one. */
export function hiddenByCodemode(
  loadout: Pick<LoadoutView, "declared" | "getExposure">,
  { active, builtin, only }: CodemodeFacts,
): string[] {
  if (!active || !builtin || !only) return [];
  return loadout.declared.map(({ name }) => name).filter((name) => loadout.getExposure(name) === "direct");
}
