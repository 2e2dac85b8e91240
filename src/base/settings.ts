/**
 * Reads `ptc.json`: the user's in pi's agent folder, and over it that of a project pi trusts. A file that is
 * absent means the defaults; everything else that is wrong is told in sentences that name the file, the key,
 * the value and what is accepted. A bad key falls back to what applied before and the others are kept.
 * Nothing is written and nothing throws.
 *
 * Reading is synchronous and happens once a session: a file caught half-written by an editor is reported as
 * broken and read again when the next session starts.
 */

import { join, resolve } from "node:path";
import { DEFAULT_CONFIG, type PtcConfig } from "./limits.ts";
import { tightenOnly } from "./project-settings.ts";
import { resolveRetention, type RetentionConfig } from "./retention-ranges.ts";
import { nearestName } from "./nearest-name.ts";
import { pickValid } from "./settings-check.ts";
import { readSettingsFile } from "./settings-file.ts";
import { settingsSchema, type TypeBox } from "./settings-schema.ts";

export { settingsSchema, type TypeBox } from "./settings-schema.ts";

/** Which engine runs programs (spec 1.12). */
export type EngineKind = "node" | "quickjs";
/** What of ours a session offers its model (spec 4.1). */
export type SurfaceKind = "off" | "subagents" | "full";

/** `wake`: at once, with a run of its own when idle; `steer`: in runs that happen anyway; `quiet`: only when it looks. */
export type NotifyKind = "wake" | "steer" | "quiet";

/** What the user may set. */
export interface PtcSettings {
  /** False: PTC mode does not begin by itself (spec 4.2). */
  defaultMode: boolean;
  /** The surface; absent = decided by what pi offers. */
  surfaceMode?: SurfaceKind;
  limits: Readonly<PtcConfig>;
  /** Vessel of the node engine; absent = decided by what runs pi. */
  isolation?: "process" | "thread";
  engine: EngineKind;
  notify: NotifyKind;
  /** How long files are kept: complete texts and finished tasks in days, and most tasks of a session. */
  retention: Readonly<RetentionConfig>;
  /** Most estimated tokens that tool declarations take in a description. */
  declarationBudget: number;
  /** How long `pi -p` waits for background tasks, in milliseconds. */
  printWaitMs: number;
  /** Rows for running children above the editor. */
  widget: boolean;
  /** Absolute path of the executable that runs children; absent = the pi that runs us. */
  command?: string;
  /** More arguments for every child. */
  childArgs: readonly string[];
  /** Tools that read-only children may have beside those that read files. */
  readOnlyTools: readonly string[];
}

/** Settings that always work, and one sentence for each thing in the files that was ignored. */
export interface SettingsReading {
  /** The user's file. */
  path: string;
  settings: Readonly<PtcSettings>;
  problems: string[];
  /** The file that `surfaceMode` comes from. */
  surfaceFrom?: string;
}

/** Name of the settings file in pi's agent folder and in a project's folder for pi. */
export const SETTINGS_FILE = "ptc.json";

/** What applies without a file. */
export const DEFAULT_SETTINGS: Readonly<PtcSettings> = Object.freeze({
  defaultMode: true,
  limits: DEFAULT_CONFIG,
  engine: "node",
  notify: "wake",
  retention: resolveRetention(),
  declarationBudget: 3_000,
  printWaitMs: 600_000,
  widget: true,
  childArgs: Object.freeze([]),
  readOnlyTools: Object.freeze([]),
});

/** Reads the user's settings from `agentDir`, and over them those in `projectDir`, the `.pi` folder of a trusted project. */
export function readSettings(agentDir: string, typebox: TypeBox, projectDir?: string): SettingsReading {
  const path = join(agentDir, SETTINGS_FILE);
  const problems: string[] = [];
  const given = readValid({ path, ofProject: false }, typebox, problems);
  const user = merge(DEFAULT_SETTINGS, given);
  const surfaceFrom = given.surfaceMode === undefined ? {} : { surfaceFrom: path };
  if (projectDir === undefined || resolve(projectDir) === resolve(agentDir))
    return { path, settings: user, problems, ...surfaceFrom };
  const projectPath = join(projectDir, SETTINGS_FILE);
  const project = readValid({ path: projectPath, ofProject: true }, typebox, problems);
  const tight = tightenOnly(project, user, (problem) => problems.push(`${projectPath}: ${problem}`));
  return {
    path,
    settings: merge(user, tight),
    problems,
    ...(tight.surfaceMode === undefined ? surfaceFrom : { surfaceFrom: projectPath }),
  };
}

/** A slip in the file must not let programs out of the cage it asks for: these name it, well spelt or not. */
const CAGE = /quick|qjs/i;
const CAGED = /"engine"\s*:\s*"[^"]*(?:quick|qjs)/i;

function readValid(
  { path, ofProject }: { path: string; ofProject: boolean },
  { typebox, typeboxValue }: TypeBox,
  problems: string[],
): Partial<PtcSettings> {
  const report = (problem: string): void => void problems.push(`${path}: ${problem}`);
  const file = readSettingsFile(path);
  if (file.kind === "unusable") {
    const isCaged = CAGED.test(file.text ?? "");
    const rest = ofProject ? "your own settings apply" : "the defaults apply";
    report(`${file.problem}; ${rest}${isCaged ? ', with the engine "quickjs" that it names' : ""}`);
    return isCaged ? { engine: "quickjs" } : {};
  }
  if (file.kind !== "object") return {};
  const { $schema: _ofEditors, ...value } = file.value;
  const schema = settingsSchema(typebox.Type);
  const cage = cageIn(value);
  const instead = (name: string): string => {
    if (name === cage) return 'the engine "quickjs" applies';
    if (ofProject) return "your own setting applies";
    return name === "surfaceMode" ? "what pi offers decides" : "the default applies";
  };
  const valid = pickValid({ schema, value, prefix: "", instead, report }, typeboxValue.Check);
  if (cage === undefined) return valid as Partial<PtcSettings>;
  if (cage !== "engine") report(`the engine "quickjs" that ${JSON.stringify(cage)} names applies`);
  return { ...(valid as Partial<PtcSettings>), engine: "quickjs" };
}

/** The key, well spelt or not, whose value names the cage. */
const cageIn = (value: Record<string, unknown>): string | undefined =>
  Object.keys(value).find(
    (key) => nearestName(key, ["engine"]) && typeof value[key] === "string" && CAGE.test(value[key]),
  );

function merge(under: Readonly<PtcSettings>, over: Partial<PtcSettings>): Readonly<PtcSettings> {
  const { limits, retention, ...rest } = over;
  return Object.freeze({
    ...under,
    ...rest,
    limits: Object.freeze({ ...under.limits, ...limits }),
    retention: Object.freeze({ ...under.retention, ...retention }),
  });
}
