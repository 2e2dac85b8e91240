/** How pi exposes each of our tools on a surface (spec 4.1). */

import type { ToolExposure } from "@earendil-works/pi-coding-agent";
import type { SurfaceKind } from "../base/settings.ts";
import type { RoleKind } from "./tool-roles.ts";

/** What decides beside the surface. */
export interface ExposureFacts {
  surface: SurfaceKind;
  /** pi's codemode is active and hides every `direct` tool. Hiding codemode itself beside them would send no tool at all. */
  codemodeHidesDirect: boolean;
  /** The person has switched PTC mode off: no child can be started. */
  isOff: boolean;
  /** This pi was started by a dispatch. */
  isChild: boolean;
}

/** The exposure of a tool with this role. */
export function exposureOf(
  role: RoleKind,
  { surface, codemodeHidesDirect, isOff, isChild }: ExposureFacts,
): ToolExposure {
  if (surface === "off") return "hidden";
  if (role === "report") return isChild ? "direct" : "hidden";
  if (surface === "subagents") {
    // Of `codemode` exposure, codemode would describe the program tools at length; scripts call these all the same.
    return role === "program" ? "deferred" : "direct";
  }
  if (role === "program") return "model-only";
  // There codemode stays declared, and would describe what every call of is refused.
  if (role === "child") return isOff && codemodeHidesDirect ? "deferred" : "codemode";
  return codemodeHidesDirect ? "model-only" : "direct";
}

/** Does activating a tool of this exposure show it to the model without anybody naming it? */
export const isDeclared = (exposure: ToolExposure): boolean =>
  exposure === "direct" || exposure === "model-only";
