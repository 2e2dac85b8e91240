import { toPlainJson, type Json } from "../base/plain-json.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";
import { MAX_NAME_CHARS, NO_AGENT } from "./agent-file.ts";
import type { DispatchResult } from "./dispatch.ts";

const MAX_ABOUT_CHARS = 80;

/** What a program gets of a dispatch, and what its run notes beside it. */
export interface DispatchReply {
  ok: true;
  raw: Json;
  /** Why the dispatch came to nothing. */
  failed?: string;
  warning?: string;
}

/** A refusal is easily overlooked among many results, so the run warns of it. */
export function dispatchReply(result: DispatchResult): DispatchReply {
  const raw = toPlainJson(result);
  if (result.status === "fulfilled") return { ok: true, raw };
  const failed = result.errorMessage ?? "rejected";
  if (result.started) return { ok: true, raw, failed };
  return { ok: true, raw, failed, warning: `a dispatch was refused: ${failed}` };
}

/** The agent that was asked for, there or not; `default` without one. `input` may be anything. */
export function askedAgent(input: unknown): string {
  const { agent } = (input ?? {}) as { agent?: unknown };
  if (typeof agent !== "string") return NO_AGENT;
  return cutLine(cleanText(agent).replace(/\s+/g, " ").trim(), MAX_NAME_CHARS) || NO_AGENT;
}

/** What a row shows of a dispatch: `→ agent: label`. */
export function previewDispatch(args: Json): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return "";
  const { label, task } = args;
  const about = [label, task].find((text) => typeof text === "string" && text.trim() !== "");
  return `→ ${askedAgent(args)}${typeof about === "string" ? `: ${about.slice(0, MAX_ABOUT_CHARS)}` : ""}`;
}

/** The result of a dispatch that started nothing. */
export function refusedDispatch(errorMessage: string, agentName: string, durationMs = 0): DispatchResult {
  return {
    status: "rejected",
    text: "",
    started: false,
    agentName,
    durationMs,
    reportChannel: "none",
    errorMessage: errorMessage || "the dispatch was refused",
  };
}
