/**
 * One agent: Markdown with YAML frontmatter (spec 2.2). A file with anything wrong in its frontmatter is no agent:
 * dropping a wrong `tools` or `readOnly` alone would give the child more than its author meant.
 */

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { errorText } from "../base/error-text.ts";
import { LIMIT_RANGES } from "../base/limits.ts";
import { cleanText, cutLine } from "../base/plain-text.ts";
import { nearestName } from "../base/nearest-name.ts";
import { THINKING_LEVELS } from "./model-choice.ts";

/** A named description of a child. */
export interface Agent {
  name: string;
  /** One line; empty when the file gives none. */
  description: string;
  model?: string;
  thinking?: string;
  /** Absent = as the session; EMPTY = no tools. Entries may be patterns with `*`. */
  tools?: string[];
  readOnly: boolean;
  maxTurns?: number;
  /** False: no report is asked for. */
  childReport: boolean;
  /** The prompt, as pi's parser hands it over. */
  body: string;
  path: string;
  scope: "user" | "project";
}

/** pi's `parseFrontmatter`; throws on broken YAML. */
export type ParseFrontmatter = (content: string) => { frontmatter: unknown; body: string };

/** An agent, or why the file is none; `name` is what it would have been called. */
export type AgentReading =
  | { ok: true; agent: Agent }
  | { ok: false; name: string; path: string; problem: string };

/** The name of a child that has no agent; no file may take it. */
export const NO_AGENT = "default";

const MAX_FILE_BYTES = 4_194_304;
/** Longest name of an agent. */
export const MAX_NAME_CHARS = 64;
const KEYS = ["name", "description", "model", "thinking", "tools", "readOnly", "maxTurns", "childReport"];
/** Keys that hold a child back: no other tool has one so like them that a slip could not be told from it. */
const HOLDING_KEYS = ["readOnly", "maxTurns", "childReport"];
const TRUE_WORDS = new Set(["true", "yes"]);
const FALSE_WORDS = new Set(["false", "no"]);

/** Why `name` cannot name an agent, or undefined when it can. */
export function agentNameProblem(name: string): string | undefined {
  const shown = JSON.stringify(cutLine(cleanText(name), MAX_NAME_CHARS));
  if (name === NO_AGENT) return `${shown} is kept for children without an agent`;
  if (/[/\\]|\.\./.test(name)) return `${shown} is a path; an agent name has no separators and no ".."`;
  if (/[\n\t]/.test(name) || cleanText(name) !== name) return `${shown} holds control characters`;
  if (/^\.?$/.test(name.trim())) return `${shown} is no name`;
  if (name.length > MAX_NAME_CHARS)
    return `${shown} is longer than ${MAX_NAME_CHARS} characters; shorten the name`;
  return undefined;
}

/** Reads one file; undefined where it is not meant for an agent. Never throws. */
export function readAgentFile(
  path: string,
  scope: Agent["scope"],
  parse: ParseFrontmatter,
): AgentReading | undefined {
  const fileName = basename(path).replace(/\.md$/i, "");
  const broken = (problem: string, name = fileName): AgentReading => ({
    ok: false,
    name,
    path,
    problem,
  });
  let text: string;
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return undefined;
    // Opening a pipe or a device would block pi.
    if (!stats.isFile()) return broken("this is no regular file");
    if (stats.size > MAX_FILE_BYTES)
      return broken(`the file has ${stats.size} bytes; an agent has at most ${MAX_FILE_BYTES}`);
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return broken(
      code === "ENOENT" ? "this is a link to nothing" : `cannot be read (${code ?? errorText(error)})`,
    );
  }
  if (isReadme(fileName, text)) return undefined;
  const content = parseContent(text, parse);
  if (typeof content === "string") return broken(content);
  const fields = new Fields(content.frontmatter);
  const name = fields.text("name") ?? fileName;
  const agent = toAgent({ name, path, scope, body: content.body }, fields);
  return fields.problems.length === 0
    ? { ok: true, agent }
    : broken(fields.problems.join("; "), agentNameProblem(name) ? fileName : name);
}

