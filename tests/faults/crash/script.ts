/** What the model of all rounds answers. A prompt `P-<round>.<life>` is a parent's, a task `C-` or `S-` a child's. */

import { setTimeout as sleep } from "node:timers/promises";
import type { ModelAnswer, ModelTurn } from "../../fixtures/model-server.ts";
import type { CrashPlan } from "./plan.ts";

/** The messages of one child of the first life, in order. A child that fails has no last one. */
const PARTS = ["the first part of", "the second part of", "the last part of"];

/** How a dispatch answers that started a task. */
export const STARTED = "Started background task";

/** The whole output of child `index`. */
export function outputOf(plan: CrashPlan, index: number): string {
  const parts = fails(plan, index) ? PARTS.slice(0, -1) : PARTS;
  return parts.map((part) => `${part} ${plan.round}.${index}`).join("\n\n");
}

const fails = ({ tasks, lastFails }: CrashPlan, index: number): boolean => lastFails && index === tasks - 1;

interface RoundState {
  plan: CrashPlan;
  /** Children that gave their last answer. */
  answered: number;
  allAnswered: () => void;
  crashMark: string;
}

export class CrashScript {
  readonly #rounds = new Map<number, RoundState>();
  readonly #ends = new Map<number, Promise<void>>();

  /** Commands of the round's children go on for ever once the file `crashMark` is there. */
  begin(plan: CrashPlan, crashMark: string): void {
    this.#ends.set(
      plan.round,
      new Promise((allAnswered) =>
        this.#rounds.set(plan.round, { plan, crashMark, answered: 0, allAnswered }),
      ),
    );
  }

  async answer(turn: ModelTurn): Promise<ModelAnswer> {
    const parent = lastPrompt(turn);
    // A while in which a notice stands in the branch without an answer.
    if (parent && turn.task.includes("<bg-task-notifications")) await sleep(150);
    if (parent) return parent.life === 0 ? this.#first(parent) : resumed(parent);
    const [, kind, round, index] = /\b([CS])-(\d+)\.(\d+)\b/.exec(turn.task) ?? [];
    if (kind === "S") return "the answer of a later child";
    if (kind !== "C") return `unknown task ${turn.task.slice(0, 100)}`;
    return this.#child(Number(round), Number(index), turn.results.length);
  }

  async #first({ round, results }: ParentTurn): Promise<ModelAnswer> {
    const plan = this.#rounds.get(round)?.plan;
    if (!plan) return "an unknown round";
    if (results.length === 0) {
      const tasks = Array.from({ length: plan.tasks }, (_, index) => `C-${round}.${index} do it`);
      return { calls: tasks.map((task) => ["ptc_subagent", { task, background: true }]) };
    }
    const started = results.filter((text) => text.includes(STARTED)).length;
    if (!plan.isBusy || started < plan.tasks || results.length > started) return "the parent is done";
    await this.#ends.get(round);
    return { calls: [["bash", { command: "sleep 0.4" }]] };
  }

  #child(round: number, index: number, results: number): ModelAnswer {
    const entry = this.#rounds.get(round);
    const text = `${PARTS[results]} ${round}.${index}`;
    const command = work(entry?.crashMark ?? "", index);
    if (results < PARTS.length - 1) return { text, calls: [["bash", { command }]] };
    if (entry && (entry.answered += 1) === entry.plan.tasks) entry.allAnswered();
    return entry && fails(entry.plan, index) ? { status: 400, error: "the model broke" } : text;
  }
}

/** The command of an orphan is silent, or prints what its pi cannot pass on. */
function work(crashMark: string, index: number): string {
  const forEver = index % 2 === 0 ? "sleep 600" : "echo on; sleep 600";
  return `echo works; sleep 0.3; if [ -e '${crashMark}' ]; then ${forEver}; fi`;
}

/** Every later life looks at the list, and starts one more child. */
function resumed({ round, life, results }: ParentTurn): ModelAnswer {
  if (results.length > 0) return "the resumed parent is done";
  return {
    calls: [
      ["ptc_task_list", { limit: 1_000 }],
      ["ptc_subagent", { task: `S-${round}.${life} do it`, background: true }],
    ],
  };
}

interface ParentTurn {
  round: number;
  life: number;
  /** Texts of tool results since the prompt. */
  results: string[];
}

/** The prompt that the parent works on; undefined for a child. Notices are messages of the user too. */
function lastPrompt({ messages }: ModelTurn): ParentTurn | undefined {
  const keys = messages.map(({ role, content }) =>
    role === "user" ? /\bP-(\d+)\.(\d+)\b/.exec(JSON.stringify(content)) : null,
  );
  const at = keys.findLastIndex(Boolean);
  const key = keys[at];
  if (!key) return undefined;
  const results = messages
    .slice(at + 1)
    .filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.stringify(content));
  return { round: Number(key[1]), life: Number(key[2]), results };
}
