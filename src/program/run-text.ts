/** From what a run produced to the text the model reads (spec 1.8), and the file with the rest. */

import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { cleanText, cutLine } from "../base/plain-text.ts";
import { errorText } from "../base/error-text.ts";
import type { LogLevelKind } from "../worker/protocol.ts";
import type { RunError } from "./outcome.ts";
import type { TruncateTail } from "./request.ts";
import { KEPT_LINES, TextSection } from "./text-section.ts";

/** pi's own bound on a text block (its DEFAULT_MAX_BYTES). */
const MAX_BYTES = 51_200;
const MAX_HEADER_LINES = 24;
const NOTHING =
  "The program returned nothing and printed nothing: `return` is missing. End it with `return <result>`.";
const LONG_CUT = "Long lines were cut at 200 characters.";
const UNDEFINED =
  "The program returned undefined and printed nothing. A function's result comes back only with `return`, as in `return await main()`; what still runs when the program ends is cut off.";
const EMPTY = "The program returned an empty text and printed nothing.";

/** What a program returned: a value, undefined, or nothing since it has no `return`. */
export type ReturnKind = "value" | "undefined" | "missing";

/** Where complete texts go and how blocks are cut. */
export interface TextRules {
  truncateTail: TruncateTail;
  outputDir: () => Promise<string>;
}

/** Text for the model. */
export interface ComposedText {
  text: string;
  /** The text shows a part of what there is. */
  truncated?: true;
  fullOutputPath?: string;
  /** The complete text could not be kept. */
  warning?: string;
}

/** The texts of one run, fed while it goes on. */
export class RunText {
  readonly phases: string[] = [];
  readonly narration = new TextSection();
  readonly logs = new TextSection();
  readonly value = new TextSection();
  #inEntry = { log: false, narration: false };

  addLog(level: LogLevelKind, text: string, more = false): void {
    const prefix = level === "warn" || level === "error" ? `[${level}] ` : "";
    this.logs.add(this.#inEntry.log ? text : prefix + text);
    this.#inEntry.log = more;
    if (!more) this.logs.add("\n");
  }

  addNarration(text: string, more = false): void {
    this.narration.add(text);
    this.#inEntry.narration = more;
    if (!more) this.narration.add("\n");
  }

  /** The text of a run that ended well; `end` says what it returned, for a text that would be empty. */
  compose(warnings: readonly string[], end: ReturnKind, rules: TextRules): Promise<ComposedText> {
    const empty = { value: EMPTY, undefined: UNDEFINED, missing: NOTHING }[end];
    return this.#assemble({ header: [], label: [], sections: this.#sections(warnings), empty, rules });
  }

  /** The text of a failed run: the error is never cut away. */
  composeFailure(error: RunError, warnings: readonly string[], rules: TextRules): Promise<ComposedText> {
    const header = `code run failed (${error.kind}): ${error.message}${error.excerpt ? `\n${error.excerpt}` : ""}`;
    const sections = this.#sections(warnings, false);
    const hasOutput = this.#sections([], false).length > 0;
    const label = hasOutput ? ["Captured output:"] : [];
    return this.#assemble({ header: header.split("\n"), label, sections, empty: "", rules });
  }

  #sections(warnings: readonly string[], withValue = true): TextSection[] {
    const phases = textSection(this.phases.length > 0 ? [`Phases: ${this.phases.join(" → ")}`] : []);
    const notes = textSection(warnings.map((warning) => `Warning: ${cleanText(warning)}`));
    const sections = [phases, this.narration, this.logs, ...(withValue ? [this.value] : []), notes];
    for (const section of sections) section.endLine();
    return sections.filter((section) => !section.isEmpty);
  }

  async #assemble(parts: {
    header: string[];
    /** Stands between header and sections, and like the header is never cut away. */
    label: string[];
    sections: TextSection[];
    empty: string;
    rules: TextRules;
  }): Promise<ComposedText> {
    const { label, sections, empty, rules } = parts;
    const header = parts.header.map(cleanText);
    const kept = header.slice(0, MAX_HEADER_LINES).map((line) => cutLine(line));
    const headerCut = kept.length < header.length || kept.some((line, index) => line !== header[index]);
    const shownHeader = [...kept, ...label];
    const lines = sections.flatMap((section) => section.newest(KEPT_LINES));
    const printed = sections.reduce((sum, section) => sum + section.lineCount, 0);
    const body = cleanText(lines.join("\n"));
    const room = MAX_BYTES - Buffer.byteLength(shownHeader.join("\n"));
    const block = rules.truncateTail(body, { maxLines: KEPT_LINES - shownHeader.length, maxBytes: room });
    const cut =
      headerCut || block.truncated || printed > lines.length || sections.some((section) => section.anyCut);
    const text = [...shownHeader, ...(printed > 0 ? [block.content] : [])].join("\n") || empty;
    if (!cut) return { text };
    const total = header.length + label.length + printed;
    const shown = block.truncated || printed > lines.length ? block.outputLines : total;
    const longCut = headerCut || sections.some((section) => section.anyCut);
    return this.#keep(text, {
      header: [...header, ...label],
      sections,
      rules,
      range: `lines ${total - shown + 1}-${total} of ${total}`,
      note: longCut ? `${LONG_CUT}\n` : "",
    });
  }

  async #keep(
    text: string,
    whole: { header: string[]; sections: TextSection[]; rules: TextRules; range: string; note: string },
  ): Promise<ComposedText> {
    try {
      const path = join(await whole.rules.outputDir(), `ptc-${randomUUID()}.txt`);
      const header = whole.header.length > 0 ? [Buffer.from(`${whole.header.join("\n")}\n`)] : [];
      await writeChunks(path, [...header, ...whole.sections.flatMap((section) => section.bytes())]);
      return {
        text: `${text}\n\n${whole.note}[Showing ${whole.range}. Full output: ${path}]`,
        truncated: true,
        fullOutputPath: path,
      };
    } catch (error) {
      const warning = `the full output could not be written to a file: ${errorText(error)}`;
      const told = `${whole.note}[Showing ${whole.range}.]\nWarning: ${warning}`;
      return { text: `${text}\n\n${told}`, truncated: true, warning };
    }
  }
}

function textSection(lines: readonly string[]): TextSection {
  const section = new TextSection();
  for (const line of lines) section.add(`${line}\n`);
  return section;
}

/** Writes to a new file of mode 0600; a failure leaves no half file behind. */
async function writeChunks(path: string, chunks: readonly Buffer[]): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for (const chunk of chunks) await file.writeFile(chunk);
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}
