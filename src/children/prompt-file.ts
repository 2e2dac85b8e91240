/**
 * The file by which a child gets its prompt, readable by the user alone and never in the list of processes. pi
 * reads it again when it reloads, so it lives as long as the child. A pi that was killed leaves it to a later sweep.
 */

import { mkdtempSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../base/error-text.ts";
import { DISPATCH } from "../base/tool-names.ts";

/** What a child is told beside its task. */
export interface ChildPrompt {
  /** The agent's prompt; empty without an agent. */
  body: string;
  depth: number;
  maxDepth: number;
  /** How many children may run below this one, all levels together. */
  treeSlots: number;
  /** The child has the tool that starts children. */
  canDispatch: boolean;
  /** The child has it and a program tool. */
  hasPrograms: boolean;
  /** How to report; undefined where none is asked for. */
  reportText: string | undefined;
}

/** A file that exists until `dispose` is called; more calls do nothing. */
export interface PromptFile {
  path: string;
  dispose(): void;
}

/** Folders of prompts are called so, then the key of the process they belong to, then six characters for each anew. */
export const PROMPT_FOLDER = "pi-ptc-prompt-";
/** The one file in such a folder. */
export const PROMPT_NAME = "prompt.md";

/** Writes the file into `folder`, by default the system's temp folder, for the process with the key `owner`. */
export function writePromptFile(
  prompt: ChildPrompt,
  owner: string,
  folder = tmpdir(),
): { ok: true; file: PromptFile } | { ok: false; refusal: string } {
  let file: PromptFile | undefined;
  try {
    // Made with mode 0700 by the system call.
    file = fileIn(mkdtempSync(join(folder, `${PROMPT_FOLDER}${owner}-`)));
    writeFileSync(file.path, promptText(prompt), { mode: 0o600, flag: "wx" });
    return { ok: true, file };
  } catch (error) {
    file?.dispose();
    return {
      ok: false,
      refusal: `the child's prompt cannot be written below ${folder} (${errorText(error)}); make room there, or set TMPDIR to another folder`,
    };
  }
}

/** The agent's prompt unchanged, then where the child stands, then how it reports. */
export function promptText(prompt: ChildPrompt): string {
  const { body, depth, maxDepth, reportText } = prompt;
  const context = [
    `<pi-ptc-context depth="${depth}" max-depth="${maxDepth}">`,
    ...contextLines(prompt),
    "</pi-ptc-context>",
  ].join("\n");
  return `${[body, context, reportText].filter(Boolean).join("\n\n")}\n`;
}

function contextLines({ depth, maxDepth, treeSlots, canDispatch, hasPrograms }: ChildPrompt): string[] {
  const levels = Math.max(0, maxDepth - depth);
  const lines = [
    `You are a child: another pi started you for one task, and your final answer goes back to it. You are at depth ${depth} of at most ${maxDepth}.`,
  ];
  if (levels === 0 || treeSlots === 0)
    return [...lines, "No children may be started below you: do the whole task yourself."];
  if (!canDispatch) return [...lines, "You have no tool that starts children: do the whole task yourself."];
  lines.push(
    `Below you ${count(levels, "more level", "more levels")} of children and ${count(treeSlots, "child", "children")} in all may run.`,
  );
  if (hasPrograms)
    lines.push(`Inside a program you may start a child with \`tools["${DISPATCH}"]({ task })\`.`);
  return lines;
}

const count = (value: number, one: string, many: string): string => `${value} ${value === 1 ? one : many}`;

function fileIn(home: string): PromptFile {
  const path = join(home, PROMPT_NAME);
  let present = true;
  return {
    path,
    dispose() {
      if (!present) return;
      present = false;
      // Neither needs a descriptor, of which there may be none.
      for (const remove of [() => unlinkSync(path), () => rmdirSync(home)]) {
        try {
          remove();
        } catch {
          // What cannot be removed is private still, and the system clears its temp folder.
        }
      }
    },
  };
}
