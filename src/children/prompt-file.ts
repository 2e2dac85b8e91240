/**
 * The file by which a child gets its prompt, readable by the user alone and never in the list of processes. pi
 * reads it again when it reloads, so it lives as long as the child.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../base/error-text.ts";
import { tempFolderPrefix } from "../base/temp-folders.ts";

/** What a child is told beside its task. */
export interface ChildPrompt {
  /** The agent's prompt; empty without an agent. */
  body: string;
  depth: number;
  maxDepth: number;
  /** How many children may run below this one, all levels together. */
  treeSlots: number;
  /** The child has a program tool. */
  hasPrograms: boolean;
  /** How to report; undefined where none is asked for. */
  reportText: string | undefined;
}

/** A file that exists until one of the two is called; more calls do nothing. */
export interface PromptFile {
  path: string;
  dispose(): Promise<void>;
  /** For the exit of the process, where nothing can be awaited. */
  disposeSync(): void;
}

/** Writes the file into `folder`, by default the system's temp folder. */
export function writePromptFile(
  prompt: ChildPrompt,
  folder = tmpdir(),
): { ok: true; file: PromptFile } | { ok: false; refusal: string } {
  let home: string | undefined;
  const remove = { recursive: true, force: true } as const;
  try {
    // Made with mode 0700 by the system call.
    home = mkdtempSync(join(folder, tempFolderPrefix("prompt")));
    const path = join(home, "prompt.md");
    writeFileSync(path, promptText(prompt), { mode: 0o600, flag: "wx" });
    return { ok: true, file: fileIn(home, path) };
  } catch (error) {
    if (home !== undefined) rmSync(home, remove);
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

function contextLines({ depth, maxDepth, treeSlots, hasPrograms }: ChildPrompt): string[] {
  const levels = Math.max(0, maxDepth - depth);
  const lines = [
    `You are a child: another pi started you for one task, and your final answer goes back to it. You are at depth ${depth} of at most ${maxDepth}.`,
  ];
  if (levels === 0 || treeSlots === 0)
    return [...lines, "No children may be started below you: do the whole task yourself."];
  lines.push(
    `Below you ${count(levels, "more level", "more levels")} of children and ${count(treeSlots, "child", "children")} in all may run.`,
  );
  if (hasPrograms)
    lines.push('Inside a program you may start a child with `tools["pi.dispatch"]({ task })`.');
  return lines;
}

const count = (value: number, one: string, many: string): string => `${value} ${value === 1 ? one : many}`;

function fileIn(home: string, path: string): PromptFile {
  const remove = { recursive: true, force: true } as const;
  let present = true;
  const once = <T>(run: () => T): T | undefined => {
    if (!present) return undefined;
    present = false;
    return run();
  };
  return {
    path,
    // What cannot be removed is private still, and the system clears its temp folder.
    dispose: async () => once(() => rm(home, remove).catch(() => undefined)),
    disposeSync() {
      once(() => {
        try {
          rmSync(home, remove);
        } catch {
          // As above.
        }
      });
    },
  };
}
