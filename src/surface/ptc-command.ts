/** The words of `/ptc`: what was asked for, how it completes, and what is said of a request that is none. */

import { nearestName } from "../base/nearest-name.ts";
import type { SurfaceKind } from "../base/settings.ts";

/** What a person asked for. */
export type PtcRequest =
  | { kind: "status" }
  | { kind: "mode"; mode: "on" | "off" }
  | { kind: "surface" }
  | { kind: "set-surface"; surface: SurfaceKind | "auto" }
  | { kind: "tasks" }
  | { kind: "wrong"; problem: string };

/** One completion of the arguments. */
export interface Completion {
  value: string;
  label: string;
  description: string;
}

interface Word {
  request: PtcRequest;
  description: string;
}

const WORDS: Readonly<Record<string, Word>> = {
  on: { request: { kind: "mode", mode: "on" }, description: "Built-in tools are called in programs" },
  off: {
    request: { kind: "mode", mode: "off" },
    description: "No programs and no new children in this session",
  },
  tasks: { request: { kind: "tasks" }, description: "Children and background tasks, to watch and to stop" },
  surface: { request: { kind: "surface" }, description: "Which surface this is, and why" },
  "surface off": { request: { kind: "set-surface", surface: "off" }, description: "Nothing of this package" },
  "surface subagents": {
    request: { kind: "set-surface", surface: "subagents" },
    description: "pi's codemode orchestrates, with ptc_subagent",
  },
  "surface full": { request: { kind: "set-surface", surface: "full" }, description: "Programs orchestrate" },
  "surface auto": {
    request: { kind: "set-surface", surface: "auto" },
    description: "What pi offers decides",
  },
};

export const USAGE = "usage: /ptc [on | off | tasks | surface [off | subagents | full | auto]]";

/** Reads the arguments of `/ptc`. */
export function parsePtc(args: string): PtcRequest {
  const asked = args.trim().replace(/\s+/g, " ");
  if (asked === "") return { kind: "status" };
  const word = Object.hasOwn(WORDS, asked) ? WORDS[asked] : undefined;
  if (word) return word.request;
  const near = nearestName(asked, Object.keys(WORDS));
  const hint = near ? `did you mean /ptc ${near}? ` : "";
  return {
    kind: "wrong",
    problem: `/ptc does not know ${JSON.stringify(asked.slice(0, 60))}; ${hint}${USAGE}`,
  };
}

/** Completions of what was typed behind `/ptc `, word by word; null without any. A whole word is none: Enter would take it instead of sending. */
export function completePtc(prefix: string): Completion[] | null {
  const typed = prefix.trimStart().replace(/\s+/g, " ");
  const depth = typed.split(" ").length;
  const found = Object.entries(WORDS).filter(
    ([words]) => words !== typed && words.startsWith(typed) && words.split(" ").length === depth,
  );
  return found.length > 0
    ? found.map(([value, { description }]) => ({ value, label: value, description }))
    : null;
}
