/**
 * What a session offers its model (spec 4.1, 4.2), decided from facts alone. `subagents` needs positive
 * evidence: handing orchestration to a tool that the model cannot call, or that pi activated for another
 * reason, would leave the session without an orchestrator.
 */

import type { SurfaceKind } from "../base/settings.ts";
import { meansTool } from "../base/tool-pattern.ts";

/** PTC mode: programs instead of built-in tools, beside them, or not at all. */
export type ModeKind = "on" | "both" | "off";

/** Why it is this surface. */
export type SurfaceReasonKind =
  | "pinned"
  | "named"
  | "no-codemode"
  | "foreign-codemode"
  | "inactive-codemode"
  | "unnamed-codemode";

/** Why it is this mode. */
export type ModeReasonKind = "chosen" | "default-mode" | "no-screen" | "restricted-launch" | "screen";

/** The part of pi's parsed arguments that counts. */
export interface LaunchArguments {
  tools?: readonly string[];
  excludeTools?: readonly string[];
  noTools?: boolean;
  noBuiltinTools?: boolean;
  noExtensions?: boolean;
}

/** What pi has under the name `codemode`. */
export interface CodemodeFacts {
  registered: boolean;
  active: boolean;
  /** pi's own, and not another package's tool of that name. */
  builtin: boolean;
  /** pi's setting `codemode.mode` is `only`. */
  only: boolean;
}

/** Everything that decides. */
export interface SurfaceFacts {
  /** Absent where the process is not pi's command line. */
  launch: LaunchArguments | undefined;
  /** pi's setting `defaultTools`, as files have it. */
  defaultTools: unknown;
  codemode: CodemodeFacts;
  /** `surfaceMode` of `ptc.json`. */
  pinned: SurfaceKind | undefined;
  /** `defaultMode` of `ptc.json`. */
  defaultMode: boolean;
  /** pi has its screen. */
  hasScreen: boolean;
  /** This pi was started by a dispatch. */
  isChild: boolean;
  /** What the user last said with `/ptc on` or `/ptc off` in this session. */
  chosen: "on" | "off" | undefined;
}

/** The decision. */
export interface SurfaceChoice {
  surface: SurfaceKind;
  surfaceReason: SurfaceReasonKind;
  /** Absent on surfaces without PTC mode. */
  mode: ModeKind | undefined;
  modeReason: ModeReasonKind | undefined;
}

export const CODEMODE = "codemode";

/** Decides surface and mode. */
export function choose(facts: SurfaceFacts): SurfaceChoice {
  const [surface, surfaceReason] = chooseSurface(facts);
  if (surface !== "full") return { surface, surfaceReason, mode: undefined, modeReason: undefined };
  const [mode, modeReason] = chooseMode(facts);
  return { surface, surfaceReason, mode, modeReason };
}

function chooseSurface(facts: SurfaceFacts): [SurfaceKind, SurfaceReasonKind] {
  const { codemode, pinned, isChild } = facts;
  const hasCodemode = codemode.active && codemode.builtin;
  // A child has the tools its agent lists. Without codemode among them its programs would be declared to nobody.
  const isMoot = pinned === "subagents" && isChild && !hasCodemode;
  if (pinned !== undefined && !isMoot) return [pinned, "pinned"];
  if (!codemode.registered) return ["full", "no-codemode"];
  if (!codemode.builtin) return ["full", "foreign-codemode"];
  if (!codemode.active) return ["full", "inactive-codemode"];
  return namesCodemode(facts) ? ["subagents", "named"] : ["full", "unnamed-codemode"];
}

function chooseMode({ chosen, defaultMode, hasScreen, launch }: SurfaceFacts): [ModeKind, ModeReasonKind] {
  if (chosen !== undefined) return [chosen, "chosen"];
  if (!defaultMode) return ["both", "default-mode"];
  if (!hasScreen) return ["both", "no-screen"];
  return launch && isRestricted(launch) ? ["both", "restricted-launch"] : ["on", "screen"];
}

/** Did the user name codemode in the lists that apply? A plain `--tools` list replaces `defaultTools`; modifiers follow it. */
function namesCodemode({ launch, defaultTools }: SurfaceFacts): boolean {
  const given = launch?.tools ?? [];
  const said = lastWord(given);
  if (said !== undefined) return said;
  const replaced = given.some(isPlain) || launch?.noTools || launch?.noBuiltinTools;
  const defaults = Array.isArray(defaultTools) ? (defaultTools as unknown[]) : [];
  return !replaced && lastWord(defaults.filter((entry) => typeof entry === "string")) === true;
}

function lastWord(entries: readonly string[]): boolean | undefined {
  const word = entries.findLast(
    (entry) => meansTool(entry.replace(/^[+-]/, ""), CODEMODE) && !/^\*+$/.test(entry),
  );
  return word === undefined ? undefined : !word.startsWith("-");
}

const isPlain = (entry: string): boolean => !/^[+-]/.test(entry);

/** Launches that say which tools they want get them declared. */
function isRestricted({
  tools,
  excludeTools,
  noTools,
  noBuiltinTools,
  noExtensions,
}: LaunchArguments): boolean {
  return (
    (tools ?? []).some(isPlain) ||
    (excludeTools ?? []).length > 0 ||
    Boolean(noTools || noBuiltinTools || noExtensions)
  );
}
