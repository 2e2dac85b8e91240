/** What a choice means for one loadout: which declarations the model is not shown, and whether PTC mode can be on at all. */

import { SUBAGENT } from "../base/tool-names.ts";
import { CODEMODE, type CodemodeFacts, type SurfaceChoice } from "./choose.ts";
import { BUILT_INS, PROGRAM_TOOLS } from "./tool-roles.ts";

/** Tools by name, as pi has them at one moment. */
export interface ToolSets {
  /** Active tools. */
  active: ReadonlySet<string>;
  /** Tools that a tool can call. */
  callable: ReadonlySet<string>;
}

/** The result. */
export interface Offer extends SurfaceChoice {
  /** Our program tools that are active. */
  programs: readonly string[];
  /** PTC mode is on, but there is no tool to write a program for. */
  suspended: boolean;
  /** Declarations we hide. */
  hidden: ReadonlySet<string>;
}

/** Applies a choice to the tools there are. */
export function offerOf(choice: SurfaceChoice, codemode: CodemodeFacts, tools: ToolSets): Offer {
  const programs = PROGRAM_TOOLS.filter((name) => tools.active.has(name));
  const suspended = choice.mode === "on" && programs.length === 0;
  const hidden = namesToHide(choice, codemode, { tools, hasPrograms: programs.length > 0 });
  return { ...choice, programs, suspended, hidden: new Set(hidden.filter((name) => tools.active.has(name))) };
}

function namesToHide(
  { surface, mode }: SurfaceChoice,
  codemode: CodemodeFacts,
  { tools, hasPrograms }: { tools: ToolSets; hasPrograms: boolean },
): string[] {
  if (surface === "subagents") return [...PROGRAM_TOOLS];
  // Without a program tool the model would be left without what it has instead.
  if (surface === "off" || !hasPrograms) return mode === "off" ? [SUBAGENT] : [];
  const builtIns = mode === "on" ? BUILT_INS.filter((name) => tools.callable.has(name)) : [];
  const programs = mode === "off" ? PROGRAM_TOOLS : [];
  return [SUBAGENT, ...(hidesCodemode(mode, codemode) ? [CODEMODE] : []), ...builtIns, ...programs];
}

/** Two orchestrators are never offered. With programs off and codemode hiding the built-ins, nothing would be left but codemode. */
function hidesCodemode(mode: SurfaceChoice["mode"], { builtin, only }: CodemodeFacts): boolean {
  return builtin && !(mode === "off" && only);
}
