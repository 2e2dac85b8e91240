/**
 * `pi.dispatch` for programs without a session. Its children count in the run they belong to, so the binding
 * becomes callable only when a run takes it.
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
import { ownProcessKey } from "../base/process-key.ts";
import { DISPATCH } from "../base/tool-names.ts";
import { NO_AGENT } from "../children/agent-file.ts";
import { dispatchReply, refusedDispatch } from "../children/dispatch-reply.ts";
import { DispatchSlots } from "../children/dispatch-slots.ts";
import { LiveChildren } from "../children/live-children.ts";
import { type ParentSession, planChild } from "../children/plan-child.ts";
import type { Binding, CallContext, CallReply, Json } from "../program/outcome.ts";

/** Children of one run: one counter, and one end. */
export interface RunChildren {
  slots: DispatchSlots;
  live: LiveChildren;
  limits: Readonly<PtcConfig>;
}

/** Opens the counter of one run. */
export function openRunChildren(limits: Readonly<PtcConfig>): RunChildren {
  return { slots: new DispatchSlots(limits), live: new LiveChildren(), limits };
}

/** The binding before a run has taken it; called by itself it refuses. */
export class EmbeddedDispatch implements Binding {
  readonly name = DISPATCH;
  readonly countsTime = false;
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
    const { name, countsTime } = this;
    return { name, countsTime, call: (args, context) => this.#dispatch(children, args, context) };
  }

  async #dispatch(
    { slots, live, limits }: RunChildren,
    args: Json,
    context: CallContext,
  ): Promise<CallReply> {
    try {
      const session = await this.#session();
      const settings = { limits, childArgs: [], readOnlyTools: [] };
      const planned = planChild(args, { session, settings, slots, pi: { parseArgs, parseFrontmatter } });
      if (!planned.ok) return dispatchReply(refusedDispatch(planned.refusal, planned.agentName));
      const child = live.start(planned.plan, {
        signal: context.signal,
        onChange: () => context.onUpdate(""),
      });
      return dispatchReply(await child.result);
    } catch (thrown) {
      return dispatchReply(refusedDispatch(errorText(thrown), NO_AGENT));
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
