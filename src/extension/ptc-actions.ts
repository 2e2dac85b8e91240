/** `/ptc`: carries out what a person asked for, and answers in a sentence. */

import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { SurfaceKind } from "../base/settings.ts";
import { writeSetting } from "../base/settings-write.ts";
import { PROGRAM_TOOLS } from "../surface/tool-roles.ts";
import { completePtc, parsePtc } from "../surface/ptc-command.ts";
import { type PtcStatus, statusText, surfaceLine } from "../surface/ptc-status.ts";
import { tell } from "./notices.ts";
import type { SurfaceControl } from "./surface-control.ts";

const SURFACE_KEY = "surfaceMode";

/** What the command needs. */
export interface PtcParts {
  control: SurfaceControl;
  status: () => PtcStatus;
  /** US dollars that children have cost. */
  childCostUsd: () => Promise<number>;
  /** The user's `ptc.json`. */
  path: () => string;
  /** Reads the surface from the settings again, and gives the file it comes from. */
  rereadSurface: () => string | undefined;
  /** The newest tasks, one a line. */
  taskLines: () => Promise<string[]>;
  /** Shows children and tasks; resolves when the person is done. */
  openPanel: (ctx: ExtensionCommandContext) => Promise<void>;
  /** Lets the reload that follows end background tasks, too. */
  endAll: () => void;
}

/** Registers `/ptc`. */
export function registerPtc(pi: ExtensionAPI, parts: PtcParts): void {
  pi.registerCommand("ptc", {
    description: "PTC mode, and what this package offers the model",
    getArgumentCompletions: completePtc,
    handler: async (args, ctx) => {
      const request = parsePtc(args);
      if (request.kind === "wrong") return tell(ctx, request.problem, "error");
      if (request.kind === "status") return tell(ctx, statusText(parts.status(), await parts.childCostUsd()));
      if (request.kind === "surface") return tell(ctx, surfaceLine(parts.status()));
      if (request.kind === "tasks") return showTasks(parts, ctx);
      if (request.kind === "mode") return tell(ctx, setMode(parts, request.mode));
      await setSurface(parts, request.surface, ctx);
    },
  });
}

/** Without a screen the list has to do. */
async function showTasks({ openPanel, taskLines }: PtcParts, ctx: ExtensionCommandContext): Promise<void> {
  if (ctx.mode === "tui") return openPanel(ctx);
  const lines = await taskLines();
  tell(
    ctx,
    lines.length === 0
      ? "No background tasks in this session, and none open in others of this folder."
      : lines.join("\n"),
  );
}

function setMode({ control, status }: PtcParts, mode: "on" | "off"): string {
  const { offer, isPresent } = status();
  if (!isPresent) return "This launch left the tools of this package out; nothing changes.";
  if (offer.mode === undefined)
    return `PTC mode belongs to the surface full, and this is ${offer.surface}; nothing changes.`;
  if (!control.has(PROGRAM_TOOLS))
    return `PTC mode needs ${PROGRAM_TOOLS.join(" or ")}, which this launch left out; nothing changes.`;
  const before = offer.mode;
  control.setMode(mode);
  const already = before === mode ? "already " : "";
  if (mode === "off")
    return `PTC mode is ${already}off: the model gets the built-in tools, no programs and no new children; background tasks go on.`;
  const resting = control.state().offer.suspended ? " It rests until a program tool is active again." : "";
  return `PTC mode is ${already}on: the model calls the built-in tools in programs.${resting}`;
}

async function setSurface(
  parts: PtcParts,
  surface: SurfaceKind | "auto",
  ctx: ExtensionCommandContext,
): Promise<void> {
  if (surface === "off" && !ctx.isIdle()) return tell(ctx, BUSY, "warning");
  const path = parts.path();
  const before = parts.status().offer;
  const written = writeSetting(path, SURFACE_KEY, surface === "auto" ? undefined : surface);
  if (written.kind === "failed")
    return tell(ctx, `${path}: ${written.problem}; the surface stays ${before.surface}.`, "error");
  const from = parts.rereadSurface();
  const next = parts.status().offer.surface;
  if (next === "off") {
    parts.endAll();
    return switchOff(from ?? path, ctx);
  }
  if (before.mode === "on" && next !== "full") tell(ctx, MODE_ENDS, "warning");
  parts.control.settle();
  const done = written.kind === "written" ? `${path} was changed.` : "Nothing had to be changed.";
  const overruled = from !== undefined && from !== path ? ` ${from}, of this project, goes before it.` : "";
  tell(ctx, `${surfaceLine(parts.status())}. ${done}${overruled}`);
}

/** pi draws its screen anew when it reloads, and what was told before is gone; so the way back is told again after it. */
async function switchOff(file: string, ctx: ExtensionCommandContext): Promise<void> {
  const { hasUI, ui } = ctx;
  const wayBack = `To have it back, take "${SURFACE_KEY}" out of ${file} and run /reload.`;
  tell(ctx, `${EVERYTHING_ENDS} ${wayBack}`, "warning");
  await ctx.reload();
  if (hasUI) tell({ hasUI, ui }, `pi-ptc-subagents is off. ${wayBack}`);
}

const EVERYTHING_ENDS =
  "Everything of this package ends now: PTC mode, programs, children and background tasks.";
const BUSY =
  "pi is at work, and the surface off ends all of it: wait or press Esc, then run /ptc surface off again. Nothing was changed.";
const MODE_ENDS = "PTC mode ends: it belongs to the surface full. Programs and children that run go on.";
