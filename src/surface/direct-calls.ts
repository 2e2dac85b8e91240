/** Hiding a tool only leaves out its declaration: a model may still name it. What it is told then. */

import { RUN_CODE, SUBAGENT } from "../base/tool-names.ts";
import { CODEMODE } from "./choose.ts";
import type { Offer } from "./offer.ts";
import { BUILT_INS, PROGRAM_TOOLS } from "./tool-roles.ts";

const MAX_ARGUMENT_CHARS = 400;

/** One call as pi announces it. */
export interface AnnouncedCall {
  toolName: string;
  input: unknown;
  /** Made by another tool. */
  isNested: boolean;
}

/** Why the call is blocked; undefined lets it pass. */
export function blockReason(call: AnnouncedCall, offer: Offer): string | undefined {
  const { toolName, isNested } = call;
  if (offer.surface !== "full") return undefined;
  if (toolName === SUBAGENT && offer.mode === "off")
    return "PTC mode is off in this session, so no child is started; children that run go on";
  if (isNested || !offer.hidden.has(toolName)) return undefined;
  if (PROGRAM_TOOLS.includes(toolName))
    return "PTC mode is off in this session, so no program is run; call the tools directly";
  if (toolName === CODEMODE) return codemodeReason(offer);
  return BUILT_INS.includes(toolName) ? builtInReason(call, offer.programs[0] ?? RUN_CODE) : undefined;
}

function codemodeReason({ mode, programs }: Offer): string {
  if (mode === "off") return "codemode is not offered in this session; call the tools directly";
  return `codemode is not offered in this session: write the program for ${programs[0] ?? RUN_CODE} instead`;
}

function builtInReason({ toolName, input }: AnnouncedCall, programTool: string): string {
  const program = `return (await tools.${toolName}(${argumentText(input)})).content[0].text`;
  return `PTC mode is on: ${toolName} is called in a program. Call ${programTool} with such a program, for example: ${program}`;
}

/** The arguments of the call, as they stand in a program; long ones are left to the model. */
function argumentText(input: unknown): string {
  const text = JSON.stringify(input) ?? "{}";
  return text.length > MAX_ARGUMENT_CHARS ? "{ ... }" : text;
}
