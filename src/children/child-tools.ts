/**
 * The tools of a child (spec 2.3, 2.9): never more than its parent's. The result becomes one `--tools` list,
 * to which pi holds everything it registers, MCP tools only where an entry names one of theirs.
 */

import type { Args } from "@earendil-works/pi-coding-agent";
import { CHILD_REPORT, RUN_CODE, SUBAGENT, WORKFLOW } from "../base/tool-names.ts";
import { meansTool } from "../base/tool-pattern.ts";
import type { Agent } from "./agent-file.ts";

/** What the session has, read at the moment of the dispatch. */
export interface ParentTools {
  /** pi's `parseArgs` of this pi's arguments; undefined where the process is not pi's command line. */
  launch: Args | undefined;
  /** Names in `ctx.tools`. */
  callable: readonly string[];
  /** `pi.getActiveTools()`. */
  active: readonly string[];
  /** Names in `pi.getAllTools()`. */
  registered: readonly string[];
  /** Those of our own tools that the session has on its surface. */
  own: readonly string[];
  surface: "off" | "subagents" | "full";
}

/** What one child may have of it. */
export interface ToolWish {
  agent: Pick<Agent, "name" | "tools"> | undefined;
  readOnly: boolean;
  /** The user setting `readOnlyTools`. */
  readOnlyTools: readonly string[];
  reportExpected: boolean;
}

/** What the child gets. */
export interface ChildTools {
  /** Names, the report tool not among them. */
  names: string[];
  /** Entries for `--tools`. */
  entries: string[];
  /** The child is started without MCP. */
  noMcp: boolean;
  /** The child has the tool that starts children. */
  canDispatch: boolean;
  /** The child can run programs that start children. */
  hasPrograms: boolean;
  /** What the agent lists and the child does not get. */
  dropped: string[];
  warnings: string[];
}

const PROGRAMS = [RUN_CODE, WORKFLOW];
const SEARCHES = ["grep", "find", "ls"];
/** What a read-only child may call beside the report tool and what the user's setting names. */
export const READING: readonly string[] = ["read", ...SEARCHES];
const ORCHESTRATORS = ["codemode", "tool_search"];
/** pi's own; the others of MCP begin with `mcp__` (its docs/cli.md, "MCP tools"). */
const MCP_RESOURCES = new Set(["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"]);
/** Names no MCP tool, but makes pi hold MCP tools to the list. */
const MCP_HELD = "mcp__";

const isProgram = (name: string): boolean => PROGRAMS.includes(name);
const isForChildren = (name: string): boolean => name === SUBAGENT || name.startsWith("ptc_task_");
const isMcp = (name: string): boolean => name.startsWith("mcp__") || MCP_RESOURCES.has(name);

/** The child's tools by what the session has and what agent and tier leave of it. */
export function childTools(parent: ParentTools, wish: ToolWish): ChildTools {
  const held = heldBy(parent);
  const allowed = wish.readOnly ? held.filter((name) => isReadOnly(name, wish.readOnlyTools)) : held;
  const listed = (wish.agent?.tools ?? []).map((entry) => asHeld(entry, held));
  const names = wish.agent?.tools === undefined ? allowed : picked(allowed, listed);
  const dropped = listed.filter(
    (entry) => entry !== CHILD_REPORT && !names.some((name) => meansTool(entry, name)),
  );
  return {
    names,
    entries: entriesFor(names, parent, wish.reportExpected),
    noMcp: !names.some(isMcp),
    canDispatch: names.includes(SUBAGENT),
    hasPrograms: names.some(isProgram) && names.includes(SUBAGENT),
    dropped,
    warnings: warningsFor(dropped, { held, allowed, agentName: wish.agent?.name ?? "" }),
  };
}

/** Everything the session can call, directly or in a program. */
function heldBy({ launch, callable, active, registered, own, surface }: ParentTools): string[] {
  const searches = SEARCHES.filter(
    (name) =>
      registered.includes(name) && !launch?.noBuiltinTools && !(launch?.tools ?? []).includes(`-${name}`),
  );
  const names = [
    ...callable.filter((name) => !ORCHESTRATORS.includes(name)),
    ...own,
    ...(callable.includes("read") ? searches : []),
    ...(surface === "subagents" ? ORCHESTRATORS.filter((name) => active.includes(name)) : []),
  ];
  return [...new Set(names)].filter((name) => name !== CHILD_REPORT && canBeListed(name));
}

