/** `searchTools` and `describeTool`: how a program finds what did not fit into the description. */

import { identifierForm } from "../base/identifier-form.ts";
import { declareTool, type ListedTool, RESULT_TYPE } from "./tool-listing.ts";

const MAX_RESULTS = 10;
const MAX_QUERY_CHARS = 1_000;
/** A search runs on pi's event loop: each word is compared with every word that any tool has. */
const MAX_QUERY_WORDS = 24;
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

/** Where a word stands: the tool's place in the list, and what the word counts there. */
type Posting = readonly [at: number, weight: number];

/** The tools that hold each word. */
type WordIndex = ReadonlyMap<string, Posting[]>;

/**
 * A search over these tools, whose words are split once, for the first query. It gives the ten whose name, description
 * or parameters hold the query's words best; without words the first ten by name.
 */
export function createToolSearch(tools: readonly ListedTool[]): (query: string) => FoundTool[] {
  let index: WordIndex | undefined;
  return (query) => {
    const words = wordsOf(query.slice(0, MAX_QUERY_CHARS)).slice(0, MAX_QUERY_WORDS);
    const scores = words.length === 0 ? undefined : scoresOf(tools, (index ??= indexOf(tools)), words);
    return tools
      .map((tool, at) => ({ tool, score: (scores?.[at] ?? 1) + exactScore(tool, query.trim()) }))
      .filter(({ score }) => score > 0)
      .toSorted((left, right) => right.score - left.score || (left.tool.name < right.tool.name ? -1 : 1))
      .slice(0, MAX_RESULTS)
      .map(({ tool }) => ({ name: tool.name, description: shorten(tool.description) }));
  };
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

function indexOf(tools: readonly ListedTool[]): WordIndex {
  const index = new Map<string, Posting[]>();
  const add = (text: string, at: number, weight: number): void => {
    for (const word of wordsOf(text)) {
      const postings = index.get(word);
      if (postings) postings.push([at, weight]);
      else index.set(word, [[at, weight]]);
    }
  };
  for (const [at, { name, description, parameters, namespace }] of tools.entries()) {
    add(name, at, 4);
    add(description, at, 2);
    add(`${schemaText(parameters, 0)} ${namespace?.name ?? ""} ${namespace?.description ?? ""}`, at, 1);
  }
  return index;
}

/** For each tool the sum over the query's words of the best place where each stands. */
function scoresOf(tools: readonly ListedTool[], index: WordIndex, words: readonly string[]): number[] {
  const sums = tools.map(() => 0);
  for (const word of words) {
    const best = tools.map(() => 0);
    for (const [other, postings] of index) {
      const likeness = likenessOf(word, other);
      if (likeness === 0) continue;
      for (const [at, weight] of postings) best[at] = Math.max(best[at] ?? 0, weight * likeness);
    }
    for (const [at, score] of best.entries()) sums[at] = (sums[at] ?? 0) + score;
  }
  return sums;
}

/** 1 for the word itself, a half for one that begins like it (`issue`, `issues`). */
function likenessOf(word: string, other: string): number {
  if (word === other) return 1;
  const isLike = word.length >= 4 && other.length >= 4 && (other.startsWith(word) || word.startsWith(other));
  return isLike ? 0.5 : 0;
}

const exactScore = ({ name }: ListedTool, query: string): number =>
  name === query || identifierForm(name) === query ? 100 : 0;

function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  const words = new Set(spaced.match(/[\p{L}\p{M}\p{N}]+/gu));
  return [...words].filter((word) => !STOP_WORDS.has(word));
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
