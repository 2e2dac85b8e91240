import { cleanText } from "../base/plain-text.ts";

type NoticeType = "info" | "warning" | "error";

interface NoticeContext {
  hasUI: boolean;
  ui: { notify(message: string, type: NoticeType): void };
}

/** One notice on pi's screen or to its client, or else a line on stderr: stdout belongs to the answer. */
export function tell(ctx: NoticeContext, sentence: string, type: NoticeType = "info"): void {
  const text = cleanText(sentence);
  if (ctx.hasUI) ctx.ui.notify(text, type);
  // A problem may quote lines of a file. What was asked for may be a list.
  else process.stderr.write(`${type === "info" ? text : text.replaceAll(/\s*\n\s*/g, " ")}\n`);
}

const PACKAGE = "pi-ptc-subagents";

/** One warning each. Nobody asked for it, so it says whose it is. */
export function warn(ctx: NoticeContext, sentences: readonly string[]): void {
  for (const sentence of sentences)
    tell(ctx, sentence.startsWith(PACKAGE) ? sentence : `${PACKAGE}: ${sentence}`, "warning");
}

const MAX_SENTENCES = 3;

/** As `warn`; of many, which `what` names, only their number and the first. */
export function warnOfMany(ctx: NoticeContext, sentences: readonly string[], what: string): void {
  const isMany = sentences.length > MAX_SENTENCES;
  warn(ctx, isMany ? [`${sentences.length} ${what}; the first: ${sentences[0]}`] : sentences);
}
