/** A real parent pi and real child pis, all on one scripted model on loopback. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import {
  type ModelAnswer,
  type ModelServer,
  type ModelTurn,
  startModelServer,
} from "../fixtures/model-server.ts";
import { runCommand } from "../package/pi-process.ts";
import { endsOf, type PiEvent, PiHome, type PiStarter, type Play, type ToolEnd } from "./real-pi.ts";

/** One prompt that a parent played to its end. */
export interface Played {
  ends: ToolEnd[];
  nested: ToolEnd[];
  events: PiEvent[];
  code: number;
  stderr: string;
}

/** A call that the model makes. */
export interface ModelCall {
  name: string;
  args: object;
  id?: string;
}

/** Puts a session on the surface whose model calls `ptc_subagent` itself. */
export const CALLS_CHILDREN = ["--tools", "+codemode"];

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
    return commandOf({ args, sessionDir });
  }

  /** The model answers `prompt` with one call after the other, then stops. */
  plays(prompt: string, steps: readonly ModelCall[]): void {
    this.answers.set(prompt, ({ results }) => {
      const step = steps[results.length];
      return step ? { calls: [[step.name, step.args, step.id]] } : "parent done";
    });
  }

  /**
   * One prompt to a parent; the model plays `steps` as its calls, then stops. One that calls `ptc_subagent` itself
   * is on the surface that declares it.
   */
  async parent(
    prompt: string,
    steps: readonly ModelCall[],
    options: { args?: string[]; env?: NodeJS.ProcessEnv; cwd?: string; sessionDir?: string } = {},
  ): Promise<Played> {
    this.plays(prompt, steps);
    const callsChildren = steps.some(({ name }) => name === "ptc_subagent");
    const surface = callsChildren ? CALLS_CHILDREN : [];
    const { args } = commandOf({ ...options, args: [...(options.args ?? []), ...surface] });
    const { cwd, env } = this.home.home;
    const { code, stdout, stderr } = await runCommand(
      process.execPath,
      [PI_CLI, ...args, "--mode", "json", "-p", prompt],
      { cwd: options.cwd ?? cwd, env: { ...env, ...options.env } },
    );
    const events = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as PiEvent);
    return { code, stderr, events, ...endsOf(events) };
  }

  /** A parent in another mode; what its model does is told by `plays`. */
  get starter(): PiStarter {
    return { home: this.home.home, command: commandOf };
  }

  /** Sets keys of pi's own settings. */
  piSettings(more: object): void {
    const path = join(this.home.home.agentDir, "settings.json");
    const before = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(path, JSON.stringify({ ...before, ...more }));
  }

  /** Ends what children have left, which only a test that failed lets them: a parent may wait for it for ever. */
  endLeftOver(): void {
    for (const pid of this.leftOver) process.kill(Number(pid), "SIGKILL");
  }

  async close(): Promise<void> {
    this.endLeftOver();
    await this.server.close();
    this.home.close();
  }

  /** Children that run now. */
  get running(): string[] {
    return this.leftOver.filter((pid) => nameOf(pid) === "pi");
  }

  /** Processes that children left behind. */
  get leftOver(): string[] {
    const { root } = this.home.home;
    return processIds().filter((pid) => {
      const environment = environmentOf(pid);
      return environment.includes(`\0${RUN_MARKER}=`) && environment.includes(root);
    });
  }

  /** Folders with prompts of children. */
  get promptFiles(): string[] {
    return readdirSync(join(this.home.home.root, "tmp")).filter((name) => name.startsWith("pi-ptc-prompt-"));
  }

  /** Processes that have ended and that a living pi of this home did not ask for. */
  get zombies(): string[] {
    return processIds().filter((pid) => {
      const parent = parentOfZombie(pid);
      return parent !== undefined && environmentOf(parent).includes(this.home.home.root);
    });
  }

  /** For the end of every test: all children are gone, with everything they had. */
  async expectNothingLeft(): Promise<void> {
    const left = [...this.leftOver, ...this.promptFiles];
    if (left.length > 0) throw new Error(`children left behind: ${left.join(", ")}`);
    // A process that has just ended is a zombie for a moment.
    await vi.waitFor(() => {
      if (this.zombies.length > 0) throw new Error(`zombies: ${this.zombies.join(", ")}`);
    });
  }
}

function commandOf({
  args = [],
  env = {},
  sessionDir,
}: Partial<Play> & { sessionDir?: string | undefined }): {
  args: string[];
  env: NodeJS.ProcessEnv;
} {
  const session = sessionDir === undefined ? ["--no-session"] : ["--session-dir", sessionDir];
  return { args: [...args, "--model", "loop/m1", ...session], env };
}

const processIds = (): string[] => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // Gone, or somebody else's.
    return "";
  }
}

/** pi names itself. */
function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
  } catch {
    // Gone, or a zombie.
    return "";
  }
}

/** The parent of a process that has ended and was not asked for; undefined when it lives. */
function parentOfZombie(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? parent : undefined;
  } catch {
    // Gone.
    return undefined;
  }
}

export const subagent = (args: object): ModelCall => ({ name: "ptc_subagent", args });
export const dataOf = (end: ToolEnd | undefined): Record<string, unknown> =>
  end?.result.structuredContent ?? {};
