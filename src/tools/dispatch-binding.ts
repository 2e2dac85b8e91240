/**
 * `tools["pi.dispatch"]` of programs: a nested call of `ptc_subagent`, so that every permission hook sees
 * it. It resolves to a `DispatchResult` whatever happens, and rejects never.
 */

import { errorText } from "../base/error-text.ts";
import { toPlainJson } from "../base/plain-json.ts";
import { DISPATCH, SUBAGENT } from "../base/tool-names.ts";
import type { DispatchHandle, DispatchResult } from "../children/dispatch.ts";
import { NO_AGENT } from "../children/agent-file.ts";
import { dispatchReply, previewDispatch, refusedDispatch } from "../children/dispatch-reply.ts";
import { renderDispatch } from "../children/render-dispatch.ts";
import type { Binding, CallContext, CallReply, Json } from "../program/outcome.ts";
import { contentOf, textOf } from "../program/tool-reply.ts";
import type { ToolCaller } from "./callables.ts";
import { ChildCosts } from "./child-costs.ts";

/** The binding, where the session can call `ptc_subagent`. What the children cost is noted in `costs`. */
export function createDispatchBinding(caller: ToolCaller, costs = new ChildCosts()): Binding[] {
  if (!caller.tools.some(({ name }) => name === SUBAGENT)) return [];
  const call: Binding["call"] = (args, context) => dispatch(caller, args, context, costs.open());
  return [{ name: DISPATCH, countsTime: false, preview: previewDispatch, call }];
}

async function dispatch(
  caller: ToolCaller,
  args: Json,
  context: CallContext,
  noteCost: (details: unknown) => void,
): Promise<CallReply> {
  try {
    const outcome = await caller.executeTool(SUBAGENT, args, {
      signal: context.signal,
      onUpdate: (partial) => {
        noteCost((partial as { details?: unknown } | undefined)?.details);
        context.onUpdate(textOf(contentOf(partial)));
      },
    });
    const handle = handleOf(outcome);
    if (handle) return { ok: true, raw: toPlainJson(handle) };
    const result = resultOf(outcome);
    noteCost({ result });
    return dispatchReply(result);
  } catch (thrown) {
    // pi rejects when the session was replaced or reloaded.
    return dispatchReply(refusedDispatch(errorText(thrown), NO_AGENT));
  }
}

/** A task was started, and no hook said otherwise. */
function handleOf(outcome: unknown): DispatchHandle | undefined {
  const { isError, result } = outcome as {
    isError?: boolean;
    result?: { details?: { handle?: DispatchHandle } };
  };
  const handle = result?.details?.handle;
  if (isError === true || typeof handle?.taskId !== "string") return undefined;
  const { taskId, label } = handle;
  return { taskId, label: String(label), status: "running" };
}

/** What a program gets. A hook that blocked the call, or checks that refused it, left no details of ours. */
function resultOf(outcome: unknown): DispatchResult {
  const { result } = outcome as { result?: { details?: { result?: DispatchResult } } };
  const text = textOf(contentOf(result));
  const found = result?.details?.result;
  if (typeof found !== "object" || found === null || typeof found.status !== "string")
    return refusedDispatch(text, NO_AGENT);
  if (text === renderDispatch(found)) return found;
  return rewritten(found, text);
}

/** Another extension changed what the child said; what it took out must not come in by another door. */
function rewritten(
  { report: _report, stderr: _stderr, warnings: _warnings, ...rest }: DispatchResult,
  text: string,
): DispatchResult {
  const warnings = ["another extension rewrote the answer; report, stderr and warnings are left out"];
  if (rest.status === "fulfilled") return { ...rest, text, warnings };
  return { ...rest, text: rest.started ? text : "", errorMessage: text || "rejected", warnings };
}
