/**
 * `tools["pi.dispatch"]` of programs: a nested call of `ptc_subagent`, so that every permission hook sees
 * it. It resolves to a `DispatchResult` whatever happens, and rejects never.
 */

import { errorText } from "../base/error-text.ts";
import type { DispatchResult } from "../children/dispatch.ts";
import { renderDispatch } from "../children/report.ts";
import type { Binding, CallContext, CallReply, Json } from "../program/outcome.ts";
import { contentOf, textOf } from "../program/tool-reply.ts";
import { toPlainJson } from "../base/plain-json.ts";
import type { ToolCaller } from "./callables.ts";
import { SUBAGENT } from "./tool-texts.ts";

export const DISPATCH = "pi.dispatch";

/** The binding, where the session can call `ptc_subagent`. */
export function createDispatchBinding(caller: ToolCaller): Binding[] {
  if (!caller.tools.some(({ name }) => name === SUBAGENT)) return [];
  return [{ name: DISPATCH, countsTime: false, call: (args, context) => dispatch(caller, args, context) }];
}

async function dispatch(caller: ToolCaller, args: Json, context: CallContext): Promise<CallReply> {
  try {
    const outcome = await caller.executeTool(SUBAGENT, args, {
      signal: context.signal,
      onUpdate: (partial) => context.onUpdate(textOf(contentOf(partial))),
    });
    return replyOf(resultOf(outcome));
  } catch (thrown) {
    // pi rejects when the session was replaced or reloaded.
    return replyOf(refused(errorText(thrown)));
  }
}

/** What a program gets. A hook that blocked the call, or checks that refused it, left no details of ours. */
function resultOf(outcome: unknown): DispatchResult {
  const { result } = outcome as { result?: { details?: { result?: DispatchResult } } };
  const text = textOf(contentOf(result));
  const found = result?.details?.result;
  if (typeof found !== "object" || found === null || typeof found.status !== "string") return refused(text);
  if (text === renderDispatch(found) || !found.started) return found;
  return rewritten(found, text);
}

/** Another extension changed what the child said; what it took out must not come in by another door. */
function rewritten(
  { report: _report, stderr: _stderr, ...rest }: DispatchResult,
  text: string,
): DispatchResult {
  const warning = "another extension rewrote the child's answer; report and stderr are left out";
  return { ...rest, text, warnings: [...(rest.warnings ?? []), warning] };
}

function refused(errorMessage: string): DispatchResult {
  return {
    status: "rejected",
    text: "",
    started: false,
    agentName: "default",
    durationMs: 0,
    reportChannel: "none",
    errorMessage: errorMessage || "the dispatch was refused",
  };
}

/** A refusal is easily overlooked among many results, so the run warns of it. */
function replyOf(result: DispatchResult): CallReply {
  const raw = toPlainJson(result);
  if (result.status === "fulfilled") return { ok: true, raw };
  const failed = result.errorMessage ?? "rejected";
  return result.started
    ? { ok: true, raw, failed }
    : { ok: true, raw, failed, warning: `a dispatch was refused: ${failed}` };
}
