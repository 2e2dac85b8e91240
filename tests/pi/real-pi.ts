/**
 * The installed pi as a process of its own, in a throwaway home with this checkout installed, a scripted
 * model and nothing of the user's. One home serves several starts; a start plays one session.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "../../scripts/build.ts";
import { createSandboxHome, type SandboxHome } from "../../scripts/sandbox-home.ts";
import { runPi } from "../package/pi-process.ts";
import type { Step } from "../fixtures/steps-script.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const FIXTURES = join(CHECKOUT, "tests/fixtures");

/** One line of `--mode json`. */
export interface PiEvent {
  type: string;
  toolCallId?: string;
  toolName?: string;
  parentToolCallId?: string;
  args?: Record<string, unknown>;
  result?: ToolEnd["result"];
  partialResult?: ToolEnd["result"];
  isError?: boolean;
  [key: string]: unknown;
}

/** How one tool call ended. */
export interface ToolEnd {
  id: string;
  name: string;
  isError: boolean;
  /** All text blocks, joined by newlines. */
  text: string;
  result: {
    content: { type: string; text?: string; data?: string; mimeType?: string }[];
    details?: Record<string, unknown>;
    structuredContent?: Record<string, unknown>;
  };
}

/** What the model was shown in one request. */
export interface ModelRequest {
  systemPrompt: string;
  tools: { name: string; description: string; parameters: Record<string, unknown> }[];
  messages: { role: string; toolCallId?: string; content: unknown; [key: string]: unknown }[];
}

/** A session that was played to its end. */
export interface Played {
  code: number;
  stdout: string;
  stderr: string;
  events: PiEvent[];
  /** Ends of the model's own calls, in order. */
  ends: ToolEnd[];
  /** Ends of calls that programs made, in order. */
  nested: ToolEnd[];
  requests: ModelRequest[];
}

/** What one session is played with. */
export interface Play {
  /** Answers of the model; those after the last are `done`. */
  steps: Step[];
  /** Extensions beside ours and the model, by path or name in `tests/fixtures`. */
  extensions?: string[];
  /** More arguments for pi; `--no-session` unless `session` is set. */
  args?: string[];
  session?: boolean;
  env?: NodeJS.ProcessEnv;
  /** Talk to the model on loopback of a `Family` instead of playing steps. */
  loopback?: boolean;
}

/** Where a pi is started, and what it is started with; the mode is the caller's. */
export interface PiStarter {
  home: SandboxHome;
  command(play: Play): { args: string[]; env: NodeJS.ProcessEnv };
}

/** A home with the checkout installed by `pi install`. */
export class PiHome implements PiStarter {
  readonly home: SandboxHome;

  private constructor(home: SandboxHome) {
    this.home = home;
  }

  static async open(): Promise<PiHome> {
    await build();
    const opened = new PiHome(createSandboxHome());
    const end = await runPi(opened.home, ["install", CHECKOUT]);
    if (end.code !== 0) throw new Error(`pi install failed: ${end.stdout}${end.stderr}`);
    return opened;
  }

  /** Writes `ptc.json`; undefined removes what an earlier test wrote. */
  settings(content: unknown): void {
    const text = typeof content === "string" ? content : JSON.stringify(content ?? {});
    writeFileSync(join(this.home.agentDir, "ptc.json"), text);
  }

  /** Plays one session in JSON mode to its end. */
  async play(play: Play): Promise<Played> {
    const { args, env, requestsPath } = this.command(play);
    const end = await runPi(this.home, [...args, "--mode", "json", "-p", "go"], env);
    const events = readLines<PiEvent>(end.stdout);
    return {
      ...end,
      events,
      ...endsOf(events),
      requests: readLines<ModelRequest>(readFileSync(requestsPath, "utf8")),
    };
  }

  /** Arguments and environment that start a pi for `play`; the mode is the caller's. */
  command(play: Play): { args: string[]; env: NodeJS.ProcessEnv; requestsPath: string } {
    const { root } = this.home;
    const [stepsPath, requestsPath] = [join(root, "steps.json"), join(root, "requests.jsonl")];
    writeFileSync(stepsPath, JSON.stringify(play.steps));
    writeFileSync(requestsPath, "");
    const model = play.loopback ? [] : ["faux-model.ts"];
    const extensions = [...model, ...(play.extensions ?? [])].flatMap((name) => [
      "-e",
      resolve(FIXTURES, name),
    ]);
    const args = [
      ...extensions,
      "--model",
      play.loopback ? "loop/m1" : "faux/faux-1",
      ...(play.session ? [] : ["--no-session"]),
      ...(play.args ?? []),
    ];
    const env = {
      FAUX_SCRIPT: join(FIXTURES, "steps-script.ts"),
      PTC_STEPS: stepsPath,
      PTC_REQUESTS: requestsPath,
      ...play.env,
    };
    return { args, env, requestsPath };
  }

  /** Deletes the home. */
  close(): void {
    this.home.remove();
  }
}

/** A call of `ptc_run_code`. */
export function program(code: string, more: object = {}): { name: string; args: object } {
  return { name: "ptc_run_code", args: { code, description: "A test", ...more } };
}

/** The ends of tool calls in a stretch of events: the model's own, and those that programs made. */
export function endsOf(events: readonly PiEvent[]): Pick<Played, "ends" | "nested"> {
  const ends = events.filter((event) => event.type === "tool_execution_end");
  return {
    ends: ends.filter((event) => event.parentToolCallId === undefined).map(asEnd),
    nested: ends.filter((event) => event.parentToolCallId !== undefined).map(asEnd),
  };
}

function readLines<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

function asEnd(event: PiEvent): ToolEnd {
  const result = event.result ?? { content: [] };
  const text = (result.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
  return {
    id: event.toolCallId ?? "",
    name: event.toolName ?? "",
    isError: event.isError === true,
    text,
    result,
  };
}
