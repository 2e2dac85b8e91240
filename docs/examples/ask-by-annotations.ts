/**
 * A permission extension that asks before every call that may destroy something or reach the outside, by what tools
 * say of themselves. One that says nothing is taken for dangerous. Questions come one after the other, also when a
 * program makes ten calls at once. Load it with `pi -e ask-by-annotations.ts`.
 */

import type { ExtensionAPI, ToolAnnotations } from "@earendil-works/pi-coding-agent";

export default function askByAnnotations(pi: ExtensionAPI): void {
  /** Ends when the question before is answered. */
  let lastQuestion: Promise<unknown> = Promise.resolve();

  pi.on("tool_call", async ({ toolName, input, parentToolCallId }, ctx) => {
    const annotations = pi.getAllTools().find(({ name }) => name === toolName)?.annotations;
    if (isHarmless(annotations)) return undefined;
    const title = parentToolCallId === undefined ? `Call ${toolName}?` : `Let the program call ${toolName}?`;
    const question = lastQuestion.then(() => ctx.ui.confirm(title, JSON.stringify(input).slice(0, 500)));
    lastQuestion = question.catch(() => undefined);
    if (await question) return undefined;
    return { block: true, reason: `${toolName} was not approved` };
  });
}

/** Hints that are missing have the meaning that the Model Context Protocol gives them. */
function isHarmless({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations = {}): boolean {
  if (destructiveHint === true) return false;
  return readOnlyHint === true || (destructiveHint === false && openWorldHint === false);
}
