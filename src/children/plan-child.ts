/**
 * From what a dispatch was asked for to a child that can be started, or the sentence that refuses it.
 * The slot is taken and the prompt file written last, and the plan's `dispose` gives back both.
 */

import { randomBytes } from "node:crypto";
import { errorText } from "../base/error-text.ts";
import { BOUNDS_VARIABLE, handDown, type HandedSettings } from "../base/handed-settings.ts";
import { type Agent, NO_AGENT, type ParseFrontmatter } from "./agent-file.ts";
import { type AgentSearch, pickAgent } from "./agents.ts";
import { type CheckedDispatch, checkInput } from "./check-input.ts";
import { childArguments, type ParentLaunch, type ParseArgs } from "./child-arguments.ts";
import { childEnvironment, READ_ONLY_VARIABLE, runMarker } from "./child-environment.ts";
import { childTools, type ChildTools, type ParentTools } from "./child-tools.ts";
import { askedAgent } from "./dispatch-reply.ts";
import type { DispatchSlots, Reservation } from "./dispatch-slots.ts";
import { type HostProcess, piCommand } from "./pi-command.ts";
import { type PromptFile, writePromptFile } from "./prompt-file.ts";
import { reportInstructions } from "./report.ts";
import { isSameProject } from "./same-project.ts";
import { type SessionDefaults, type SettledChild, settleChild } from "./settle-child.ts";
import type { ChildPlan } from "./start-child.ts";

/** What of pi is needed, handed in. */
export interface PiTools {
  parseArgs: ParseArgs;
  parseFrontmatter: ParseFrontmatter;
}

/** What the user may set about children, and what they are held to. */
export interface ChildSettings extends HandedSettings {
  childArgs: readonly string[];
  readOnlyTools: readonly string[];
}

/** The session at the moment of the dispatch. */
export interface ParentSession {
  cwd: string;
  env: NodeJS.ProcessEnv;
  host: HostProcess;
  /** This process (base/process-key.ts). */
  processKey: string;
  /** Models with a key, each `provider/id`. */
  models: readonly string[];
  /** The session's own, as `provider/id`. */
  model: string | undefined;
  thinkingLevel: string | undefined;
  tools: ParentTools;
  launch: Omit<ParentLaunch, "sameProject" | "childArgs">;
  /** `<agent dir>/agents`. */
  userAgents: string;
  /** The session's `.pi/agents`; undefined when pi does not trust the project. */
  projectAgents: string | undefined;
}

/** How a session keeps background children. */
export interface BackgroundPlace {
  newId: () => string;
  /** Folder for the child's own session; undefined where the parent keeps none. */
  sessionDir: (taskId: string) => string | undefined;
}

/** What is known of a background child beside its plan. */
export interface BackgroundPlan {
  taskId: string;
  label: string;
  depth: number;
}

/** A plan and what the child is called, or why there is none. `background` is there for a child that was asked for so. */
export type Planning =
  | { ok: true; plan: ChildPlan; label: string; background?: BackgroundPlan }
  | { ok: false; refusal: string; agentName: string };

/** Everything a plan is made from. */
export interface PlanParts {
  session: ParentSession;
  settings: ChildSettings;
  slots: DispatchSlots;
  pi: PiTools;
  /** Absent where there are no background children. */
  background?: BackgroundPlace | undefined;
}

/** Plans one child. Never throws. */
export function planChild(input: unknown, parts: PlanParts): Planning {
  const { session, pi } = parts;
  const agentName = askedAgent(input);
  const refuse = (refusal: string): Planning => ({ ok: false, refusal, agentName });
  const checked = checkInput(input, { cwd: session.cwd, models: session.models });
  if (!checked.ok) return refuse(checked.refusal);
  const { request } = checked;
  if (request.background && !parts.background)
    return refuse("there are no background children here; leave background out and await the child");
  const chosen = chooseAgent(request, session, pi.parseFrontmatter);
  if (!chosen.ok) return refuse(chosen.refusal);
  const { agent } = chosen;
  const settling = settleChild(request, agent, defaultsOf(parts));
  if (!settling.ok) return refuse(settling.refusal);
  const { settled } = settling;
  settled.warnings.unshift(...chosen.warnings);
  const command = piCommand(session.host);
  if (!command.ok) return refuse(command.refusal);
  const place = parts.slots.reserve(request.background);
  if (!place.ok) return refuse(place.refusal);
  let built: ReturnType<typeof build>;
  try {
    built = build(parts, { request, agent, settled, place });
  } catch (error) {
    built = { ok: false, refusal: `the child could not be prepared: ${errorText(error)}` };
  }
  if (!built.ok) {
    place.release();
    return refuse(built.refusal);
  }
  const { plan, taskId } = built;
  return {
    ok: true,
    label: request.label,
    plan: { ...plan, command: command.command, args: [...command.args, ...plan.args] },
    ...(taskId === undefined ? {} : { background: { taskId, label: request.label, depth: place.depth } }),
  };
}

