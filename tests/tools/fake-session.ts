/** A tool's surroundings without pi: a runner that answers what it is told, and a session in memory. */

import type { AgentToolResult, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { DEFAULT_SETTINGS, type PtcSettings } from "../../src/base/settings.ts";
import type { PtcRunOutcome } from "../../src/program/outcome.ts";
import type { ProgramRunner, RunRequest } from "../../src/program/request.ts";
import { createRunCodeTool } from "../../src/tools/run-code.ts";
import type { ProgramAccess } from "../../src/tools/run-tool.ts";
import { STORE_ENTRY_TYPE } from "../../src/tools/store.ts";
import { createToolTexts } from "../../src/tools/tool-texts.ts";
import { createWorkflowTool } from "../../src/tools/workflow.ts";
import { SUCCESS } from "./outcomes.ts";

export const asked = (name: string, description = `Does ${name}`) => ({
  name,
  description,
  parameters: { type: "object" },
});

export class FakeSession {
  readonly requests: RunRequest[] = [];
  readonly branch: { type: string; customType?: string; data?: unknown }[] = [];
  readonly updates: unknown[] = [];
  readonly infos: ReturnType<ProgramAccess["toolInfos"]>[number][] = [];
  settings: PtcSettings = { ...DEFAULT_SETTINGS };
  answer: (request: RunRequest) => PtcRunOutcome | Promise<PtcRunOutcome> = () => SUCCESS;
  ctx: Record<string, unknown> = {
    cwd: "/work",
    tools: [asked("read"), asked("ptc_run_code")],
    executeTool: async () => ({ result: { content: [{ type: "text", text: "did it" }] }, isError: false }),
    sessionManager: { getBranch: () => this.branch },
  };

  readonly access: ProgramAccess = {
    settings: () => this.settings,
    blockImages: () => false,
    toolInfos: () => this.infos,
    appendStore: (data) => void this.branch.push({ type: "custom", customType: STORE_ENTRY_TYPE, data }),
    runner: () =>
      ({
        run: async (request: RunRequest) => {
          this.requests.push(request);
          return this.answer(request);
        },
      }) as unknown as ProgramRunner,
  };
  readonly texts = createToolTexts({ settings: () => this.settings });
  readonly runCode = createRunCodeTool(Type, this.texts, this.access);
  readonly workflow = createWorkflowTool(Type, this.texts, this.access);

  /** Runs a tool as pi would, after validation. */
  async execute(
    tool: ToolDefinition,
    params: object,
    signal?: AbortSignal,
  ): Promise<AgentToolResult<unknown>> {
    return tool.execute(
      "call-1",
      params as never,
      signal,
      (partial) => void this.updates.push(partial),
      this.ctx as never,
    );
  }
}
