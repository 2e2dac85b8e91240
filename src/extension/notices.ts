import { cleanText } from "../base/plain-text.ts";

interface NoticeContext {
  hasUI: boolean;
  ui: { notify(message: string, type: "warning"): void };
}

/** One warning each, on pi's screen or else stderr: stdout belongs to the answer and to JSON events. */
export function warn(ctx: NoticeContext, sentences: readonly string[]): void {
  for (const sentence of sentences.map(cleanText)) {
    if (ctx.hasUI) ctx.ui.notify(sentence, "warning");
    else process.stderr.write(`${sentence}\n`);
  }
}
