/** A real pi in RPC mode: prompts and commands go in, events are awaited. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { workersIn } from "../faults/processes.ts";
import { endsOf, type PiEvent, type PiStarter, type Play, type ToolEnd } from "./real-pi.ts";

/** One event that somebody waits for. */
interface Waiter {
  matches: (event: PiEvent) => boolean;
  resolve: (event: PiEvent) => void;
  reject: (error: Error) => void;
}

export class RpcPi {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #cwd: string;
  readonly events: PiEvent[] = [];
  /** Exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  stderr = "";
  #waiters: Waiter[] = [];
  #lastId = 0;

  constructor(home: PiStarter, play: Play) {
    const { args, env } = home.command(play);
    this.#cwd = home.home.cwd;
    this.#child = spawn(process.execPath, [PI_CLI, ...args, "--mode", "rpc"], {
      cwd: this.#cwd,
      env: { ...home.home.env, ...env },
    });
    this.#child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#take(JSON.parse(line) as PiEvent),
    );
    this.ended = new Promise((resolve) =>
      this.#child.once("exit", (code, signal) => resolve(code ?? signal ?? "")),
    );
    this.#child.once("exit", (...end) => {
      for (const waiter of this.#waiters)
        waiter.reject(new Error(`pi ended with ${end.join("")}: ${this.stderr}`));
    });
  }

  /** The first event from now on that matches. */
  next(matches: (event: PiEvent) => boolean): Promise<PiEvent> {
    return new Promise((resolve, reject) => this.#waiters.push({ matches, resolve, reject }));
  }

  /** Sends a command and waits for its response. */
  async send(command: object): Promise<PiEvent> {
    const id = `test-${++this.#lastId}`;
    const response = this.next((event) => event.type === "response" && event["id"] === id);
    this.write({ id, ...command });
    return response;
  }

  /** Writes one line without waiting. */
  write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** Prompts, and gives the ends of the model's own tool calls when the run has settled. */
  async prompt(message = "go"): Promise<ToolEnd[]> {
    const from = this.events.length;
    const settled = this.next((event) => event.type === "agent_settled");
    await Promise.all([this.send({ type: "prompt", message }), settled]);
    return endsOf(this.events.slice(from)).ends;
  }

  /** Ends its input, on which pi ends by itself. */
  async close(): Promise<number | string> {
    this.#child.stdin.end();
    return this.ended;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Processes other than pi that work in its folder: workers and what programs started. */
  others(): number[] {
    return workersIn(this.#cwd);
  }

  #take(event: PiEvent): void {
    this.events.push(event);
    const met = this.#waiters.filter((waiter) => waiter.matches(event));
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter));
    for (const waiter of met) waiter.resolve(event);
  }
}
