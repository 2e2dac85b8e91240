/** A family whose children are quick, and sessions that are kept in a folder of each test's own. */

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { CALLS_CHILDREN, Family } from "./family.ts";
import { QuickChildren } from "./quick-children.ts";
import type { ToolEnd } from "./real-pi.ts";
import { RpcPi } from "./rpc-pi.ts";

export const TRIES = { timeout: 15_000, interval: 50 };

export class TaskHome {
  readonly family: Family;
  readonly children: QuickChildren;
  sessions = "";
  #number = 0;

  private constructor(family: Family) {
    this.family = family;
    this.children = new QuickChildren(family.home.home.root);
  }

  static async open(): Promise<TaskHome> {
    return new TaskHome(await Family.open());
  }

  /** A new folder for sessions, children that wait, and a model that answers notices with `noted`. */
  begin(settings: object = {}): void {
    this.#number += 1;
    this.sessions = join(this.family.home.home.root, `sessions-${this.#number}`);
    mkdirSync(this.sessions);
    this.children.hold();
    this.configure(settings);
    this.family.answers.clear();
    this.family.answers.set("<bg-task-notifications", () => "noted");
  }

  configure(settings: object): void {
    this.family.home.settings({
      command: this.children.command,
      limits: { dispatchConcurrency: 20 },
      ...settings,
    });
  }

  rpc(args: string[] = [], extensions: string[] = ["kit-extension.ts"]): RpcPi {
    const play = { steps: [], loopback: true, session: true, extensions };
    return new RpcPi(this.family.home, {
      ...play,
      args: ["--session-dir", this.sessions, ...CALLS_CHILDREN, ...args],
    });
  }

  /** Starts background children in one prompt and gives their ids. */
  async start(pi: RpcPi, tasks: readonly string[]): Promise<string[]> {
    const calls = tasks.map((task): [string, object] => ["ptc_subagent", { task, background: true }]);
    this.family.answers.set("start now", ({ results }) => (results.length === 0 ? { calls } : "done"));
    const ends = await pi.prompt("start now");
    this.family.answers.delete("start now");
    return ends.map((end) => String(dataOf(end)["task_id"]));
  }

  /** One prompt in which the model makes these calls, one after the other, and then says `done`. */
  async calls(pi: RpcPi, prompt: string, calls: [name: string, args: object][]): Promise<ToolEnd[]> {
    this.family.answers.set(prompt, ({ results }) => {
      const call = calls[results.length];
      return call ? { calls: [call] } : "done";
    });
    return pi.prompt(prompt);
  }

  /** The newest session file. */
  get sessionFile(): string {
    return join(this.sessions, this.sessionFiles.at(-1) as string);
  }

  get sessionFiles(): string[] {
    return readdirSync(this.sessions)
      .filter((name) => name.endsWith(".jsonl"))
      .toSorted();
  }

  /** Every record below the folder of sessions. */
  records(): TaskRecord[] {
    return readdirSync(join(this.sessions, "tasks"), { recursive: true })
      .map(String)
      .filter((name) => /^[^/]+\/[0-9A-Z]{26}\.json$/.test(name))
      .map((name) => JSON.parse(readFileSync(join(this.sessions, "tasks", name), "utf8")) as TaskRecord);
  }

  record(id: string): TaskRecord | undefined {
    return this.records().find((record) => record.id === id);
  }

  async becomes(id: string, status: TaskRecord["status"]): Promise<TaskRecord> {
    return vi.waitFor(() => {
      const record = this.record(id);
      if (record?.status !== status) throw new Error(`${id} is ${record?.status}`);
      return record;
    }, TRIES);
  }

  /** Texts of the notices that the model was shown, one for each request. */
  notices(): string[] {
    return this.family.server.turns.map(({ task }) => task).filter((task) => task.startsWith("<bg-task"));
  }
}

/** Waits until no process of a child is left. */
export async function leavesNothing(family: Family): Promise<void> {
  await vi.waitFor(() => {
    const { leftOver } = family;
    if (leftOver.length > 0) throw new Error(`processes are left: ${leftOver.join(", ")}`);
  }, TRIES);
}

export const dataOf = (end: ToolEnd | undefined): Record<string, unknown> =>
  end?.result.structuredContent ?? {};
