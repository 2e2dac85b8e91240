/** Which model a child runs on, out of those the session could use. */

import { nearestName } from "../base/nearest-name.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";

/** pi's thinking levels (its docs/cli.md, `--thinking`). */
export const THINKING_LEVELS: readonly string[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Models a refusal lists. */
const MAX_LISTED = 20;

/** A model found, as `provider/id`, or the sentence that refuses it. */
export type ModelChoice =
  | { ok: true; model: string; thinkingLevel?: string }
  | { ok: false; refusal: string };

/**
 * Finds `name` in `available` (each `provider/id` and with a key): written in full, or the id alone where one
 * provider has it, with an optional `:level`. pi's own fuzzy search is not used: a slip of the pen could
 * start an expensive model. `otherwise` is what a refusal advises beside the models there are.
 */
export function findModel(
  name: string,
  available: readonly string[],
  otherwise = "leave model out for the session's own",
): ModelChoice {
  const wanted = name.trim();
  const direct = lookUp(wanted, available);
  if (direct.length === 1) return { ok: true, model: direct[0] as string };
  const colon = wanted.lastIndexOf(":");
  const level = wanted.slice(colon + 1);
  if (direct.length === 0 && colon > 0 && THINKING_LEVELS.includes(level)) {
    const [model, ...others] = lookUp(wanted.slice(0, colon), available);
    if (model !== undefined && others.length === 0) return { ok: true, model, thinkingLevel: level };
  }
  const shown = `model ${JSON.stringify(cutLine(cleanText(wanted), 100))}`;
  if (direct.length > 1)
    return { ok: false, refusal: `${shown} is offered by several providers; write one of ${list(direct)}` };
  return {
    ok: false,
    refusal: `${shown} is unknown or has no key${whatThereIs(wanted, available, otherwise)}`,
  };
}

/** Exact names win over those that differ in case. */
function lookUp(wanted: string, available: readonly string[]): string[] {
  const idOf = (model: string): string => model.slice(model.indexOf("/") + 1);
  const low = wanted.toLowerCase();
  for (const matches of [
    (model: string) => model === wanted,
    (model: string) => idOf(model) === wanted,
    (model: string) => model.toLowerCase() === low,
    (model: string) => idOf(model).toLowerCase() === low,
  ]) {
    const found = [...new Set(available.filter(matches))];
    if (found.length > 0) return found;
  }
  return [];
}

function whatThereIs(wanted: string, available: readonly string[], otherwise: string): string {
  if (available.length === 0) return ", as no model has; log in to a provider or set its key";
  const near = nearestName(wanted, available);
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  return `${hint}; ${otherwise}, or take one of ${list(available)}`;
}

function list(models: readonly string[]): string {
  const shown = models.slice(0, MAX_LISTED).map((model) => cutLine(cleanText(model), 100));
  const more = models.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
