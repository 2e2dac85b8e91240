/**
 * `tools["pi.dispatch"]` of programs: a nested call of `ptc_subagent`, so that every permission hook sees
 * it. It resolves to a `DispatchResult` whatever happens, and rejects never.
 */

import { errorText } from "../base/error-text.ts";
import { toPlainJson } from "../base/plain-json.ts";
import { DISPATCH, SUBAGENT } from "../base/tool-names.ts";
import type { DispatchHandle, DispatchResult } from "../children/dispatch.ts";
import { askedAgent, dispatchReply, previewDispatch, refusedDispatch } from "../children/dispatch-reply.ts";
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
  const startedAt = performance.now();
  let hasBegun = false;
  try {
    const outcome: unknown = await caller.executeTool(SUBAGENT, args, {
      signal: context.signal,
      onUpdate: (partial) => {
        const { details } = (partial ?? {}) as { details?: { progress?: { turns?: unknown } } };
        noteCost(details);
        hasBegun ||= Number(details?.progress?.turns) > 0;
        context.onUpdate(textOf(contentOf(partial)));
      },
    });
    const handle = handleOf(outcome);
    if (handle) return { ok: true, raw: toPlainJson(handle) };
    const durationMs = Math.round(performance.now() - startedAt);
    const result = resultOf(outcome, { agentName: askedAgent(args), durationMs, hasBegun });
    noteCost({ result });
    return dispatchReply(result);
  } catch (thrown) {
    // pi rejects when the session was replaced or reloaded.
    return dispatchReply(refusedDispatch(errorText(thrown), askedAgent(args)));
  }
}

/** A call's outcome, as pi hands it over. */
interface Outcome {
  isError?: boolean;
  result?: {
    details?: { result?: DispatchResult; handle?: DispatchHandle } | null;
    structuredContent?: { task_id?: unknown } | null;
  };
}

/** A task was started, and no hook said otherwise. */
function handleOf(outcome: unknown): DispatchHandle | undefined {
  const { isError, result } = (outcome ?? {}) as Outcome;
  const { taskId = result?.structuredContent?.task_id, label = "" } = result?.details?.handle ?? {};
  if (isError === true || typeof taskId !== "string") return undefined;
  return { taskId, label: String(label), status: "running" };
}

/** What is known of a call without its outcome. */
interface Known {
  agentName: string;
  durationMs: number;
  /** The child has told of a turn. */
  hasBegun: boolean;
}

/**
 * What a program gets. A hook that blocked the call, or pi's checks of its arguments, leave an error without details of
 * ours; a handler that takes the details from a child that ended well leaves no error.
 */
function resultOf(outcome: unknown, known: Known): DispatchResult {
  const { isError, result } = (outcome ?? {}) as Outcome;
  const text = textOf(contentOf(result));
  const found = result?.details?.result;
  if (typeof found !== "object" || found === null || typeof found.status !== "string")
    return withoutDetails(text, isError === false, known);
  const isUnchanged = text === renderDispatch(found);
  if (isError === true && found.status === "fulfilled") {
    const failed = {
      ...found,
      status: "rejected",
      errorMessage: "another extension made it an error",
    } as const;
    return isUnchanged ? failed : rewritten(failed, text);
  }
  return isUnchanged ? found : rewritten(found, text);
}

function withoutDetails(
  text: string,
  isSuccess: boolean,
  { agentName, durationMs, hasBegun }: Known,
): DispatchResult {
  const refused = refusedDispatch(inOwnName(text), agentName);
  if (!isSuccess && !hasBegun) return refused;
  const warnings = ["another extension took out the details; all but the text is left out"];
  const ran = { ...refused, text, started: true, agentName, durationMs, warnings };
  if (!isSuccess) return ran;
  const { errorMessage: _errorMessage, ...answered } = ran;
  return { ...answered, status: "fulfilled" };
}

/**
 * pi's check of the arguments speaks of a tool that the program's author did not call, then repeats the arguments,
 * which may be megabytes.
 */
function inOwnName(text: string): string {
  const found = /^Validation failed for tool "ptc_subagent":\n([^]*?)(?:\n+Received arguments:|$)/.exec(text);
  const problems = (found?.[1] ?? "").split("\n").map((line) => line.trim().replace(/^- /, ""));
  return found ? `${DISPATCH} was given wrong arguments: ${problems.filter(Boolean).join("; ")}` : text;
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
