/**
 * Folds the lines a child's pi prints in JSON mode (its docs/json.md) into one result. Whatever a line holds is
 * data: what cannot be read is counted and left out, nothing throws. What it all comes to is decided in
 * `judge-child.ts`.
 */

import { cleanText, cutLine } from "../base/plain-text.ts";
import { CHILD_REPORT } from "../base/tool-names.ts";
import { boundedTail, boundedText, cutToBytes } from "./child-text.ts";
import type { ChildExit, ChildProgress, ChildReport, ChildUsage, DispatchResult } from "./dispatch.ts";
import { judgeChild } from "./judge-child.ts";
import { parseReport, reportFromText } from "./report.ts";
import { SkippedLines } from "./skipped-lines.ts";
import { readSpent, UsageCount } from "./usage-count.ts";

const MAX_TEXT_BYTES = 1_048_576;
const MAX_ERROR_CHARS = 16_000;
const MAX_STDERR_CHARS = 65_536;
const MAX_NAME_CHARS = 200;
const MAX_ID_CHARS = 1_024;
/** The newest line of an answer is looked for in this much of its end. */
const LAST_TEXT_CHARS = 4_096;

/** How lines begin that tell nothing new: pieces of messages, and copies of messages that have lines of their own. */
const UNREAD = ["message_update", "tool_execution_update", "turn_end", "message_start"].map(
  (type) => `{"type":"${type}"`,
);
/** The error of a retry is that of the message before it, and a recovery is the message after it. */
const IGNORED = new Set<string>(
  `session turn_start turn_end message_start message_update tool_execution_update queue_update session_info_changed
  thinking_level_changed compaction_start auto_retry_start auto_retry_end bash_execution_update extension_error
  summarization_retry_scheduled summarization_retry_attempt_start summarization_retry_finished`.match(/\w+/g),
);
/** Session entries that spent something: a compaction by an extension, a branch summary, a cache kept warm. */
const SPENDING_ENTRIES = new Set<unknown>(["compaction", "branch_summary", "usage"]);

/** What is known about a child beside its lines. */
export interface ConcludeContext {
  stderrTail: string;
  /** Why we stopped it, as a sentence; it becomes the error message. */
  stoppedBecause?: string;
  /** It had settled and did not exit within its grace. */
  forcedDown?: boolean;
  reportExpected: boolean;
}

/** The part of a result that the child's output and exit decide. */
export type ConcludedChild = Pick<
  DispatchResult,
  "status" | "text" | "reportChannel" | "report" | "usage" | "errorMessage" | "warnings" | "stderr"
> &
  Pick<DispatchResult, "exitCode" | "signal">;

type Fields = Record<string, unknown>;

/** One child's lines so far. `conclude` is asked once, at the end; no method throws. */
export class ChildFold {
  readonly #changed: () => void;
  readonly #onText: (text: string) => void;
  readonly #usage = new UsageCount();
  readonly #skipped = new SkippedLines();
  #answer: { text: string; cutFromBytes?: number; report?: ChildReport } = { text: "" };
  #toolReport: ChildReport | undefined;
  #tool: { id: string; name: string; running: boolean } | undefined;
  #stopReason: string | undefined;
  #modelError = "";
  #settled = false;
  #aborted = false;
  #endedAsOldPi = false;

  /** `onChange` is called after each line that changes what `progress()` or `settled` says, `onText` with each text. */
  constructor({ onChange, onText }: { onChange?: () => void; onText?: (text: string) => void } = {}) {
    this.#changed = onChange ?? (() => undefined);
    this.#onText = onText ?? (() => undefined);
  }

  /** pi has no work left, so the child should exit by itself now. A further run makes it false again. */
  get settled(): boolean {
    return this.#settled;
  }

  get turns(): number {
    return this.#usage.turns;
  }

  /** US dollars. */
  get cost(): number {
    return this.#usage.cost;
  }

