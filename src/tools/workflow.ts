/** `ptc_workflow`: a program in named phases, with arguments of its own. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { WORKFLOW } from "../base/tool-names.ts";
import type { Json } from "../program/outcome.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { type CarriedArguments, carryArgs, carryMeta, carryTimeout } from "./arguments.ts";
import { programOutputSchema } from "./output-schema.ts";
import { type ProgramAccess, runProgramTool } from "./run-tool.ts";
import {
  asToolResult,
  PROGRAM_ANNOTATIONS,
  programReach,
  timeoutParameter,
  type TypeBuilder,
} from "./tool-parts.ts";
import type { ToolTexts } from "./tool-texts.ts";

interface WorkflowArguments extends CarriedArguments {
  meta: { name: string; description: string; phases?: { name: string }[] };
  script: string;
  args?: Json;
  timeoutMs?: number;
}

const LABEL = "PTC workflow";

/** The tool's definition, made with pi's TypeBox. */
export function createWorkflowTool(
  type: TypeBuilder,
  texts: ToolTexts,
  access: ProgramAccess,
  rows?: ToolRows,
): ToolDefinition {
  return {
    name: WORKFLOW,
    label: LABEL,
    ...rows?.program(LABEL),
    get description() {
      return texts.registered(WORKFLOW);
    },
    promptSnippet: "Run a longer program in named phases, with progress for the human",
    parameters: workflowParameters(type),
    outputSchema: programOutputSchema(type),
    annotations: PROGRAM_ANNOTATIONS,
    reachesTools: (input) => programReach(input["script"]),
    prepareLoadout: (loadout) => ({ descriptions: { [WORKFLOW]: texts.describe(WORKFLOW, loadout) } }),
    prepareArguments: (given) => carryMeta(carryArgs(carryTimeout(given))) as never,
    async execute(toolCallId, params, signal, onUpdate, ctx) {
      const { meta, script, args, timeoutMs, givenTimeout, argsProblem } =
        params as unknown as WorkflowArguments;
      const call = {
        title: { tool: WORKFLOW, description: titleOf(meta), source: script },
        request: {
          tool: "workflow",
          source: script,
          args: args ?? null,
          phases: phaseNames(meta.phases),
          timeoutMs: givenTimeout ?? timeoutMs,
        },
        problem: argsProblem,
      } as const;
      const send = onUpdate && ((partial: object) => onUpdate(asToolResult(partial)));
      const ended = rows?.begin(toolCallId);
      try {
        return asToolResult(await runProgramTool(call, { signal, onUpdate: send, ctx }, access));
      } finally {
        ended?.();
      }
    },
  };
}

function workflowParameters(type: TypeBuilder) {
  return type.Object({
    meta: type.Object({
      name: type.String({ description: "Short name, for the human" }),
      description: type.String({ description: "What the workflow does, for the human" }),
      phases: type.Optional(
        type.Array(type.Object({ name: type.String() }), {
          description: "The plan: titles given to phase(), in order",
        }),
      ),
    }),
    script: type.String({ description: "Body of an async function, JS or TS; return the result" }),
    args: type.Optional(
      type.Object({}, { additionalProperties: true, description: "Plain JSON; the script's global args" }),
    ),
    timeoutMs: type.Optional(timeoutParameter(type)),
  });
}

/** The line a person sees: the name, which the spec asks for, or what there is. */
function titleOf(meta: WorkflowArguments["meta"]): string {
  return meta.name.trim() === "" ? meta.description.trim() : meta.name.trim();
}

/** The declared phases in order; blank names and repetitions say nothing and are dropped. */
function phaseNames(phases: WorkflowArguments["meta"]["phases"]): string[] {
  const names = (phases ?? []).map((phase) => phase.name.trim()).filter((name) => name !== "");
  return [...new Set(names)];
}
