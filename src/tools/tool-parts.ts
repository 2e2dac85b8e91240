import type { AgentToolResult, ToolAnnotations } from "@earendil-works/pi-coding-agent";
import type { TSchema } from "typebox";

/** pi's `Type`. */
export type TypeBuilder = (typeof import("typebox"))["Type"];

/** Any tool, and full Node. */
export const PROGRAM_ANNOTATIONS: Readonly<ToolAnnotations> = Object.freeze({
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
});

/** Globals by which a program may come to any name. */
const DISCOVERY = /\b(searchTools|describeTool|ptcBindings)\b/;

/** `reachesTools` of a text: all when it looks tools up, else its words. */
export function programReach(text: unknown): "all" | string[] {
  if (typeof text !== "string") return [];
  return DISCOVERY.test(text) ? "all" : [...new Set(text.match(/[\w$]+/g) ?? [])];
}

/** One of some words. As `enum` it takes a third of the room that a union of literals does. */
export function wordParameter(type: TypeBuilder, words: readonly string[], description?: string): TSchema {
  return type.Enum([...words], { type: "string", ...(description === undefined ? {} : { description }) });
}

/** Its range is checked by the runner, whose sentence says more than a schema's. */
export function timeoutParameter(type: TypeBuilder): TSchema {
  return type.Number({ description: "Deadline in milliseconds; 0 or absent for the default" });
}

/** Our result in pi's type. */
export function asToolResult(result: object): AgentToolResult<unknown> {
  return result as AgentToolResult<unknown>;
}
