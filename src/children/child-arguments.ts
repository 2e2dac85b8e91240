/**
 * The arguments of a child (spec 2.3). Pure: what they depend on is handed in. They are read back with pi's own
 * parser before they are used, so that no setting, name or path can mean anything else to pi than it does here.
 */

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Args } from "@earendil-works/pi-coding-agent";

/** pi's `parseArgs`. */
export type ParseArgs = (args: string[]) => Args;

/** How the session was launched and what its children take over. */
export interface ParentLaunch {
  /** `parse` of this pi's arguments; undefined where the process is not pi's command line. */
  launch: Args | undefined;
  /** Where relative `-e` paths start: `process.cwd()`. */
  launchCwd: string;
  /** The child's folder belongs to the session's project. */
  sameProject: boolean;
  /** The session loaded the project's configuration: pi trusts it, and there was some. */
  projectTrusted: boolean;
  /** Absolute paths of the project's extensions that the session has loaded. */
  projectExtensions: readonly string[];
  /** This package's folder, absolute. */
  ownExtension: string;
  /** The user setting `childArgs`. */
  childArgs: readonly string[];
}

/** What one child is started with. */
export interface ChildStart {
  /** Where a background child keeps its session; others keep none. */
  session?: { id: string; dir: string } | undefined;
  model: string | undefined;
  thinkingLevel: string | undefined;
  /** Entries for `--tools`; none = no tools. */
  tools: readonly string[];
  noMcp: boolean;
  promptPath: string;
}

/** Arguments without command and task, or why the child cannot be started. */
export type ChildArguments =
  | { ok: true; args: string[]; warnings: string[] }
  | { ok: false; refusal: string };

/** The arguments of one foreground child. */
export function childArguments(parent: ParentLaunch, start: ChildStart, parse: ParseArgs): ChildArguments {
  const extra = parse([...parent.childArgs]);
  const problem = extraProblem(parent.childArgs, extra);
  if (problem !== undefined)
    return { ok: false, refusal: `${problem}; correct childArgs in ptc.json and start pi anew` };
  const tools = start.tools.join(",");
  const trusted = parent.sameProject && parent.projectTrusted;
  const args = [
    ...parent.childArgs,
    "--mode",
    "json",
    // pi takes what follows -p for a prompt, unless it begins with a dash.
    "-p",
    ...sessionArguments(start.session),
    ...passedOn(parent, [...(extra.excludeTools ?? [])]),
    ...(start.noMcp || parent.launch?.noMcp ? ["--no-mcp"] : []),
    trusted ? "--approve" : "--no-approve",
    ...(start.model === undefined ? [] : ["--model", start.model]),
    ...(start.thinkingLevel === undefined ? [] : ["--thinking", start.thinkingLevel]),
    "--tools",
    tools,
    "--append-system-prompt",
    start.promptPath,
  ];
  const misread = misreading(parse(args), { ...start, trusted });
  if (misread === undefined) return { ok: true, args, warnings: launchWarnings(parent.launch) };
  const cause = parent.childArgs.length > 0 ? "; the setting childArgs may be the cause" : "";
  return {
    ok: false,
    refusal: `pi would not read the child's arguments as they are meant: ${misread}${cause}`,
  };
}

/** A host that is not pi's command line was given nothing that could be passed on. */
const NO_LAUNCH: Pick<Args, "unknownFlags"> & Partial<Args> = { unknownFlags: new Map() };

function sessionArguments(session: ChildStart["session"]): string[] {
  if (!session) return ["--no-session"];
  return ["--session-dir", session.dir, "--session-id", session.id, "--name", `bgdispatch:${session.id}`];
}

/** What the parent's launch and project give the child. */
function passedOn(parent: ParentLaunch, excludedBySetting: string[]): string[] {
  const { noExtensions, noContextFiles, noSkills, ...launch } = parent.launch ?? NO_LAUNCH;
  const given = (launch.extensions ?? []).map((path) => absolutePath(path, parent.launchCwd));
  const fromProject = noExtensions ? [] : parent.projectExtensions;
  const extensions = [...given, ...fromProject, parent.ownExtension];
  const excluded = [...new Set([...(launch.excludeTools ?? []), ...excludedBySetting])];
  const flags = [...launch.unknownFlags].map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  return [
    ...(noExtensions ? ["--no-extensions"] : []),
    ...(noContextFiles ? ["--no-context-files"] : []),
    ...(noSkills ? ["--no-skills"] : []),
    ...[...new Set(extensions)].flatMap((path) => ["--extension", path]),
    ...flags,
    ...(excluded.length > 0 ? ["--exclude-tools", excluded.join(",")] : []),
  ];
}

