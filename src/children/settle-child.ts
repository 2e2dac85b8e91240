/** Settles what call, agent and session say about one child: the call goes before the agent, the agent before the session. */

import type { PtcConfig } from "../base/limits.ts";
import type { Agent } from "./agent-file.ts";
import type { CheckedDispatch } from "./check-input.ts";
import { findModel } from "./model-choice.ts";

/** What a child falls back to. */
export interface SessionDefaults {
  /** The session's model as `provider/id`; undefined when it has none. */
  model: string | undefined;
  thinkingLevel: string | undefined;
  /** Models with a key, each `provider/id`. */
  models: readonly string[];
  limits: Pick<PtcConfig, "dispatchTimeoutMs" | "maxChildTurns" | "maxChildCostUsd">;
  /** The session is a read-only child itself. */
  readOnly: boolean;
}

/** What one child runs with. */
export interface SettledChild {
  model: string | undefined;
  thinkingLevel: string | undefined;
  timeoutMs: number;
  /** 0 = no bound. */
  maxTurns: number;
  /** US dollars; 0 = no bound. */
  maxCostUsd: number;
  readOnly: boolean;
  reportExpected: boolean;
  warnings: string[];
}

/** Settles them, or refuses an agent's model that the session could not use. */
export function settleChild(
  request: CheckedDispatch,
  agent: Agent | undefined,
  session: SessionDefaults,
): { ok: true; settled: SettledChild } | { ok: false; refusal: string } {
  const choice = modelOf(request, agent, session);
  if (!choice.ok) return choice;
  const { dispatchTimeoutMs, maxChildTurns, maxChildCostUsd } = session.limits;
  const turns = request.maxTurns ?? agent?.maxTurns;
  return {
    ok: true,
    settled: {
      model: choice.model,
      thinkingLevel:
        request.thinkingLevel ?? agent?.thinking ?? choice.thinkingLevel ?? session.thinkingLevel,
      timeoutMs: request.timeoutMs ?? dispatchTimeoutMs,
      maxTurns: underCap(turns, maxChildTurns),
      maxCostUsd: underCap(request.maxCostUsd, maxChildCostUsd),
      readOnly: session.readOnly || request.readOnly || agent?.readOnly === true,
      reportExpected: agent?.childReport ?? true,
      warnings: [
        ...capWarning("maxTurns", turns, { name: "maxChildTurns", cap: maxChildTurns }),
        ...capWarning("maxCostUsd", request.maxCostUsd, { name: "maxChildCostUsd", cap: maxChildCostUsd }),
      ],
    },
  };
}

function modelOf(
  request: CheckedDispatch,
  agent: Agent | undefined,
  session: SessionDefaults,
): { ok: true; model: string | undefined; thinkingLevel?: string } | { ok: false; refusal: string } {
  if (request.model !== undefined || agent?.model === undefined)
    return { ok: true, model: request.model ?? session.model };
  const choice = findModel(agent.model, session.models, "name another in the call");
  if (choice.ok) return choice;
  return { ok: false, refusal: `agent ${JSON.stringify(agent.name)}: ${choice.refusal}` };
}

/** A model may lower the user's cap, not lift it; 0 is no cap. */
function underCap(asked: number | undefined, cap: number): number {
  if (asked === undefined) return cap;
  return cap === 0 ? asked : Math.min(asked, cap);
}

function capWarning(name: string, asked: number | undefined, limit: { name: string; cap: number }): string[] {
  if (asked === undefined || underCap(asked, limit.cap) === asked) return [];
  return [`${name} ${asked} is over the limit ${limit.name}, so ${limit.cap} applies`];
}
