/**
 * What the model is told about programs: how to write one and what `tools.<name>` gives. The only place this
 * text stands; `tests/pi/binding-contract.test.ts` runs every claim in a real pi, and holds the text under its cap.
 */

import type { EngineKind } from "../base/settings.ts";

/** Most characters of the contract: 320 tokens at four characters each (spec 1.4). */
export const MAX_CONTRACT_CHARS = 1_280;

/** The limits the contract names. */
export interface ContractLimits {
  timeoutMs: number;
  maxTimeoutMs: number;
  maxParallelSubCalls: number;
}

const SURROUNDINGS: Readonly<Record<EngineKind, string>> = {
  node: "run by Node in the session's cwd. No static import: use `await import()`.",
  quickjs: "run by QuickJS: no Node, no modules, no files or network but through tools; setTimeout is there.",
};

/** The contract with the numbers of this session. */
export function bindingContract(limits: ContractLimits, engine: EngineKind = "node"): string {
  return `Write the body of an async function in JS or TypeScript (types only: no enum, no namespace), ${SURROUNDINGS[engine]} Only what you \`return\` or log comes back, cut to the last 50KB/2000 lines, lines to 200 chars, with the full text in a file, and the images of calls, attached by themselves.
- \`await tools.<name>(args)\`, \`tools["<name>"](args)\` resolve to \`{ content, details, structuredContent? }\`: text at \`content[0].text\`; details an object or null; structuredContent, plain data, where the tool has an output schema. No other fields.
- A call that fails, is blocked or has bad args rejects with \`ToolCallError\` (toolName, message with the tool's text, content, details, structuredContent?). So does bash on a non-zero exit; its output is in message.
- At most ${limits.maxParallelSubCalls} calls run at once, others queue: use Promise.all. Await every call: those open at the end are cancelled.
- Globals: \`ptcBindings\` (names bound), \`await searchTools(query)\` -> [{ name, description }], \`await describeTool(name)\` -> its declaration, \`store(key, json)\` and \`load(key)\` across programs, \`console\`.
- timeoutMs: default ${limits.timeoutMs}, at most ${limits.maxTimeoutMs}.`;
}