  /** Takes one line of standard output. */
  line(text: string): void {
    if (tellsNothing(text)) return;
    let event: unknown;
    try {
      event = JSON.parse(text);
    } catch {
      // Anything may be printed there; a blank line is not worth a word.
      if (text.trim() !== "") this.#skipped.add("noise");
      return;
    }
    if (!isFields(event)) this.#skipped.add("no-object");
    else if (typeof event["type"] !== "string") this.#skipped.add("incomplete");
    else this.#take(event["type"], event);
  }

  /** Counts a line that the reader left out. */
  skipped(reason: "too-long", bytes: number): void {
    this.#skipped.add(reason, bytes);
  }

  /** What can be said while the child runs. */
  progress(): Omit<ChildProgress, "agentName" | "elapsedMs"> {
    const lines = this.#answer.text.slice(-LAST_TEXT_CHARS).split("\n");
    const lastText = cutLine(cleanText(lines.findLast((line) => line.trim() !== "") ?? "").trim());
    const progress = { turns: this.#usage.turns, usage: this.#usage.total(), lastText };
    if (!this.#tool) return progress;
    return { ...progress, tool: { name: this.#tool.name, running: this.#tool.running } };
  }

  /** The result, once the child exited and its output was read to the end. */
  conclude(exit: ChildExit, context: ConcludeContext): ConcludedChild {
    const { text, cutFromBytes } = this.#answer;
    const usage = this.#usage.isEmpty ? undefined : this.#usage.total();
    const stderr = boundedTail(context.stderrTail, MAX_STDERR_CHARS);
    const { errorMessage, note } = judgeChild(exit, {
      ...context,
      stderr,
      settled: this.#settled || this.#endedAsOldPi,
      aborted: this.#aborted,
      stopReason: this.#stopReason,
      modelError: this.#modelError,
      hasText: text !== "",
      hasToolReport: context.reportExpected && this.#toolReport !== undefined,
    });
    const warnings = [note, ...this.#skipped.sentences()].filter((line) => line !== undefined);
    if (cutFromBytes !== undefined)
      warnings.push(`the child's answer of ${cutFromBytes} bytes was cut to its first ${MAX_TEXT_BYTES}`);
    return {
      status: errorMessage === undefined ? "fulfilled" : "rejected",
      text,
      ...this.#report(context.reportExpected, usage),
      ...(usage && { usage }),
      ...(errorMessage !== undefined && { errorMessage }),
      ...(warnings.length > 0 && { warnings }),
      ...(exit.code !== null && { exitCode: exit.code }),
      ...(exit.signal !== null && { signal: exit.signal }),
      ...(stderr !== "" && { stderr }),
    };
  }

  #report(isExpected: boolean, usage?: ChildUsage): Pick<DispatchResult, "reportChannel" | "report"> {
    if (!isExpected) return { reportChannel: "opted-out" };
    const { text, cutFromBytes, report: ofWholeText } = this.#answer;
    const ofText = this.#toolReport || cutFromBytes !== undefined ? ofWholeText : reportFromText(text);
    const report = this.#toolReport ?? ofText;
    if (!report) return { reportChannel: "none" };
    const reportChannel = this.#toolReport ? "tool" : "prompt-json";
    if (!usage) return { reportChannel, report };
    const { input, output, cost, turns } = usage;
    return { reportChannel, report: { ...report, usage: { input, output, cost, turns } } };
  }

  #take(type: string, event: Fields): void {
    switch (type) {
      case "message_end":
        return this.#takeMessage(event["message"]);
      case "tool_execution_start":
        return this.#takeCallStart(event);
      case "tool_execution_end":
        return this.#takeCallEnd(event);
      case "compaction_end":
        return this.#takeSpent(event["result"]);
      case "entry_appended":
        if (isFields(event["entry"]) && SPENDING_ENTRIES.has(event["entry"]["type"]))
          this.#takeSpent(event["entry"]);
        return;
      case "agent_start":
      case "agent_settled":
        this.#settled = type === "agent_settled";
        this.#aborted = event["aborted"] === true;
        this.#endedAsOldPi = false;
        return this.#changed();
      case "agent_end":
        // A pi that cannot say whether it will go on is one without `agent_settled`.
        this.#endedAsOldPi = !("willRetry" in event);
        return;
      default:
        if (!IGNORED.has(type)) this.#skipped.addUnknown(type);
    }
  }

  #takeMessage(message: unknown): void {
    const role = isFields(message) ? message["role"] : undefined;
    if (!isFields(message) || typeof role !== "string") return this.#skipped.add("incomplete");
    if (role !== "assistant" && role !== "toolResult") return;
    const spent = readSpent(message["usage"]);
    // Only tools that called a model report usage.
    if (!spent && (role === "assistant" || message["usage"] !== undefined)) this.#skipped.add("no-usage");
    if (role === "assistant") {
      this.#usage.addTurn(spent);
      this.#takeAnswer(message);
    } else {
      const id = idOf(message["toolCallId"]);
      if (id === undefined) this.#skipped.add("incomplete");
      this.#usage.callTold(id ?? "", spent);
    }
    this.#changed();
  }

  #takeAnswer({ stopReason, errorMessage, content }: Fields): void {
    if (typeof stopReason !== "string") this.#skipped.add("incomplete");
    this.#stopReason = typeof stopReason === "string" ? boundedText(stopReason, MAX_NAME_CHARS) : undefined;
    this.#modelError = typeof errorMessage === "string" ? boundedText(errorMessage, MAX_ERROR_CHARS) : "";
    if (!Array.isArray(content)) return this.#skipped.add("incomplete");
    const parts = content.map((part: unknown) =>
      isFields(part) && part["type"] === "text" && typeof part["text"] === "string" ? part["text"] : "",
    );
    // The parts are pi's blocks, and `pi -p` prints each on lines of its own.
    const whole = parts.filter((part) => part !== "").join("\n");
    if (!/\S/.test(whole)) return;
    this.#onText(whole);
    const text = cutToBytes(whole, MAX_TEXT_BYTES);
    this.#answer =
      text === whole
        ? { text }
        : { text, cutFromBytes: Buffer.byteLength(whole), report: reportFromText(whole) };
  }

  #takeCallStart({ toolCallId, toolName, parentToolCallId }: Fields): void {
    const id = idOf(toolCallId);
    if (id === undefined || typeof toolName !== "string") return this.#skipped.add("incomplete");
    this.#usage.callStarted(id, idOf(parentToolCallId));
    this.#tool = { id, name: boundedText(toolName, MAX_NAME_CHARS), running: true };
    this.#changed();
  }

