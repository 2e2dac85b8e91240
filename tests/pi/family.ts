/** A real parent pi and real child pis, all on one scripted model on loopback. */

import { readdirSync, readFileSync } from "node:fs";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import {
  type ModelAnswer,
  type ModelServer,
  type ModelTurn,
  startModelServer,
} from "../fixtures/model-server.ts";
import { runPi } from "../package/pi-process.ts";
import { endsOf, type PiEvent, PiHome, type ToolEnd } from "./real-pi.ts";

/** One prompt that a parent played to its end. */
export interface Played {
  ends: ToolEnd[];
  nested: ToolEnd[];
  events: PiEvent[];
  code: number;
  stderr: string;
}

export class Family {
  readonly home: PiHome;
  readonly server: ModelServer;
  /** How the model answers, by a part of the task it was given. */
  readonly answers: Map<string, (turn: ModelTurn) => ModelAnswer | Promise<ModelAnswer>>;

  private constructor(home: PiHome, server: ModelServer, answers: Family["answers"]) {
    this.home = home;
    this.server = server;
    this.answers = answers;
  }

  static async open(): Promise<Family> {
    const answers: Family["answers"] = new Map();
    const server = await startModelServer((turn) => {
      for (const [task, answer] of answers) if (turn.task.includes(task)) return answer(turn);
      return `unknown task ${turn.task.slice(0, 100)}`;
    });
    const home = await PiHome.open();
    server.configure(home.home.agentDir);
    return new Family(home, server, answers);
  }

  /** What starts a parent on the loopback model; the mode is the caller's. Without a folder it keeps no session. */
  command(args: string[] = [], sessionDir?: string): { args: string[] } {
    const session = sessionDir === undefined ? ["--no-session"] : ["--session-dir", sessionDir];
    return { args: [...args, "--model", "loop/m1", ...session] };
  }

  /** One prompt to a parent; the model plays `steps` as its calls, then stops. */
  async parent(
    prompt: string,
    steps: { name: string; args: object; id?: string }[],
    options: { args?: string[]; env?: NodeJS.ProcessEnv; sessionDir?: string } = {},
  ): Promise<Played> {
    this.answers.set(prompt, ({ results }) => {
      const step = steps[results.length];
      return step ? { calls: [[step.name, step.args, step.id]] } : "parent done";
    });
    const args = [...this.command(options.args, options.sessionDir).args, "--mode", "json", "-p", prompt];
    const { code, stdout, stderr } = await runPi(this.home.home, args, options.env);
    const events = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as PiEvent);
    return { code, stderr, events, ...endsOf(events) };
  }

  async close(): Promise<void> {
    await this.server.close();
    this.home.close();
  }

  /** Processes that children left behind. */
  get leftOver(): string[] {
    const { root } = this.home.home;
    return readdirSync("/proc").filter((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
        return environment.includes(`\0${RUN_MARKER}=`) && environment.includes(root);
      } catch {
        // Gone, or somebody else's.
        return false;
      }
    });
  }
}

export const subagent = (args: object): { name: string; args: object } => ({ name: "ptc_subagent", args });
export const dataOf = (end: ToolEnd | undefined): Record<string, unknown> =>
  end?.result.structuredContent ?? {};
