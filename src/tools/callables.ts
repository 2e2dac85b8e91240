/**
 * The tools of a session as bindings. Every call goes through `ctx.executeTool`, so that gates,
 * handlers and records apply as to a call of the model. What goes wrong is a failed call, never a throw.
 */

import { errorText } from "../base/error-text.ts";
import type { Binding, CallContext, CallReply, Json } from "../program/outcome.ts";
import { contentOf, failedReply, textOf, toReply } from "../program/tool-reply.ts";
import { bindableTools, type CallableTool } from "../surface/loadout.ts";

/** The part of pi's tool context that runs other tools. */
export interface ToolCaller {
  readonly tools: readonly CallableTool[];
  executeTool(
    name: string,
    args: unknown,
    options: { signal: AbortSignal; onUpdate: (partial: unknown) => void },
  ): Promise<unknown>;
}

/** One binding for each tool that programs may call. */
export function createBindings(caller: ToolCaller): Binding[] {
  return bindableTools(caller.tools).map(({ name }) => ({
    name,
    call: (args, context) => callTool(caller, { name, args }, context),
  }));
}

async function callTool(
  caller: ToolCaller,
  request: { name: string; args: Json },
  context: CallContext,
): Promise<CallReply> {
  try {
    const outcome = await caller.executeTool(request.name, request.args, {
      signal: context.signal,
      onUpdate: (partial) => context.onUpdate(textOf(contentOf(partial))),
    });
    return toReply(request.name, outcome);
  } catch (thrown) {
    // pi rejects only when the session was replaced or reloaded.
    return failedReply(errorText(thrown));
  }
}
