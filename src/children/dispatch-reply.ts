import { toPlainJson, type Json } from "../base/plain-json.ts";
import { NO_AGENT } from "./agent-file.ts";
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

/** What a row shows of a dispatch: `→ agent: label`. */
export function previewDispatch(args: Json): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return "";
  const { agent, label, task } = args;
  const about = [label, task].find((text) => typeof text === "string" && text.trim() !== "");
  const name = typeof agent === "string" && agent !== "" ? agent : NO_AGENT;
  return `→ ${name}${typeof about === "string" ? `: ${about.slice(0, MAX_ABOUT_CHARS)}` : ""}`;
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
