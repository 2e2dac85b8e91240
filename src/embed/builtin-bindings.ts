/** Bindings for pi's built-in tools outside a session. */

import { randomUUID } from "node:crypto";
import { type ToolCall, validateToolArguments } from "@earendil-works/pi-ai";
import {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
  createWriteTool,
} from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { DISPATCH } from "../base/tool-names.ts";
import type { Binding, CallContext, CallReply, Json } from "../program/outcome.ts";
import { failedReply, toReply } from "../program/tool-reply.ts";
import { ARRAY, refuse, required, shapeProblems, type Shapes, show, TEXT } from "./check-shape.ts";
import { EmbeddedDispatch } from "./dispatch-binding.ts";

/** The part of pi's tools that is used here, alike in all of them. */
interface BuiltinTool {
  name: string;
  description: string;
  parameters: object;
  execute(
    id: string,
    args: unknown,
    signal: AbortSignal,
    onUpdate: (partial: unknown) => void,
  ): Promise<unknown>;
}

const FACTORIES: Readonly<Record<string, (cwd: string) => unknown>> = {
  read: createReadTool,
  bash: createBashTool,
  edit: createEditTool,
  write: createWriteTool,
  grep: createGrepTool,
  find: createFindTool,
  ls: createLsTool,
};

const OPTIONS: Shapes = { cwd: required(TEXT), names: ARRAY };

/**
 * Bindings for pi's built-in tools, working in `cwd`, made with pi's own tool factories. There is no session
 * here and so no permission gate: whoever runs a program with them lets it do what the tools can do.
 *
 * Without `names` all seven and `pi.dispatch`; with `names` exactly those. Throws a `TypeError` for any other name, and for options that are none.
 */
export function createBuiltinBindings(options: { cwd: string; names?: readonly string[] }): Binding[] {
  refuse("createBuiltinBindings", shapeProblems("options", options, OPTIONS));
  const { cwd, names } = options;
  const known = [...Object.keys(FACTORIES), DISPATCH];
  const unknown = (names ?? []).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new TypeError(
      `createBuiltinBindings: unknown name ${unknown.map(show).join(", ")}; known: ${known.join(", ")}`,
    );
  }
  const wanted = [...new Set(names ?? known)];
  return wanted.map((name) => {
    if (name === DISPATCH)
      return new EmbeddedDispatch(
        cwd,
        wanted.filter((other) => other !== DISPATCH),
      );
    const tool = (FACTORIES[name] as (cwd: string) => unknown)(cwd) as BuiltinTool;
    return { name, call: (args, context) => callBuiltin(tool, args, context) };
  });
}

async function callBuiltin(tool: BuiltinTool, args: Json, context: CallContext): Promise<CallReply> {
  try {
    const id = randomUUID();
    const call = { type: "toolCall", id, name: tool.name, arguments: args } as unknown as ToolCall;
    const checked: unknown = validateToolArguments(tool as never, call);
    const result = await tool.execute(id, checked, context.signal, () => context.onUpdate(""));
    return toReply(tool.name, { result, isError: (result as { isError?: unknown } | undefined)?.isError });
  } catch (thrown) {
    return failedReply(errorText(thrown));
  }
}
