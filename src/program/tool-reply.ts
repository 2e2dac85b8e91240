/** From what a tool returned, whatever that is, to what a program gets. Nothing here throws. */

import { toPlainJson } from "../base/plain-json.ts";
import { plainFailure } from "../worker/protocol.ts";
import type { CallReply, ContentBlock } from "./outcome.ts";

/** What the program gets from a tool's outcome in pi's shape: `{ result: { content, details, structuredContent }, isError }`. */
export function toReply(name: string, outcome: unknown): CallReply {
  const { result, isError } = asRecord(outcome);
  const content = contentOf(result);
  const { details, structuredContent } = asRecord(result);
  const value = {
    content,
    details: typeof details === "object" && details !== null ? toPlainJson(details) : null,
    ...(structuredContent === undefined ? {} : { structuredContent: toPlainJson(structuredContent) }),
  };
  if (isError !== true) return { ok: true, value };
  return { ok: false, failure: { message: textOf(content) || `${name} failed without a message`, ...value } };
}

/** A failure that no tool produced. */
export const failedReply = (message: string): CallReply => ({ ok: false, failure: plainFailure(message) });

/** The blocks of a result; a tool that returned none has none, and what is no block is dropped. */
export function contentOf(result: unknown): ContentBlock[] {
  const { content } = asRecord(result);
  return Array.isArray(content) ? content.map((block): unknown => toPlainJson(block)).filter(isBlock) : [];
}

/** Text blocks, joined by newlines. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function isBlock(value: unknown): value is ContentBlock {
  const { type, text, data, mimeType } = asRecord(value);
  if (type === "text") return typeof text === "string";
  if (type === "image") return typeof data === "string" && typeof mimeType === "string";
  return typeof type === "string";
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
