/** `ptc_run_code`: one program, run once. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { RUN_CODE } from "../base/tool-names.ts";
import type { ToolRows } from "../render/tool-rows.ts";
import { type CarriedArguments, carryDescription, carryTimeout } from "./arguments.ts";
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

interface RunCodeArguments extends CarriedArguments {
  code: string;
  description: string;
  timeoutMs?: number;
}

const LABEL = "PTC";

/** The tool's definition, made with pi's TypeBox. */
export function createRunCodeTool(
  type: TypeBuilder,
  texts: ToolTexts,
  access: ProgramAccess,
  rows?: ToolRows,
): ToolDefinition {
  const parameters = type.Object({
    code: type.String({ description: "Body of an async function, JS or TS; return the result" }),
    description: type.String({ description: "What the program does, in 5-10 words, for the human" }),
    timeoutMs: type.Optional(timeoutParameter(type)),
  });
  return {
    name: RUN_CODE,
    label: LABEL,
    ...rows?.program(LABEL),
    get description() {
      return texts.registered(RUN_CODE);
    },
    promptSnippet: "Run a program that calls the session's tools and returns only its result",
    promptGuidelines: [
      "Use ptc_run_code instead of many separate calls when calls are chained or repeated, or when only a part of their output matters",
    ],
    parameters,
    outputSchema: programOutputSchema(type),
    annotations: PROGRAM_ANNOTATIONS,
    reachesTools: (input) => programReach(input["code"]),
    prepareLoadout: (loadout) => ({ descriptions: { [RUN_CODE]: texts.describe(RUN_CODE, loadout) } }),
    prepareArguments: (given) => carryDescription(carryTimeout(given)) as never,
    async execute(toolCallId, params, signal, onUpdate, ctx) {
      const { code, description, timeoutMs, givenTimeout } = params as unknown as RunCodeArguments;
      const call = {
        title: { tool: RUN_CODE, description, source: code },
        request: { tool: "run", source: code, timeoutMs: givenTimeout ?? timeoutMs },
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
