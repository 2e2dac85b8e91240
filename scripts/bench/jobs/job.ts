/** What a job is: files, a task, and the calls by which a model would do it in each of several ways. */

import type { Step } from "../../../tests/fixtures/steps-script.ts";

/** How the model reaches tools. */
export type Way = "programs" | "codemode" | "direct";

export interface Job {
  name: string;
  /** Files by path below the working folder. */
  files: Readonly<Record<string, string | Buffer>>;
  /** What the user asks. */
  task: string;
  /** Answers of the model that call tools, one a turn. */
  ways: Readonly<Record<Way, Step[]>>;
  /** What a tool result must hold for the model to be able to answer; in one of the results of the session. */
  facts: readonly string[];
  /** Files as they must be afterwards. */
  after?: Readonly<Record<string, (text: string) => boolean>>;
  /** What a child answers to a task. */
  child?: (task: string) => string;
}

type Call = Extract<Step, object>[number];

export const run = (code: string): Call[] => [
  { name: "ptc_run_code", args: { code, description: "Does the job" } },
];
export const script = (code: string): Call[] => [{ name: "codemode", args: { code } }];
export const bash = (command: string): Call => ({ name: "bash", args: { command } });
export const read = (path: string, more: object = {}): Call => ({ name: "read", args: { path, ...more } });

/** `items` in turns of at most so many. */
export function inTurns<Item>(items: readonly Item[], atMost: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / atMost) }, (_, turn) =>
    items.slice(turn * atMost, (turn + 1) * atMost),
  );
}

/** Numbers from 0 to 1, the same every time. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
