/**
 * From what a dispatch was asked for to a child that can be started, or the sentence that refuses it.
 * The slot is taken and the prompt file written last, and the plan's `dispose` gives back both.
 */

import { randomBytes } from "node:crypto";
import type { PtcConfig } from "../base/limits.ts";
import { type Agent, NO_AGENT, type ParseFrontmatter } from "./agent-file.ts";
import { type AgentSearch, pickAgent } from "./agents.ts";
import { type CheckedDispatch, checkInput } from "./check-input.ts";
import { childArguments, type ParentLaunch, type ParseArgs } from "./child-arguments.ts";
import { childEnvironment, READ_ONLY_VARIABLE, runMarker } from "./child-environment.ts";
import { type ChildTools, childTools, type ParentTools } from "./child-tools.ts";
import type { DispatchSlots, Reservation } from "./dispatch-slots.ts";
import { findModel } from "./model-choice.ts";
import { type HostProcess, piCommand } from "./pi-command.ts";
import { writePromptFile } from "./prompt-file.ts";
import { reportInstructions } from "./report.ts";
import { isSameProject } from "./same-project.ts";
import type { ChildPlan } from "./start-child.ts";

/** What of pi is needed, handed in. */
export interface PiTools {
  parseArgs: ParseArgs;
  parseFrontmatter: ParseFrontmatter;
}

/** What the user may set about children. */
export interface ChildSettings {
  limits: Readonly<PtcConfig>;
  childArgs: readonly string[];
  readOnlyTools: readonly string[];
}

/** The session at the moment of the dispatch. */
export interface ParentSession {
  cwd: string;
  env: NodeJS.ProcessEnv;
  host: HostProcess;
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

/** A plan, or why there is none. */
export type Planning = { ok: true; plan: ChildPlan } | { ok: false; refusal: string; agentName: string };

/** Everything a plan is made from. */
export interface PlanParts {
  session: ParentSession;
  settings: ChildSettings;
  slots: DispatchSlots;
  pi: PiTools;
}

/** Plans one foreground child. Never throws. */
export function planChild(input: unknown, parts: PlanParts): Planning {
  const { session, pi } = parts;
  const refuse = (refusal: string, agentName = NO_AGENT): Planning => ({ ok: false, refusal, agentName });
  const checked = checkInput(input, { cwd: session.cwd, models: session.models });
  if (!checked.ok) return refuse(checked.refusal);
  const { request } = checked;
  const chosen = chooseAgent(request, session, pi.parseFrontmatter);
  if (!chosen.ok) return refuse(chosen.refusal);
  const { agent } = chosen;
  const agentName = agent?.name ?? NO_AGENT;
  const model = chooseModel(request, agent, session);
  if (!model.ok) return refuse(model.refusal, agentName);
  const command = piCommand(session.host);
  if (!command.ok) return refuse(command.refusal, agentName);
  const place = parts.slots.reserve();
  if (!place.ok) return refuse(place.refusal, agentName);
  const built = build(parts, { request, agent, model, place });
  if (!built.ok) place.release();
  return built.ok
    ? {
        ok: true,
        plan: { ...built.plan, command: command.command, args: [...command.args, ...built.plan.args] },
      }
    : refuse(built.refusal, agentName);
}

interface Choices {
  request: CheckedDispatch;
  agent: Agent | undefined;
  model: { model: string | undefined; thinkingLevel: string | undefined };
  place: Extract<Reservation, { ok: true }>;
}

/** All but the command. Gives nothing back when it refuses: the caller still owns the place. */
function build(
  parts: PlanParts,
  { request, agent, model, place }: Choices,
): { ok: true; plan: Omit<ChildPlan, "command"> } | { ok: false; refusal: string } {
  const { session, settings, pi } = parts;
  const readOnly = request.readOnly || agent?.readOnly === true || session.env[READ_ONLY_VARIABLE] === "1";
  const reportExpected = agent?.childReport !== false;
  const tools = childTools(session.tools, {
    agent,
    readOnly,
    readOnlyTools: settings.readOnlyTools,
    reportExpected,
  });
  const written = writePromptFile({
    body: agent?.body ?? "",
    depth: place.depth,
    maxDepth: settings.limits.maxDispatchDepth,
    treeSlots: place.share,
    hasPrograms: tools.hasPrograms,
    reportText: reportExpected ? reportInstructions() : undefined,
  });
  if (!written.ok) return written;
  const launch = {
    ...session.launch,
    sameProject: isSameProject(session.cwd, request.cwd),
    childArgs: settings.childArgs,
  };
  const start = { ...model, tools: tools.entries, noMcp: tools.noMcp, promptPath: written.file.path };
  const args = childArguments(launch, start, pi.parseArgs);
  if (!args.ok) {
    written.file.disposeSync();
    return args;
  }
  const marker = runMarker(session.env, randomBytes(8).toString("hex"));
  const treeSlots = place.share;
  return {
    ok: true,
    plan: {
      ...boundsOf(request, agent, settings.limits),
      args: args.args,
      cwd: request.cwd,
      env: childEnvironment(session.env, { depth: place.depth, treeSlots, marker, readOnly }),
      task: request.task,
      agentName: agent?.name ?? NO_AGENT,
      marker,
      reportExpected,
      readOnly,
      warnings: warningsOf(tools, args.warnings),
      dispose: () => {
        place.release();
        written.file.disposeSync();
      },
    },
  };
}

function boundsOf(
  request: CheckedDispatch,
  agent: Agent | undefined,
  limits: Readonly<PtcConfig>,
): Pick<ChildPlan, "timeoutMs" | "maxTurns" | "maxCostUsd"> {
  return {
    timeoutMs: request.timeoutMs ?? limits.dispatchTimeoutMs,
    maxTurns: request.maxTurns ?? agent?.maxTurns ?? limits.maxChildTurns,
    maxCostUsd: request.maxCostUsd ?? limits.maxChildCostUsd,
  };
}

const warningsOf = (tools: ChildTools, more: readonly string[]): string[] => [...tools.warnings, ...more];

function chooseAgent(
  { agent, agentScope }: CheckedDispatch,
  session: ParentSession,
  parse: ParseFrontmatter,
): { ok: true; agent: Agent | undefined } | { ok: false; refusal: string } {
  if (agent === undefined) return { ok: true, agent: undefined };
  const search: AgentSearch = {
    scope: agentScope,
    userDir: session.userAgents,
    projectDir: session.projectAgents,
    parse,
  };
  return pickAgent(agent, search);
}

/** The call's model, else the agent's, else the session's. */
function chooseModel(
  request: CheckedDispatch,
  agent: Agent | undefined,
  session: ParentSession,
): ({ ok: true } & Choices["model"]) | { ok: false; refusal: string } {
  const thinking = request.thinkingLevel ?? agent?.thinking;
  if (request.model !== undefined || agent?.model === undefined) {
    return {
      ok: true,
      model: request.model ?? session.model,
      thinkingLevel: thinking ?? session.thinkingLevel,
    };
  }
  const found = findModel(agent.model, session.models);
  if (!found.ok) return { ok: false, refusal: `agent ${JSON.stringify(agent.name)}: ${found.refusal}` };
  return {
    ok: true,
    model: found.model,
    thinkingLevel: thinking ?? found.thinkingLevel ?? session.thinkingLevel,
  };
}
