/** Checks what a program, the model or a script asks a dispatch for (spec 2.1), before anything is looked up. */

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { errorText } from "../base/error-text.ts";
import { LIMIT_RANGES, MAX_TIMER_MS } from "../base/limits.ts";
import { nearestName } from "../base/nearest-name.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";
import type { AgentScopeKind } from "./dispatch.ts";
import { findModel, THINKING_LEVELS } from "./model-choice.ts";

/** A dispatch whose every field is as spec 2.1 wants it. What was not given is absent. */
export interface CheckedDispatch {
  agent?: string;
  task: string;
  /** Absolute, an existing folder. */
  cwd: string;
  agentScope: AgentScopeKind;
  /** As `provider/id`. */
  model?: string;
  thinkingLevel?: string;
  label: string;
  timeoutMs?: number;
  maxTurns?: number;
  maxCostUsd?: number;
  readOnly: boolean;
  background: boolean;
}

/** What the fields are checked against. */
export interface InputContext {
  /** The session's folder. */
  cwd: string;
  /** Models with a key, each `provider/id`. */
  models: readonly string[];
}

const KEYS = [
  "agent",
  "task",
  "cwd",
  "agentScope",
  "model",
  "thinkingLevel",
  "label",
  "timeoutMs",
  "maxTurns",
  "maxCostUsd",
  "readOnly",
  "background",
];
const SCOPES = ["user", "project", "both"];
const LABEL_CHARS = 64;
const MAX_LABEL_CHARS = 200;

/** Checks all fields; the refusal names every one that is wrong. `null` counts as not given. Never throws. */
export function checkInput(
  input: unknown,
  context: InputContext,
): { ok: true; request: CheckedDispatch } | { ok: false; refusal: string } {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { ok: false, refusal: `the dispatch is ${show(input)}; it must be an object with at least task` };
  const given = new Given(input as Record<string, unknown>);
  given.checkKeys();
  const task = given.task();
  const cwd = given.folder(context.cwd);
  const model = given.modelIn(context.models);
  const label = given.text("label", true);
  const { maxChildTurns, maxChildCostUsd } = LIMIT_RANGES;
  const request = {
    agent: given.text("agent"),
    task,
    cwd,
    agentScope: (given.oneOf("agentScope", SCOPES) as AgentScopeKind | undefined) ?? "user",
    model: model?.model,
    thinkingLevel: given.oneOf("thinkingLevel", THINKING_LEVELS) ?? model?.thinkingLevel,
    label: label ? firstChars(cleanText(label), MAX_LABEL_CHARS) : firstChars(cleanText(task), LABEL_CHARS),
    timeoutMs: given.number("timeoutMs", { min: 1, max: MAX_TIMER_MS, unit: "milliseconds" }),
    maxTurns: given.number("maxTurns", { min: 1, max: maxChildTurns.max, whole: true }),
    maxCostUsd: given.number("maxCostUsd", {
      min: 0,
      above: true,
      max: maxChildCostUsd.max,
      unit: "US dollars",
    }),
    readOnly: given.flag("readOnly") ?? false,
    background: given.flag("background") ?? false,
  };
  if (given.problems.length > 0) return { ok: false, refusal: given.problems.join("; ") };
  const present = Object.entries(request).filter(([, value]) => value !== undefined);
  return { ok: true, request: Object.fromEntries(present) as unknown as CheckedDispatch };
}

interface NumberRange {
  min: number;
  max: number;
  /** `min` itself is too little. */
  above?: boolean;
  whole?: boolean;
  unit?: string;
}

/** The fields as given; collects a sentence for each that is wrong. */
class Given {
  readonly problems: string[] = [];
  readonly #fields: Record<string, unknown>;

  constructor(fields: Record<string, unknown>) {
    this.#fields = fields;
  }

  refuse(problem: string): undefined {
    this.problems.push(problem);
  }

