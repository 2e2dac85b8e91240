import type { Palette, Screen, Tone } from "./screen.ts";

/** A piece of a row in one colour. Its text is clean and holds no break. */
export interface Span {
  text: string;
  tone?: Tone;
  isBold?: boolean;
}

/** One row before it is coloured. */
export type Line = readonly Span[];

/** These take one column each whatever stands beside them, so they are counted, not measured. */
const ONE_COLUMN = /^[ -~✓✗●○◐◌⊘•·…→├└│─↵]*$/;
/** What `truncateToWidth` puts where it cut; it would end pi's background colour too. */
const RESET = "\x1b[0m";
const MIN_LEFT = 20;
const GAP = 2;
/** In less than this a text is cut: it would take a row for every few letters. */
const MIN_WRAP = 8;
/** Most columns of a row, facts aside (spec 5.1). */
export const MAX_ROW = 120;

/** Puts spans into rows that are never wider than they may be, for one screen and theme. */
export class Pen {
  readonly screen: Screen;
  readonly #palette: Palette;

  constructor(screen: Screen, palette: Palette) {
    this.screen = screen;
    this.#palette = palette;
  }

  /** Columns of a row. Spans are measured together: a mark at the head of one may widen the one before. */
  measure(line: Line): number {
    let width = 0;
    for (const { text } of line) {
      if (!ONE_COLUMN.test(text)) return this.screen.visibleWidth(plain(line));
      width += text.length;
    }
    return width;
  }

  /** The row, or its head and `…`, in at most `width` columns. */
  cut(line: Line, width: number): Line {
    if (width <= 0) return [];
    if (this.measure(line) <= width) return line;
    const kept: Span[] = [];
    let left = width - 1;
    for (const span of line) {
      const taken = this.measure([span]);
      if (taken > left) {
        kept.push({ ...span, text: this.#head(span.text, left) });
        break;
      }
      kept.push(span);
      left -= taken;
    }
    kept.push({ text: "…", tone: "dim" });
    if (this.measure(kept) <= width) return kept;
    const whole = [{ text: `${this.#head(plain(line), width - 1)}…` }];
    return this.measure(whole) <= width ? whole : [{ text: "…" }];
  }

  /** All of the row in as many as it takes, broken at blanks where there are any. */
  wrap(line: Line, width: number): Line[] {
    if (width < MIN_WRAP || this.measure(line) <= width) return [line];
    const rows: Span[][] = [[]];
    for (const span of line)
      for (const word of span.text.match(/\s*\S+|\s+$/g) ?? [])
        this.#place(rows, { ...span, text: word }, width);
    return rows;
  }

  /** Puts a word at the end of the last row, or on rows of its own. */
  #place(rows: Span[][], word: Span, width: number): void {
    const row = rows.at(-1) ?? [];
    if (this.measure([...row, word]) <= width) return append(row, word);
    let rest = row.length === 0 ? word.text : word.text.trimStart();
    if (rest === "") return;
    if (row.length > 0) rows.push([]);
    while (this.measure([{ text: rest }]) > width) {
      const head = this.#head(rest, width);
      // One that cannot be told from its sequences is cut, rather than shown twice or not at all.
      if (head === "" || !rest.startsWith(head)) break;
      rows.at(-1)?.push({ ...word, text: head });
      rows.push([]);
      rest = rest.slice(head.length);
    }
    rows.at(-1)?.push({ ...word, text: rest });
  }

  /** A finished row of at most `width` columns. */
  draw(line: Line, width: number): string {
    return this.cut(line, width).map(this.#colour).join("");
  }

  /**
   * `left`, and at the right edge the facts. `left` shrinks first; once it is short, facts go from the front,
   * so that the last one stays longest.
   */
  pin(left: Line, facts: readonly Span[], width: number): string {
    const wanted = Math.min(this.measure(left), MIN_LEFT);
    for (let from = 0; from < facts.length; from += 1) {
      const right = factLine(facts.slice(from), from > 0);
      const taken = this.measure(right);
      const room = width - taken - GAP;
      if (room < wanted) continue;
      const shown = this.cut(left, Math.min(room, MAX_ROW));
      const blank = " ".repeat(width - taken - this.measure(shown));
      return [...shown, { text: blank }, ...right].map(this.#colour).join("");
    }
    return this.draw(left, Math.min(width, MAX_ROW));
  }

  /** Columns that `pin` leaves when every fact stays. */
  roomBeside(facts: readonly Span[], width: number): number {
    if (facts.length === 0) return Math.min(width, MAX_ROW);
    return Math.min(MAX_ROW, width - this.measure(factLine(facts, false)) - GAP);
  }

  #head(text: string, width: number): string {
    if (width <= 0) return "";
    if (ONE_COLUMN.test(text)) return text.slice(0, width);
    return this.screen.truncateToWidth(text, width, "").replaceAll(RESET, "");
  }

  readonly #colour = ({ text, tone, isBold }: Span): string => {
    const shown = isBold ? this.#palette.bold(text) : text;
    return tone ? this.#palette.fg(tone, shown) : shown;
  };
}

/** Words of one colour become one span again. */
function append(row: Span[], { text, tone, isBold }: Span): void {
  const last = row.at(-1);
  if (last && last.tone === tone && last.isBold === isBold) last.text += text;
  else row.push({ text, ...(tone && { tone }), ...(isBold && { isBold }) });
}

function plain(line: Line): string {
  let text = "";
  for (const span of line) text += span.text;
  return text;
}

function factLine(facts: readonly Span[], isCut: boolean): Span[] {
  const line: Span[] = [{ text: isCut ? "• … · " : "• ", tone: "dim" }];
  facts.forEach((fact, index) => {
    if (index > 0) line.push({ text: " · ", tone: "dim" });
    line.push({ tone: "dim", ...fact });
  });
  return line;
}
