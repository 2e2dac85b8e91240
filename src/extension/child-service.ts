/**
 * The children of one session: the one function by which the model, programs and scripts reach them. Made
 * when a child is first asked for, closed with the session.
 */

import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  ExtensionAPI,
  ExtensionToolContext,
  ToolExecutionStartEvent,
} from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { packageFolder } from "../base/package-folder.ts";
import { ownProcessKey } from "../base/process-key.ts";
import type { PtcSettings, SurfaceKind } from "../base/settings.ts";
import { SUBAGENT } from "../base/tool-names.ts";
import { findAgents } from "../children/agents.ts";
import type { DispatchHandle, DispatchResult } from "../children/dispatch.ts";
import { askedAgent, refusedDispatch } from "../children/dispatch-reply.ts";
import { LiveChildren } from "../children/live-children.ts";
import { type ParentSession, planChild } from "../children/plan-child.ts";
import type { AgentLine } from "../surface/dispatch-text.ts";
import type { ChildAccess, DispatchSurroundings } from "../tools/subagent.ts";
import { ForegroundChildren } from "./foreground-children.ts";
import type { Host } from "./host.ts";
import { hostProcess, launchArguments } from "./launch.ts";
import { type ProjectFacts, projectFacts } from "./project-facts.ts";
import type { TaskService } from "./task-service.ts";

/** What the service needs of its session. */
export interface ServiceOptions {
  host: Host;
  pi: ExtensionAPI;
  settings: () => Readonly<PtcSettings>;
  /** Private folder for complete texts. */
  outputDir: () => Promise<string>;
  /** The surface of the session, and the names of ours that it has there. */
  offered: () => { surface: SurfaceKind; own: readonly string[] };
  /** Holds the session's one counter of children, and those that run in the background. */
  tasks: TaskService;
}

/** A call as pi announces it before it runs. */
type StartedCall = Pick<ToolExecutionStartEvent, "toolCallId" | "toolName" | "parentToolCallId">;

