/** What `/ptc` and `/ptc surface` answer. */

import type { ModeReasonKind, SurfaceReasonKind } from "./choose.ts";
import type { Offer } from "./offer.ts";

/** A session as `/ptc` describes it. */
export interface PtcStatus {
  offer: Offer;
  /** The file with `surfaceMode`. */
  pinnedIn: string | undefined;
  /** Does pi have any of our tools, or did the launch leave them out? */
  isPresent: boolean;
  /** Names that a program could call. */
  bindings: readonly string[];
  engine: string;
  /** Where programs run. */
  vessel: string;
  slots: { used: number; size: number };
  /** Background tasks; absent where there are none to be had. */
  tasks: { running: number; undelivered: number } | undefined;
}

const MODES = {
  on: "on: programs call the built-in tools",
  both: "beside the built-in tools: programs and built-in tools are both offered",
  off: "off: no programs and no new children",
} as const;

const MODE_REASONS: Readonly<Record<ModeReasonKind, string>> = {
  chosen: "you chose so in this session",
  "default-mode": "defaultMode is false in ptc.json",
  "no-screen": "this pi has no screen",
  "restricted-launch": "pi was started with tools or extensions named or left out",
  screen: "the default in a terminal",
};

const SURFACE_REASONS: Readonly<Record<Exclude<SurfaceReasonKind, "pinned">, string>> = {
  named: "pi's codemode is active, and you named it in --tools or defaultTools",
  "no-codemode": "pi was started without its codemode",
  "foreign-codemode": "codemode is another package's tool here",
  "inactive-codemode": "pi's codemode is not active",
  "unnamed-codemode": "pi activated its codemode by itself; nobody named it",
};

/** One line on the surface. */
export function surfaceLine({ offer, pinnedIn, isPresent }: PtcStatus): string {
  const { surface, surfaceReason } = offer;
  if (!isPresent) return "Surface: none; this launch left the tools of this package out";
  const why =
    surfaceReason === "pinned" ? `surfaceMode in ${pinnedIn ?? "ptc.json"}` : SURFACE_REASONS[surfaceReason];
  return `Surface: ${surface} (${surfaceReason === "pinned" ? "" : "detected: "}${why})`;
}

/** The whole status, a line each. `childCostUsd` is what children of this session have cost so far. */
export function statusText(status: PtcStatus, childCostUsd: number): string {
  const { bindings, engine, vessel, slots, tasks } = status;
  return [
    modeLine(status),
    surfaceLine(status),
    `Bindings (${bindings.length}): ${bindings.join(", ") || "none"}`,
    `Engine: ${engine}, each program in a ${vessel} of its own`,
    `Children: ${slots.used} of ${slots.size} slots in use, $${costText(childCostUsd)} so far`,
    ...(tasks ? [`Tasks: ${tasks.running} running, ${undeliveredText(tasks.undelivered)}`] : []),
  ].join("\n");
}

function modeLine({ offer, isPresent }: PtcStatus): string {
  const { mode, modeReason, suspended, surface } = offer;
  if (!isPresent) return "PTC mode: none";
  if (mode === undefined || modeReason === undefined) return `PTC mode: none on the surface ${surface}`;
  if (suspended) return "PTC mode: on, but at rest while no program tool is active";
  return `PTC mode: ${MODES[mode]} (${MODE_REASONS[modeReason]})`;
}

const undeliveredText = (count: number): string =>
  `${count} undelivered ${count === 1 ? "result" : "results"}`;

/** Cents, or more digits where there would be none. */
function costText(usd: number): string {
  return usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2);
}
