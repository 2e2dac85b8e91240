/**
 * Lines as pi 1.6.0 printed them in JSON mode with the scripted model, cut to the fields that matter here plus some that do not.
 * Ids and numbers are the caller's.
 */

import { ChildFold, type ConcludeContext, type ConcludedChild } from "../../src/children/fold-events.ts";
import type { ChildExit } from "../../src/children/dispatch.ts";

type Fields = Record<string, unknown>;

export const line = (event: unknown): string => JSON.stringify(event);

/** pi's `usage`: `input` tokens, a tenth of them output, and a cost. */
export function usage(input: number, cost: number): Fields {
  return {
    input,
    output: input / 10,
    cacheRead: 7,
    cacheWrite: 3,
    totalTokens: input + input / 10 + 10,
    cost: { input: cost, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
  };
}

export const text = (value: string): Fields => ({ type: "text", text: value });
export const toolCall = (id: string, name: string): Fields => ({ type: "toolCall", id, name, arguments: {} });

/** What comes before the first answer. */
export function opening(): string[] {
  const user = { role: "user", content: [text("Task: go")], timestamp: 1_796_045_804_736 };
  const system = { role: "system", content: "", sections: { preamble: "You are a coding assistant" } };
  return [
    { type: "session", version: 3, id: "01a22cac-131f-742a-b4c8-ad72ea68a52d", cwd: "/tmp/cwd" },
    { type: "agent_start" },
    { type: "turn_start" },
    { type: "message_start", message: system },
    { type: "message_end", message: system },
    { type: "message_start", message: user },
    { type: "message_end", message: user },
  ].map(line);
}

/** One assistant message: start, pieces, end. */
export function answer(content: Fields[], more: Fields = {}): string[] {
  const message = {
    role: "assistant",
    content,
    api: "faux:1796045804678:d9uwz7ykg4c",
    provider: "faux",
    model: "faux-1",
    usage: usage(100, 0.5),
    stopReason: "stop",
    timestamp: 1_796_045_804_742,
    durationMs: 1,
    thinkingLevel: "off",
    ...more,
  };
  const piece = { type: "text_delta", contentIndex: 0, delta: "stop" };
  return [
    { type: "message_start", message: { ...message, content: [], stopReason: "pending" } },
    { type: "message_update", usage: usage(100, 0.5), assistantMessageEvent: piece },
    { type: "message_end", message },
  ].map(line);
}

/** Start and end of one call; `parent` when a tool made it. */
export function call(
  id: string,
  name: string,
  { parent, result, isError = false }: { parent?: string; result?: Fields; isError?: boolean } = {},
): [start: string, end: string] {
  const nested = parent === undefined ? {} : { parentToolCallId: parent };
  return [
    line({ type: "tool_execution_start", toolCallId: id, toolName: name, args: {}, ...nested }),
    line({
      type: "tool_execution_end",
      toolCallId: id,
      toolName: name,
      result: { content: [text(`${name} done`)], ...result },
      isError,
      durationMs: 1,
      ...nested,
    }),
  ];
}

/** The message that tells the model a result. */
export function told(id: string, name: string, more: Fields = {}): string[] {
  const message = {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [text(`${name} done`)],
    isError: false,
    durationMs: 1,
    timestamp: 1_796_045_809_577,
    ...more,
  };
  return [line({ type: "message_start", message }), line({ type: "message_end", message })];
}

/** End of a low-level run, with copies of its messages. */
export function runEnd(willRetry: boolean): string[] {
  const message = {
    role: "assistant",
    content: [text("a copy")],
    usage: usage(100, 0.5),
    stopReason: "stop",
  };
  return [
    line({ type: "turn_end", message, toolResults: [] }),
    line({ type: "agent_end", messages: [message], willRetry }),
  ];
}

export const settled = (aborted = false): string => line({ type: "agent_settled", aborted });

/** A whole stream that ends well. */
export const whole = (...middle: string[]): string[] => [
  ...opening(),
  ...middle,
  ...runEnd(false),
  settled(),
];

export const MiB = 1_048_576;
export const CLEAN_EXIT: ChildExit = { code: 0, signal: null };

export const report = {
  summary: "All well",
  findings: [{ what: "a", evidence: "b" }],
  files_touched: ["x.ts"],
};

export function folded(lines: readonly string[], onChange?: () => void): ChildFold {
  const fold = new ChildFold({ onChange });
  for (const one of lines) fold.line(one);
  return fold;
}

/** The result of a child that printed `lines` and exited with 0, unless told otherwise. */
export function concluded(
  lines: readonly string[],
  { exit = CLEAN_EXIT, ...context }: Partial<ConcludeContext> & { exit?: ChildExit } = {},
): ConcludedChild {
  return folded(lines).conclude(exit, { stderrTail: "", reportExpected: false, ...context });
}

/** Processor time of this process since `before`: other work of the machine does not count. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