  checkKeys(): void {
    for (const [key, value] of Object.entries(this.#fields)) {
      if (KEYS.includes(key) || value === undefined) continue;
      const near = nearestName(key, KEYS);
      this.refuse(
        `unknown key ${show(key)}${near === undefined ? `; known keys: ${KEYS.join(", ")}` : ` (did you mean ${near}?)`}`,
      );
    }
  }

  /** Empty only where it was refused. */
  task(): string {
    const value = this.#read("task");
    if (value === undefined) this.refuse('task is missing; say what the child is to do: { task: "..." }');
    else if (typeof value !== "string") this.#wrong("task", value, "a string");
    else if (value.trim() === "") this.refuse("task is blank; say what the child is to do");
    else if (value.includes("\0")) this.refuse("task holds a NUL character; take it out");
    else return value;
    return "";
  }

  /** The folder as an absolute path. */
  folder(sessionCwd: string): string {
    const given = this.text("cwd") ?? ".";
    const path = resolve(
      sessionCwd,
      given.replace(/^~(?=$|[/\\])/, () => homedir()),
    );
    const problem = folderProblem(path);
    if (problem !== undefined) {
      const own = folderProblem(sessionCwd);
      const advice =
        own === undefined
          ? "give an existing folder, or leave cwd out for the session's own"
          : `the session's own folder ${own}: make it again, or give an existing folder by its absolute path`;
      this.refuse(`cwd ${problem}; ${advice} (looked for ${JSON.stringify(cutLine(cleanText(path), 300))})`);
    }
    return path;
  }

  /** Not blank, unless blank counts as not given. */
  text(key: string, blankIsAbsent = false): string | undefined {
    const value = this.#read(key);
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.#wrong(key, value, "a string");
    if (value.trim() !== "") return value;
    return blankIsAbsent ? undefined : this.#wrong(key, value, "a string that is not blank, or left out");
  }

  oneOf(key: string, accepted: readonly string[]): string | undefined {
    const value = this.#read(key);
    if (value === undefined || (typeof value === "string" && accepted.includes(value))) return value;
    return this.#wrong(key, value, `one of ${accepted.join(", ")}`);
  }

  modelIn(models: readonly string[]): { model: string; thinkingLevel?: string } | undefined {
    const name = this.text("model");
    if (name === undefined) return undefined;
    const choice = findModel(name, models);
    return choice.ok ? choice : this.refuse(choice.refusal);
  }

  number(key: string, range: NumberRange): number | undefined {
    const value = this.#read(key);
    if (value === undefined) return undefined;
    const { min, max, above = false, whole = false, unit } = range;
    const fits =
      typeof value === "number" &&
      (above ? value > min : value >= min) &&
      value <= max &&
      (!whole || Number.isInteger(value));
    if (fits) return value;
    const kind = `${whole ? "a whole number" : "a number"}${unit ? ` of ${unit}` : ""}`;
    return this.#wrong(
      key,
      value,
      `${kind} ${above ? `above ${min} and at most ${max}` : `from ${min} to ${max}`}`,
    );
  }

  flag(key: string): boolean | undefined {
    const value = this.#read(key);
    return value === undefined || typeof value === "boolean"
      ? value
      : this.#wrong(key, value, "true or false");
  }

  #read(key: string): unknown {
    return Object.hasOwn(this.#fields, key) ? (this.#fields[key] ?? undefined) : undefined;
  }

  #wrong(key: string, value: unknown, accepted: string): undefined {
    this.refuse(`${key} is ${show(value)}; it must be ${accepted}`);
  }
}

function folderProblem(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return "is no folder";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
    return `cannot be entered (${code ?? errorText(error)})`;
  }
}

/** At most `max` UTF-16 units from the start, without half a character at the end. */
function firstChars(text: string, max: number): string {
  // The blank makes it longer than the line may be, and is cut away together with the mark of the cut.
  return text.length <= max ? text : cutLine(`${text} `, max + 1).slice(0, -1);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return JSON.stringify(cutLine(cleanText(value), 60));
  return typeof value === "function" ? "a function" : String(value);
}