/** The children of one session. */
export class ChildService implements ChildAccess {
  readonly #options: ServiceOptions;
  readonly foreground = new ForegroundChildren();
  readonly #live = new LiveChildren();
  #project: ProjectFacts | undefined;
  #processKey: string | undefined;
  /** Calls of `ptc_subagent` that another tool made and that still run. */
  readonly #nested = new Set<string>();
  /** The agents of the user, and of the project where pi trusts it. */
  #agents: AgentLine[] = [];

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  async dispatch(input: unknown, around: DispatchSurroundings): Promise<DispatchResult | DispatchHandle> {
    const startedAt = performance.now();
    try {
      await this.learnProject(around.ctx);
      const problem = this.#project?.problem;
      if (problem)
        return refusedDispatch(
          `no child starts until this is mended and pi started anew: ${problem}`,
          askedAgent(input),
          since(startedAt),
        );
      const { host, settings, tasks } = this.#options;
      const { parseArgs, parseFrontmatter } = host.codingAgent;
      const session = this.#sessionOf(around.ctx);
      const pi = { parseArgs, parseFrontmatter };
      const planned = planChild(input, {
        session,
        settings: settings(),
        slots: tasks.slots(),
        pi,
        background: tasks.place(),
      });
      if (!planned.ok) return refusedDispatch(planned.refusal, planned.agentName, since(startedAt));
      if (planned.background) {
        const kind = this.isNested(around.toolCallId) ? "program" : "model";
        const source = { kind, callerId: around.toolCallId } as const;
        const answer = await tasks.start(planned.plan, planned.background, source);
        if ("taskId" in answer) return answer;
        return refusedDispatch(answer.refusal, planned.plan.agentName, since(startedAt));
      }
      const child = this.#live.start(planned.plan, {
        signal: around.signal,
        onChange: () => {
          around.onProgress(() => child.progress());
          this.foreground.moved();
        },
        onText: (text) => this.foreground.said(around.toolCallId, text),
      });
      const result = await this.foreground.follow(around.toolCallId, planned.label, child);
      tasks.slots().spentUsd += result.usage?.cost ?? 0;
      return result;
    } catch (thrown) {
      return refusedDispatch(
        `the child was not started: ${errorText(thrown)}`,
        askedAgent(input),
        since(startedAt),
      );
    }
  }

  /** US dollars that children in the foreground have cost so far, those that run among them. */
  get spentUsd(): number {
    const running = this.foreground.list().map(({ progress }) => progress.usage.cost);
    return running.reduce((sum, cost) => sum + cost, this.#options.tasks.slots().spentUsd);
  }

  isNested(toolCallId: string): boolean {
    return this.#nested.has(toolCallId);
  }

  callStarted({ toolCallId, toolName, parentToolCallId }: StartedCall): void {
    if (toolName === SUBAGENT && parentToolCallId !== undefined) this.#nested.add(toolCallId);
  }

  callEnded(toolCallId: string): void {
    this.#nested.delete(toolCallId);
  }

  agents(): readonly AgentLine[] {
    return this.#agents;
  }

  /** Notes what pi loaded of the project. Taken once: what is written later was never trusted. */
  async learnProject(ctx: { cwd: string; isProjectTrusted(): boolean }): Promise<void> {
    this.#project ??= await projectFacts(this.#options.host, ctx);
  }

  /** Looks the agents up again, between prompts only, and returns a sentence for each file that is none. */
  refreshAgents(ctx: { cwd: string; isProjectTrusted(): boolean }): string[] {
    const { host } = this.#options;
    const search = {
      scope: "both",
      ...agentFolders(host, ctx),
      parse: host.codingAgent.parseFrontmatter,
    } as const;
    const { agents, problems } = findAgents(search);
    this.#agents = agents.map(({ name, description, scope }) => ({ name, description, scope }));
    return problems;
  }

  async fitText(text: string, head: string): Promise<string> {
    const { truncateTail, DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES } = this.#options.host.codingAgent;
    const { content, truncated, outputLines, totalLines } = truncateTail(text, {
      maxBytes: Math.max(1_024, DEFAULT_MAX_BYTES - Buffer.byteLength(head)),
      maxLines: Math.max(10, DEFAULT_MAX_LINES - head.split("\n").length),
    });
    if (!truncated) return text;
    const range = `Showing lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}`;
    try {
      const path = join(await this.#options.outputDir(), `ptc-${randomUUID()}.txt`);
      await writeFile(path, text, { mode: 0o600, flag: "wx" });
      return `${content}\n\n[${range}. Full output: ${path}]`;
    } catch (error) {
      return `${content}\n\n[${range}.]\nWarning: the full output could not be written to a file: ${errorText(error)}`;
    }
  }

  /** Stops every child and waits until it is gone. */
  async close(): Promise<void> {
    await this.#live.close("the session ended");
  }

  #sessionOf(ctx: ExtensionToolContext): ParentSession {
    const { host, pi, settings, offered } = this.#options;
    const launch = launchArguments(host, settings());
    const { userDir, projectDir } = agentFolders(host, ctx);
    return {
      cwd: ctx.cwd,
      env: process.env,
      host: hostProcess(host, settings()),
      processKey: (this.#processKey ??= ownProcessKey()),
      models: ctx.modelRegistry.getAvailable().map(({ provider, id }) => `${provider}/${id}`),
      model: ctx.model && `${ctx.model.provider}/${ctx.model.id}`,
      thinkingLevel: ctx.thinkingLevel,
      tools: {
        launch,
        callable: ctx.tools.map(({ name }) => name),
        active: pi.getActiveTools(),
        registered: pi.getAllTools().map(({ name }) => name),
        ...offered(),
      },
      launch: {
        launch,
        launchCwd: process.cwd(),
        projectTrusted: this.#project?.trusted === true,
        projectExtensions: this.#project?.extensions ?? [],
        ownExtension: packageFolder(),
      },
      userAgents: userDir,
      projectAgents: projectDir,
    };
  }
}

function agentFolders(
  { codingAgent }: Host,
  ctx: { cwd: string; isProjectTrusted(): boolean },
): { userDir: string; projectDir: string | undefined } {
  return {
    userDir: join(codingAgent.getAgentDir(), "agents"),
    projectDir: ctx.isProjectTrusted() ? join(ctx.cwd, codingAgent.CONFIG_DIR_NAME, "agents") : undefined,
  };
}

const since = (startedAt: number): number => Math.round(performance.now() - startedAt);
