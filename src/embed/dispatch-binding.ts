/**
 * `pi.dispatch` for programs without a session. Its children count in the run they belong to, or in that run's
 * runtime, so the binding becomes callable only when a run takes it.
 */

import { join } from "node:path";
import {
  getAgentDir,
  getPackageDir,
  ModelRuntime,
  parseArgs,
  parseFrontmatter,
} from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import type { PtcConfig } from "../base/limits.ts";
import { packageFolder } from "../base/package-folder.ts";
import { toPlainJson } from "../base/plain-json.ts";
import { ownProcessKey } from "../base/process-key.ts";
import { DISPATCH } from "../base/tool-names.ts";
import { NO_AGENT } from "../children/agent-file.ts";
import { TASK_ID_VARIABLE } from "../children/child-environment.ts";
import { askedAgent, dispatchReply, previewDispatch, refusedDispatch } from "../children/dispatch-reply.ts";
import { DispatchSlots } from "../children/dispatch-slots.ts";
import { LiveChildren } from "../children/live-children.ts";
import { type ParentSession, planChild } from "../children/plan-child.ts";
import { TASK_ID } from "../tasks/record-schema.ts";
import type { EmbeddedRuntime } from "./embedded-runtime.ts";
import type { Binding, CallContext, CallReply, Json } from "../program/outcome.ts";

/** Children of one run. They end with it, but for those in the background of a runtime. */
export interface RunChildren {
  /** The counter of this run, or of its runtime. Throws when that was closed. */
  slots: () => DispatchSlots;
  live: LiveChildren;
  limits: Readonly<PtcConfig>;
  runtime: EmbeddedRuntime | undefined;
}

/** Opens what one run needs. */
export function openRunChildren(
  limits: Readonly<PtcConfig>,
  runtime: EmbeddedRuntime | undefined,
): RunChildren {
  const own = new DispatchSlots(limits);
  return { slots: () => runtime?.slots() ?? own, live: new LiveChildren(), limits, runtime };
}

/** The binding before a run has taken it; called by itself it refuses. */
export class EmbeddedDispatch implements Binding {
  readonly name = DISPATCH;
  readonly countsTime = false;
  readonly preview = previewDispatch;
  readonly #cwd: string;
  readonly #tools: readonly string[];

  /** `tools` are the names bound beside it: a child gets no more. */
  constructor(cwd: string, tools: readonly string[]) {
    this.#cwd = cwd;
    this.#tools = tools;
  }

  async call(): Promise<CallReply> {
    return dispatchReply(
      refusedDispatch("pi.dispatch works only in a program that runPtcProgram runs", NO_AGENT),
    );
  }

  /** The binding for one run. */
  forRun(children: RunChildren): Binding {
    const { name, countsTime, preview } = this;
    return { name, countsTime, preview, call: (args, context) => this.#dispatch(children, args, context) };
  }

  async #dispatch(children: RunChildren, args: Json, context: CallContext): Promise<CallReply> {
    try {
      const { live, limits, runtime } = children;
      const session = await this.#session();
      const settings = { limits, childArgs: [], readOnlyTools: [] };
      const planned = planChild(args, {
        session,
        settings,
        slots: children.slots(),
        pi: { parseArgs, parseFrontmatter },
        ...(runtime ? { background: runtime.place() } : {}),
      });
      if (!planned.ok) return dispatchReply(refusedDispatch(planned.refusal, planned.agentName));
      const { plan, background } = planned;
      if (background && runtime) {
        const answer = await runtime.start(plan, background, ownTaskId());
        if ("taskId" in answer) return { ok: true, raw: toPlainJson(answer) };
        return dispatchReply(refusedDispatch(answer.refusal, plan.agentName));
      }
      const child = live.start(plan, { signal: context.signal, onChange: () => context.onUpdate("") });
      return dispatchReply(await child.result);
    } catch (thrown) {
      return dispatchReply(refusedDispatch(errorText(thrown), askedAgent(args)));
    }
  }

  /** No session stands behind it, so no project is trusted and pi's own default model runs. */
  async #session(): Promise<ParentSession> {
    const runtime = await ModelRuntime.create({
      authPath: join(getAgentDir(), "auth.json"),
      modelsPath: join(getAgentDir(), "models.json"),
    });
    const models = (await runtime.getAvailable()).map(({ provider, id }) => `${provider}/${id}`);
    const names = this.#tools;
    return {
      cwd: this.#cwd,
      env: process.env,
      host: {
        execPath: process.execPath,
        entry: process.argv[1],
        cwd: process.cwd(),
        variable: process.env["PI_PTC_COMMAND"],
        setting: undefined,
        packageDir: getPackageDir(),
      },
      processKey: ownProcessKey(),
      models,
      model: undefined,
      thinkingLevel: undefined,
      tools: {
        launch: undefined,
        callable: names,
        active: names,
        registered: names,
        own: [],
        surface: "full",
      },
      launch: {
        launch: undefined,
        launchCwd: process.cwd(),
        projectTrusted: false,
        projectExtensions: [],
        ownExtension: packageFolder(),
      },
      userAgents: join(getAgentDir(), "agents"),
      projectAgents: undefined,
    };
  }
}

/** The task that this process is the child of. */
function ownTaskId(): string | undefined {
  const id = process.env[TASK_ID_VARIABLE];
  return id !== undefined && TASK_ID.test(id) ? id : undefined;
}