/** The name of a tool for an entry that fits none but by its case: agents written for other programs say `Read` and `Bash`. */
function asHeld(entry: string, held: readonly string[]): string {
  if (held.some((name) => meansTool(entry, name))) return entry;
  return held.find((name) => name.toLowerCase() === entry.toLowerCase()) ?? entry;
}

/** pi splits the list at commas and takes `*`, `+` and `-` for more than a part of a name. */
function canBeListed(name: string): boolean {
  return name !== "" && name.trim() === name && !/[,*]|^[+-]/.test(name);
}

function isReadOnly(name: string, readOnlyTools: readonly string[]): boolean {
  if (isForChildren(name)) return false;
  // The child runs them on the engine where nothing but its own tools can be reached.
  if (isProgram(name)) return true;
  return READING.includes(name) || readOnlyTools.includes(name);
}

/** What an agent's list leaves of `held`. Programs bring the tools for children along; without programs there are none. */
function picked(held: readonly string[], listed: readonly string[]): string[] {
  const chosen = new Set(held.filter((name) => listed.some((entry) => meansTool(entry, name))));
  const hasPrograms = [...chosen].some(isProgram);
  return held.filter((name) => (isForChildren(name) ? hasPrograms : chosen.has(name)));
}

function entriesFor(names: readonly string[], parent: ParentTools, reportExpected: boolean): string[] {
  const hasCodemode = names.includes("codemode");
  // Without one that can call undeclared tools they have to be declared to be of use.
  const callsUndeclared = hasCodemode || names.some(isProgram);
  // Nothing but codemode calls programs.
  const isDeclared = (name: string): boolean => !callsUndeclared || (isProgram(name) && !hasCodemode);
  const entries = names.map((name) => (isDeclared(name) ? name : undeclaredEntry(name, parent)));
  if (reportExpected) entries.push(CHILD_REPORT);
  // Without MCP of pi's own there may be tools of these names from elsewhere. Of no entries at all pi makes no tools.
  const needsHold = entries.length > 0 && !entries.some((entry) => entry.startsWith("mcp__"));
  return needsHold ? [...entries, MCP_HELD] : entries;
}

/**
 * pi declares every tool it finds in the list by its name, but those found by a pattern only as their exposure
 * says. A tool that the parent's model is not shown stays undeclared so, unless the pattern fits another.
 */
function undeclaredEntry(name: string, { active, registered, launch }: ParentTools): string {
  if (active.includes(name) || isMcp(name) || SEARCHES.includes(name)) return name;
  const fitsAnother = registered.some((other) => other !== name && other.startsWith(name));
  return fitsAnother || !hasAllOf(name, launch) ? name : `${name}*`;
}

/** Does this pi have every tool there is whose name begins so? A list in its launch keeps others from being registered. */
function hasAllOf(start: string, launch: ParentTools["launch"]): boolean {
  if (launch?.noBuiltinTools) return false;
  const list = (launch?.tools ?? []).filter((entry) => !/^[+-]/.test(entry));
  if (list.length === 0) return true;
  return list.some((entry) => /^[^*]*\*$/.test(entry) && start.startsWith(entry.slice(0, -1)));
}

function warningsFor(
  dropped: readonly string[],
  { held, allowed, agentName }: { held: readonly string[]; allowed: readonly string[]; agentName: string },
): string[] {
  const has = (names: readonly string[], entry: string): boolean =>
    names.some((name) => meansTool(entry, name));
  const absent = dropped.filter((entry) => !has(held, entry));
  const writing = dropped.filter((entry) => has(held, entry) && !has(allowed, entry));
  const childless = dropped.filter((entry) => has(allowed, entry));
  const agent = `agent ${JSON.stringify(agentName)} lists`;
  return [
    absent.length > 0 && `${agent} ${absent.join(", ")}, which this session does not have: left out`,
    writing.length > 0 && `${agent} ${writing.join(", ")}, but the child is read-only: left out`,
    childless.length > 0 &&
      `${agent} ${childless.join(", ")}, but no program tool (${PROGRAMS.join(", ")}) to use them: left out`,
  ].filter((warning) => warning !== false);
}
