/** Bindings of embedders: their shape before a run, and the shape of what they answer. */

import { isObject } from "../base/settings-file.ts";
import { nearestName } from "../base/nearest-name.ts";
import type { Binding, CallReply } from "../program/outcome.ts";
import { failedReply } from "../program/tool-reply.ts";
import {
  FLAG,
  FUNCTION,
  required,
  type Shape,
  shapeProblems,
  type Shapes,
  show,
  TEXT,
} from "./check-shape.ts";

const BINDING: Shapes<keyof Binding> = {
  name: required(TEXT),
  call: required(FUNCTION),
  countsTime: FLAG,
  preview: FUNCTION,
};
const BLOCKS: Shape = {
  wanted: 'an array of blocks like { type: "text", text: "…" }',
  fits: (value) =>
    Array.isArray(value) && value.every((block) => isObject(block) && typeof block["type"] === "string"),
  required: true,
};
const VALUE: Shapes = { content: BLOCKS };
const FAILURE: Shapes = {
  message: { wanted: "a string", fits: (value) => typeof value === "string", required: true },
  content: BLOCKS,
};
const ANSWERS =
  "{ ok: true, raw }, { ok: true, value: { content, details } } or { ok: false, failure: { message, content, details } }";

/** A sentence for each binding that is none, and for each name that is taken. */
export function bindingProblems(bindings: readonly unknown[]): string[] {
  const firstOf = new Map<unknown, number>();
  return bindings.flatMap((binding, index) => {
    const at = `bindings[${index}]`;
    const problems = shapeProblems(at, binding, BINDING, { isOpen: true });
    if (problems.length > 0 || !isObject(binding)) return problems;
    const { name } = binding;
    const first = firstOf.get(name);
    if (first !== undefined)
      return [`${at}.name is ${show(name)}, as is that of bindings[${first}]; give each a name of its own`];
    firstOf.set(name, index);
    return misspelt(at, binding);
  });
}

/** A binding may be an object of somebody's own, with more in it; only what is nearly an option is told. */
function misspelt(at: string, binding: Record<string, unknown>): string[] {
  const known = Object.keys(BINDING);
  return Object.keys(binding).flatMap((key) => {
    const near = known.includes(key) ? undefined : nearestName(key, ["countsTime", "preview"]);
    return near === undefined ? [] : [`${at}.${key} is unknown (did you mean ${near}?)`];
  });
}

/** The binding with its answers checked: an answer that is none fails the call with a sentence about it. */
export function checkedBinding(binding: Binding): Binding {
  const { name, countsTime } = binding;
  return {
    name,
    ...(countsTime === undefined ? {} : { countsTime }),
    ...(binding.preview ? { preview: (args) => binding.preview?.(args) ?? "" } : {}),
    call: async (args, context) => {
      const answer: unknown = await binding.call(args, context);
      const problem = answerProblem(answer);
      if (problem === undefined) return answer as CallReply;
      return failedReply(`the binding ${show(name)} gave no answer: ${problem}`);
    },
  };
}

function answerProblem(answer: unknown): string | undefined {
  if (!isObject(answer)) return `it is ${show(answer)}; it must be ${ANSWERS}`;
  if (answer["ok"] === false)
    return shapeProblems("failure", answer["failure"], FAILURE, { isOpen: true })[0];
  if (answer["ok"] !== true) return `ok is ${show(answer["ok"])}; it must be ${ANSWERS}`;
  if ("raw" in answer) return undefined;
  if ("value" in answer) return shapeProblems("value", answer["value"], VALUE, { isOpen: true })[0];
  return `there is neither raw nor value; it must be ${ANSWERS}`;
}
