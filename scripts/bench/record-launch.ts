/**
 * How a dispatch starts its child: the child's place is taken once by this file, which writes down what it was given, so that
 * the same child can be started by hand.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PI_CLI } from "../sandbox-home.ts";

/** A child that can be started as often as wanted, until `dispose`. */
export interface Launch {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  dispose(): void;
}

const PROMPT_FLAG = "--append-system-prompt";

/** Runs `dispatch` once with the recorder in place of pi. */
export async function recordLaunch(dispatch: () => Promise<unknown>): Promise<Launch> {
  const folder = mkdtempSync(join(tmpdir(), "ptc-launch-"));
  const [recorder, record, prompt] = ["recorder", "record.json", "prompt.md"].map((name) =>
    join(folder, name),
  );
  const script = `#!/bin/sh\nexec "${process.execPath}" "${import.meta.filename}" "${record}" "${prompt}" "$@"\n`;
  writeFileSync(recorder as string, script, { mode: 0o700 });
  process.env["PI_PTC_COMMAND"] = recorder;
  await dispatch();
  delete process.env["PI_PTC_COMMAND"];
  const { args, cwd, env } = JSON.parse(readFileSync(record as string, "utf8")) as Launch;
  delete env["PI_PTC_COMMAND"];
  const dispose = (): void => rmSync(folder, { recursive: true, force: true });
  return { command: process.execPath, args: [PI_CLI, ...args], cwd, env, dispose };
}

/** Writes down arguments, folder and environment, and keeps the prompt, which goes with the dispatch. */
function writeRecord([path = "", promptPath = "", ...args]: string[]): void {
  const at = args.indexOf(PROMPT_FLAG) + 1;
  writeFileSync(promptPath, readFileSync(args[at] as string));
  args[at] = promptPath;
  writeFileSync(path, JSON.stringify({ args, cwd: process.cwd(), env: process.env }));
}

if (process.argv[1] === import.meta.filename) writeRecord(process.argv.slice(2));