/** Package sources and built-in names are no paths (pi's utils/paths, `isLocalPath`). */
const NOT_LOCAL = /^\s*(?:npm:|git:|github:|https?:|ssh:|builtin:)/;

function absolutePath(path: string, from: string): string {
  if (NOT_LOCAL.test(path)) return path;
  if (path.startsWith("file://")) return fileURLToPath(path);
  return path === "~" || /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : resolve(from, path);
}

function launchWarnings(launch: Args | undefined): string[] {
  return launch?.apiKey === undefined
    ? []
    : [
        "the key given by --api-key is not passed to children, where it would show in the list of processes: set it in the environment or log in",
      ];
}

/** Options of pi that are ours to give, by the field they are parsed to. */
const OWNED: Partial<Record<keyof Args, string>> = {
  mode: "--mode",
  print: "--print",
  noSession: "--no-session",
  session: "--session",
  sessionId: "--session-id",
  sessionDir: "--session-dir",
  fork: "--fork",
  continue: "--continue",
  resume: "--resume",
  name: "--name",
  export: "--export",
  help: "--help",
  version: "--version",
  listModels: "--list-models",
  tools: "--tools",
  noTools: "--no-tools",
  noBuiltinTools: "--no-builtin-tools",
  model: "--model",
  provider: "--provider",
  thinking: "--thinking",
  projectTrustOverride: "--approve or --no-approve",
  apiKey: "--api-key, which would show in the list of processes",
};

/** Why the setting `childArgs` cannot be used. */
function extraProblem(given: readonly string[], extra: Args): string | undefined {
  const error = extra.diagnostics[0];
  if (error) return `the setting childArgs is wrong: ${error.message}`;
  for (const [field, option] of Object.entries(OWNED)) {
    if (extra[field as keyof Args] !== undefined)
      return `the setting childArgs holds ${option}, which is not for it to decide`;
  }
  const loose = [...extra.messages, ...extra.fileArgs][0];
  if (given.includes("--") || loose !== undefined)
    return `the setting childArgs holds ${loose === undefined ? '"--"' : JSON.stringify(loose)}, but may only hold options`;
  const relative = extra.extensions?.find(
    (path) => !NOT_LOCAL.test(path) && !/^(?:~|file:)/.test(path) && !isAbsolute(path),
  );
  if (relative !== undefined)
    return `the setting childArgs holds the relative extension ${JSON.stringify(relative)}, which would be another one in every folder`;
  return undefined;
}

/** What pi would take otherwise than it is meant. */
function misreading(read: Args, meant: ChildStart & { trusted: boolean }): string | undefined {
  const checks: [string, unknown, unknown][] = [
    ["errors", read.diagnostics.map((diagnostic) => diagnostic.message).join("; "), ""],
    ["prompts", [...read.messages, ...read.fileArgs].join(" "), ""],
    ["--mode", read.mode, "json"],
    ["--print", read.print, true],
    ["--no-session", read.noSession === true, meant.session === undefined],
    ["--session-dir", read.sessionDir, meant.session?.dir],
    ["--session-id", read.sessionId, meant.session?.id],
    ["--tools", read.tools?.join(","), meant.tools.join(",")],
    ["--model", read.model, meant.model],
    ["--thinking", read.thinking, meant.thinkingLevel],
    ["--approve", read.projectTrustOverride, meant.trusted],
    ["--append-system-prompt", read.appendSystemPrompt?.at(-1), meant.promptPath],
  ];
  const wrong = checks.find(([, found, wanted]) => found !== wanted);
  return wrong && `${wrong[0]} would be ${JSON.stringify(wrong[1]) ?? "absent"}`;
}