interface Choices {
  request: CheckedDispatch;
  agent: Agent | undefined;
  settled: SettledChild;
  place: Extract<Reservation, { ok: true }>;
}

type Built = { ok: true; plan: Omit<ChildPlan, "command">; taskId?: string } | { ok: false; refusal: string };

/** All but the command. When it refuses or throws no file is left; the place is the caller's still. */
function build(parts: PlanParts, choices: Choices): Built {
  const { session, settings } = parts;
  const { agent, place } = choices;
  const { readOnly, reportExpected } = choices.settled;
  const tools = childTools(session.tools, {
    agent,
    readOnly,
    readOnlyTools: settings.readOnlyTools,
    reportExpected,
  });
  const prompt = {
    body: agent?.body ?? "",
    depth: place.depth,
    treeSlots: place.share,
    maxDepth: settings.limits.maxDispatchDepth,
    canDispatch: tools.canDispatch,
    hasPrograms: tools.hasPrograms,
    reportText: reportExpected ? reportInstructions() : undefined,
  };
  const written = writePromptFile(prompt, session.processKey);
  if (!written.ok) return written;
  let built: Built | undefined;
  try {
    built = planWith(parts, choices, { tools, file: written.file });
    return built;
  } finally {
    if (!built?.ok) written.file.dispose();
  }
}

function planWith(
  parts: PlanParts,
  { request, agent, settled, place }: Choices,
  { tools, file }: { tools: ChildTools; file: PromptFile },
): Built {
  const { env, processKey } = parts.session;
  const { model, thinkingLevel, readOnly, warnings, ...ends } = settled;
  const { entries, noMcp } = tools;
  const taskId = request.background ? parts.background?.newId() : undefined;
  const session = sessionOf(taskId, parts.background);
  const start = { model, thinkingLevel, tools: entries, noMcp, promptPath: file.path, session };
  const args = childArguments(launchOf(parts, request.cwd), start, parts.pi.parseArgs);
  if (!args.ok) return args;
  const marker = runMarker(env, taskId ?? randomBytes(8).toString("hex"));
  const { depth, share: treeSlots } = place;
  const bounds = handDown(parts.settings, env[BOUNDS_VARIABLE]);
  const standing = { depth, treeSlots, marker, parent: processKey, readOnly, bounds, taskId };
  return {
    ok: true,
    taskId,
    plan: {
      ...ends,
      args: args.args,
      cwd: request.cwd,
      env: childEnvironment(env, standing),
      task: request.task,
      agentName: agent?.name ?? NO_AGENT,
      marker,
      readOnly,
      warnings: [...warnings, ...tools.warnings, ...args.warnings],
      dispose: () => {
        place.release();
        file.dispose();
      },
    },
  };
}

function sessionOf(
  taskId: string | undefined,
  background: BackgroundPlace | undefined,
): { id: string; dir: string } | undefined {
  const dir = taskId === undefined ? undefined : background?.sessionDir(taskId);
  return taskId === undefined || dir === undefined ? undefined : { id: taskId, dir };
}

function chooseAgent(
  { agent, agentScope }: CheckedDispatch,
  session: ParentSession,
  parse: ParseFrontmatter,
): { ok: true; agent: Agent | undefined; warnings: string[] } | { ok: false; refusal: string } {
  if (agent === undefined) return { ok: true, agent: undefined, warnings: [] };
  const search: AgentSearch = {
    scope: agentScope,
    userDir: session.userAgents,
    projectDir: session.projectAgents,
    parse,
  };
  return pickAgent(agent, search);
}

function defaultsOf({ session, settings }: PlanParts): SessionDefaults {
  const { model, thinkingLevel, models, env } = session;
  return { model, thinkingLevel, models, limits: settings.limits, readOnly: env[READ_ONLY_VARIABLE] === "1" };
}

function launchOf({ session, settings }: PlanParts, cwd: string): ParentLaunch {
  const sameProject = isSameProject(session.cwd, cwd);
  return { ...session.launch, sameProject, childArgs: settings.childArgs };
}
