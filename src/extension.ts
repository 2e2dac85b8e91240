/**
 * What pi loads: pi transpiles this file and answers its imports with pi's own modules. Node loads the
 * built files, which import none of them: they would get second copies wherever a `node_modules` has some.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as codingAgent from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import * as typebox from "typebox";
import * as typeboxCompile from "typebox/compile";
import * as typeboxValue from "typebox/value";
import type * as Built from "./extension/activate.ts";

const BUILT = new URL("../dist/extension.js", import.meta.url);
const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const MISSING = "so its tools are missing";
const BUILD = `run \`npx pnpm@12 build\` in ${FOLDER}`;

/** The factory pi calls once for every session. A throw would keep pi from starting, so what fails here is told in the session. */
export default async function start(pi: codingAgent.ExtensionAPI): Promise<void> {
  if (!existsSync(BUILT)) return report(pi, `pi-ptc-subagents is not built, ${MISSING}: ${BUILD}`);
  try {
    const { activate } = (await import(BUILT.href)) as typeof Built;
    activate({ codingAgent, tui, typebox, typeboxCompile, typeboxValue }, pi);
  } catch (error) {
    report(pi, `pi-ptc-subagents could not be loaded, ${MISSING}: ${causeOf(error)}; ${BUILD}`);
  }
}

const causeOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");

function report(pi: codingAgent.ExtensionAPI, sentence: string): void {
  pi.on("session_start", (_event, ctx) => {
    if (ctx.hasUI) ctx.ui.notify(sentence, "error");
    else console.error(sentence);
  });
}