  #takeCallEnd({ toolCallId, toolName, parentToolCallId, result, isError }: Fields): void {
    const id = idOf(toolCallId);
    if (id === undefined || !isFields(result)) return this.#skipped.add("incomplete");
    this.#usage.callEnded(id, idOf(parentToolCallId), readSpent(result["usage"]));
    if (toolName === CHILD_REPORT && isError !== true)
      this.#toolReport = parseReport(result["structuredContent"]) ?? this.#toolReport;
    if (this.#tool?.id === id) this.#tool.running = false;
    this.#changed();
  }

  #takeSpent(holder: unknown): void {
    // A compaction that failed has no result, and one by an extension may have cost nothing.
    if (!isFields(holder) || holder["usage"] === undefined) return;
    const spent = readSpent(holder["usage"]);
    if (!spent) return this.#skipped.add("no-usage");
    this.#usage.add(spent);
    this.#changed();
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const idOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= MAX_ID_CHARS ? value : undefined;

/** Whole lines that need no parsing; a half one is parsed to be counted. */
function tellsNothing(line: string): boolean {
  if (!line.endsWith("}")) return false;
  if (UNREAD.some((beginning) => line.startsWith(beginning))) return true;
  // Holds every message once more; only its absence of `willRetry` would tell something.
  return (
    line.startsWith('{"type":"agent_end"') &&
    (line.endsWith('"willRetry":false}') || line.endsWith('"willRetry":true}'))
  );
}
