/** `searchTools` and `describeTool`: how a program finds what did not fit into the description. */

import { identifierForm } from "../base/identifier-form.ts";
import { declareTool, type ListedTool, RESULT_TYPE } from "./tool-listing.ts";

const MAX_RESULTS = 10;
const MAX_QUERY_CHARS = 1_000;
const MAX_DESCRIPTION_CHARS = 300;
const MAX_SCHEMA_DEPTH = 8;
const STOP_WORDS = new Set(
  "a an and are as at be by for from in is it of on or that the this to with".split(" "),
);

/** One find of `searchTools`. */
export interface FoundTool {
  name: string;
  description: string;
}

/** The ten tools whose name, description or parameters hold the query's words best; without words the first ten by name. */
export function findTools(tools: readonly ListedTool[], query: string): FoundTool[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_CHARS));
  const ranked = tools
    .map((tool) => ({ tool, score: words.length === 0 ? 1 : scoreOf(tool, words, query.trim()) }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score || (left.tool.name < right.tool.name ? -1 : 1));
  return ranked
    .slice(0, MAX_RESULTS)
    .map(({ tool }) => ({ name: tool.name, description: shorten(tool.description) }));
}

/** The declaration of the tool with this name or identifier form, or undefined. */
export function describeTool(tools: readonly ListedTool[], name: string): string | undefined {
  const wanted = name.trim().replace(/^tools\./, "");
  const tool =
    tools.find((candidate) => candidate.name === wanted) ??
    tools.find((candidate) => identifierForm(candidate.name) === wanted);
  if (!tool) return undefined;
  const names = tools.map((candidate) => candidate.name);
  const text = declareTool(tool, names).replaceAll("\n", "\n  ");
  return `${RESULT_TYPE}\ndeclare const tools: {\n  ${text}\n};`;
}

function scoreOf(tool: ListedTool, words: readonly string[], query: string): number {
  const name = new Set(wordsOf(tool.name));
  const description = new Set(wordsOf(tool.description));
  const rest = new Set(
    wordsOf(
      `${schemaText(tool.parameters, 0)} ${tool.namespace?.name ?? ""} ${tool.namespace?.description ?? ""}`,
    ),
  );
  const exact = tool.name === query || identifierForm(tool.name) === query ? 100 : 0;
  const found = words.map((word) =>
    Math.max(hit(name, word) * 4, hit(description, word) * 2, hit(rest, word)),
  );
  return exact + found.reduce((sum, score) => sum + score, 0);
}

/** 1 for the word itself, a half for one that begins like it (`issue`, `issues`). */
function hit(words: ReadonlySet<string>, word: string): number {
  if (words.has(word)) return 1;
  if (word.length < 4) return 0;
  for (const other of words) {
    if (other.length >= 4 && (other.startsWith(word) || word.startsWith(other))) return 0.5;
  }
  return 0;
}

function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  const words = spaced.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== "" && !STOP_WORDS.has(word));
  return [...new Set(words)];
}

/** Property names and descriptions of a schema. */
function schemaText(schema: unknown, depth: number): string {
  if (typeof schema !== "object" || schema === null || depth > MAX_SCHEMA_DEPTH) return "";
  const { description, properties, items, anyOf, oneOf, allOf } = schema as Record<string, unknown>;
  const parts = typeof description === "string" ? [description] : [];
  if (typeof properties === "object" && properties !== null) {
    for (const [name, property] of Object.entries(properties))
      parts.push(name, schemaText(property, depth + 1));
  }
  for (const inner of [items, anyOf, oneOf, allOf].flat()) parts.push(schemaText(inner, depth + 1));
  return parts.join(" ");
}

function shorten(text: string): string {
  const line = text.trim().split(/\s+/).join(" ");
  return line.length > MAX_DESCRIPTION_CHARS ? `${line.slice(0, MAX_DESCRIPTION_CHARS - 1)}…` : line;
}