function toAgent(known: Pick<Agent, "name" | "path" | "scope" | "body">, fields: Fields): Agent {
  const nameProblem = agentNameProblem(known.name);
  if (nameProblem) fields.problems.push(`the name ${nameProblem}`);
  fields.problems.push(...fields.misspelt());
  const optional = {
    model: fields.text("model"),
    thinking: fields.oneOf("thinking", THINKING_LEVELS),
    tools: fields.names("tools"),
    maxTurns: fields.count("maxTurns", LIMIT_RANGES.maxChildTurns.max),
  };
  return {
    ...known,
    description: cleanText(fields.text("description") ?? "").replace(/\s+/g, " "),
    readOnly: fields.flag("readOnly", false),
    childReport: fields.flag("childReport", true),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** Tells people about the folder. As an agent it would have every tool. */
const isReadme = (name: string, text: string): boolean => /^readme$/i.test(name) && !/^\uFEFF?---/.test(text);

/** Frontmatter and body, or a sentence. */
function parseContent(
  text: string,
  parse: ParseFrontmatter,
): { frontmatter: Record<string, unknown>; body: string } | string {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  // pi's parser takes such a file for a body without frontmatter, and so without a list of tools.
  if (plain.startsWith("---") && plain.indexOf("\n---", 3) === -1)
    return "the frontmatter has no end: put a line --- after it";
  let parsed: { frontmatter: unknown; body: string };
  try {
    parsed = parse(plain);
  } catch (error) {
    try {
      parsed = parse(quoteDescription(plain));
    } catch {
      // What the author wrote is what the message is about.
      const reason = errorText(error).split("\n", 1)[0];
      return `the frontmatter is not valid YAML (${reason}); quote values that hold ": " or begin with a special character`;
    }
  }
  const { frontmatter, body } = parsed;
  if (typeof frontmatter === "object" && frontmatter !== null && !Array.isArray(frontmatter))
    return { frontmatter: frontmatter as Record<string, unknown>, body };
  return `the frontmatter is ${show(frontmatter)}; it must be lines of the form "key: value"`;
}

/** A description that holds ": ", as many agents in the wild have, is no YAML unless it is quoted. */
function quoteDescription(text: string): string {
  return text.replace(
    /^description:[ \t]+(?!["'|>&*![{])(.*: .*)$/m,
    (_line, value: string) => `description: ${JSON.stringify(value.trim())}`,
  );
}

/** Reads typed values and collects a sentence for each that is wrong. An empty value counts as absent. */
class Fields {
  readonly problems: string[] = [];
  readonly #values: Record<string, unknown>;

  constructor(values: Record<string, unknown>) {
    this.#values = values;
  }

  /** A sentence for each key that is meant to be one of ours. Other tools' keys mean nothing here. */
  misspelt(): string[] {
    return Object.keys(this.#values).flatMap((key) => {
      if (KEYS.includes(key)) return [];
      const word = key.replace(/[-_ ]/g, "").toLowerCase();
      const meant = KEYS.find((known) => known.toLowerCase() === word) ?? nearestName(word, HOLDING_KEYS);
      return meant === undefined ? [] : [`${show(key)} is no key of an agent (did you mean ${meant}?)`];
    });
  }

  text(key: string): string | undefined {
    const value = this.#read(key);
    if (value === undefined) return undefined;
    if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
    return this.#wrong(key, value, typeof value === "number" ? "text: put it in quotes" : "text");
  }

  oneOf(key: string, accepted: readonly string[]): string | undefined {
    const value = this.text(key);
    if (value === undefined || accepted.includes(value)) return value;
    return this.#wrong(key, value, `one of ${accepted.join(", ")}`);
  }

  /** A list or a comma list; a key without a value is an EMPTY list. */
  names(key: string): string[] | undefined {
    if (!Object.hasOwn(this.#values, key)) return undefined;
    const value = this.#values[key] ?? [];
    const entries: unknown[] = Array.isArray(value) ? value : [value];
    if (!entries.every((entry) => typeof entry === "string"))
      return this.#wrong(key, value, 'names: "read, grep", a list, or [] for no tools');
    const names = entries.flatMap((entry) => entry.split(",")).map((name) => name.trim());
    return [...new Set(names.filter((name) => name !== ""))];
  }

  flag(key: string, absent: boolean): boolean {
    const value = this.#read(key);
    const word = String(value).trim().toLowerCase();
    if (value === undefined || word === "") return absent;
    if (TRUE_WORDS.has(word)) return true;
    if (!FALSE_WORDS.has(word)) this.#wrong(key, value, "true or false");
    return false;
  }

  count(key: string, max: number): number | undefined {
    const value = this.#read(key);
    if (
      value === undefined ||
      (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max)
    )
      return value as number | undefined;
    return this.#wrong(key, value, `a whole number from 1 to ${max}`);
  }

  #read(key: string): unknown {
    return Object.hasOwn(this.#values, key) ? (this.#values[key] ?? undefined) : undefined;
  }

  #wrong(key: string, value: unknown, accepted: string): undefined {
    this.problems.push(`${key} is ${show(value)}; it must be ${accepted}`);
  }
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a map";
  return cutLine(cleanText(JSON.stringify(value) ?? String(value)), 60);
}
