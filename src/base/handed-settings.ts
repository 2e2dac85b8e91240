/**
 * What a child is held to beside its own files: those settings of its parent that a project may tighten (spec 2.3). They
 * go down in one variable. Whoever starts a pi may have written it, so it is read as untrusted.
 */

import { limitProblem, LIMIT_RANGES, type PtcConfig } from "./limits.ts";
import { tighterLimit } from "./project-settings.ts";
import type { PtcSettings } from "./settings.ts";
import { isObject } from "./settings-file.ts";

/** The parent's engine, isolation and limits, as JSON. */
export const BOUNDS_VARIABLE = "PI_PTC_BOUNDS";

/** What goes down. Without a key the child's own settings decide. */
export interface HandedSettings {
  limits: Readonly<PtcConfig>;
  engine?: PtcSettings["engine"];
  isolation?: PtcSettings["isolation"];
}

/** Text for the variable of a child: the settings of this process, and what `above` holds them to. */
export function handDown(settings: HandedSettings, above: string | undefined): string {
  const { engine, isolation, limits } = holdTo(settings, above).settings;
  return JSON.stringify({ engine, isolation, limits });
}

/**
 * `settings`, where the variable's text `above` does not ask for tighter ones. One that cannot be read leaves programs
 * on the engine that contains them, and no children.
 */
export function holdTo<Settings extends HandedSettings>(
  settings: Settings,
  above: string | undefined,
): { settings: Settings; problem?: string } {
  if (above === undefined) return { settings };
  const bounds = parse(above);
  if (bounds) return { settings: tighter(settings, bounds) };
  const tightest = { engine: "quickjs", isolation: "process", limits: { maxDispatchDepth: 0 } } as const;
  return {
    settings: tighter(settings, tightest),
    problem: `${BOUNDS_VARIABLE}, by which a pi hands its bounds to its children, cannot be read; programs run on the engine "quickjs" and start no children here`,
  };
}

type Bounds = Omit<HandedSettings, "limits"> & { limits: Partial<PtcConfig> };

function tighter<Settings extends HandedSettings>(own: Settings, bounds: Bounds): Settings {
  const limits = { ...own.limits };
  for (const [key, value] of Object.entries(bounds.limits) as [keyof PtcConfig, number][])
    limits[key] = tighterLimit(key, value, own.limits[key]);
  return Object.freeze({
    ...own,
    ...(bounds.engine === "quickjs" ? { engine: "quickjs" } : {}),
    ...(bounds.isolation === "process" ? { isolation: "process" } : {}),
    limits: Object.freeze(limits),
  });
}

/** Undefined for what `handDown` never writes. Another version of this package may know more limits: those are left out. */
function parse(text: string): Bounds | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { engine, isolation, limits } = value;
  const known = [undefined, "node", "quickjs"].includes(engine as string);
  if (!known || ![undefined, "process", "thread"].includes(isolation as string)) return undefined;
  if (!isObject(limits)) return undefined;
  const own = Object.entries(limits).filter(([key]) => Object.hasOwn(LIMIT_RANGES, key));
  if (own.some(([key, limit]) => limitProblem(key as keyof PtcConfig, limit) !== undefined)) return undefined;
  return { engine, isolation, limits: Object.fromEntries(own) } as Bounds;
}
