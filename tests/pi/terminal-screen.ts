/** What a terminal shows: the output of one program, kept by xterm as cells. Widths are those pi counts with. */

import { visibleWidth } from "@earendil-works/pi-tui";
import xterm, { type IBufferCell, type IBufferLine, type Terminal } from "@xterm/headless";
import { PI_WIDTHS } from "./terminal-widths.ts";

const MAX_SCROLLBACK = 5_000;
/** On in a fresh terminal: wrapping at the edge, and a visible cursor. */
const MODES_AT_FIRST = ["?7", "?25"];

/** Columns and rows of a screen. */
export interface ScreenSize {
  columns: number;
  rows: number;
}

/** `default`, a number of the palette (0-15 are the terminal's own: 1 red, 2 green, 3 yellow), or `#rrggbb`. */
export type CellColour = "default" | number | `#${string}`;

/** One cell. The one after a wide character is empty and 0 wide. */
export interface Cell {
  text: string;
  width: number;
  foreground: CellColour;
  background: CellColour;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  struck: boolean;
}

export class TerminalScreen {
  readonly #terminal: Terminal;
  readonly #modes = new Set(MODES_AT_FIRST);
  /** Whole clearings of the screen so far; pi clears it all when its size has changed. */
  clearings = 0;
  /** The window's title as set last. */
  title = "";

  /** `answer` takes what the terminal says to the program, such as what it is. */
  constructor({ columns, rows }: ScreenSize, answer: (data: string) => void) {
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: MAX_SCROLLBACK,
      allowProposedApi: true,
    });
    this.#terminal.unicode.register(PI_WIDTHS);
    this.#terminal.unicode.activeVersion = PI_WIDTHS.version;
    this.#terminal.onData(answer);
    this.#terminal.onTitleChange((title) => (this.title = title));
    this.#followModes();
  }

  get size(): ScreenSize {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Takes output in; `taken` is called when the cells show it. */
  write(data: string, taken: () => void): void {
    this.#terminal.write(data, taken);
  }

  resize({ columns, rows }: ScreenSize): void {
    this.#terminal.resize(columns, rows);
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  /** Whether a frame is being drawn: its first cells are new, its last ones old. */
  get isMidFrame(): boolean {
    return this.#terminal.modes.synchronizedOutputMode;
  }

  /** Whether the program draws on the screen that leaves no scrollback. */
  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** The visible rows from the top, without blanks at their ends. */
  rows(): string[] {
    return Array.from(
      { length: this.#terminal.rows },
      (_, y) => this.#row(y)?.translateToString(true).trimEnd() ?? "",
    );
  }

  /** The visible rows as one text. */
  text(): string {
    return this.rows().join("\n");
  }

  /** Rows that have left the top of the normal screen, oldest first. */
  scrollback(): string[] {
    const { normal } = this.#terminal.buffer;
    return Array.from(
      { length: normal.baseY },
      (_, y) => normal.getLine(y)?.translateToString(true).trimEnd() ?? "",
    );
  }

  /** The cell in column `x` of row `y`, both from 0. Throws outside of the screen. */
  cell(x: number, y: number): Cell {
    const cell = this.#row(y)?.getCell(x);
    if (!cell) throw new RangeError(`no cell ${x}, ${y}`);
    return asCell(cell);
  }

  /** The cells of the first match in one row, blanks to its end included. Throws when there is none. */
  cells(shown: RegExp): Cell[] {
    for (let y = 0; y < this.#terminal.rows; y++) {
      const row = Array.from({ length: this.#terminal.cols }, (_, x) => this.cell(x, y));
      const match = shown.exec(row.map(({ text, width }) => (width === 0 ? "" : text || " ")).join(""));
      if (match) return cellsBetween(row, match.index, match.index + match[0].length);
    }
    throw new Error(`no row shows ${shown}\n${this.picture()}`);
  }

  /** Modes that are not as in a fresh terminal, such as `?2004`, `kitty keyboard`, `-?25` for a hidden cursor. */
  changedModes(): string[] {
    const off = MODES_AT_FIRST.filter((mode) => !this.#modes.has(mode)).map((mode) => `-${mode}`);
    return [...[...this.#modes].filter((mode) => !MODES_AT_FIRST.includes(mode)), ...off];
  }

  /** The screen in a frame, for messages. */
  picture(): string {
    const { columns, rows } = this.size;
    const edge = "─".repeat(columns);
    const lines = this.rows().map((row) => `│${row}${" ".repeat(Math.max(0, columns - visibleWidth(row)))}│`);
    return [`${columns}x${rows}`, `┌${edge}┐`, ...lines, `└${edge}┘`].join("\n");
  }

  #row(y: number): IBufferLine | undefined {
    const { active } = this.#terminal.buffer;
    return active.getLine(active.baseY + y);
  }

  #followModes(): void {
    const { parser } = this.#terminal;
    // False lets xterm's own handler act, too.
    const follow = (prefix: string, final: string, act: (params: (number | number[])[]) => void): void => {
      parser.registerCsiHandler({ ...(prefix && { prefix }), final }, (params) => {
        act(params);
        return false;
      });
    };
    follow("?", "h", (params) => params.forEach((mode) => this.#modes.add(`?${String(mode)}`)));
    follow("?", "l", (params) => params.forEach((mode) => this.#modes.delete(`?${String(mode)}`)));
    follow(">", "u", () => this.#modes.add("kitty keyboard"));
    follow("<", "u", () => this.#modes.delete("kitty keyboard"));
    follow(">", "m", ([key, level]) => {
      if (key === 4) this.#modes[level ? "add" : "delete"]("modified keys");
    });
    follow("", "J", ([part]) => {
      if (part === 2) this.clearings++;
    });
  }
}

/** The cells that draw the characters from `start` to `end` of a row's text. */
function cellsBetween(row: readonly Cell[], start: number, end: number): Cell[] {
  let at = 0;
  return row.filter(({ text, width }) => {
    const from = at;
    at += width === 0 ? 0 : text.length || 1;
    return width > 0 && from < end && at > start;
  });
}

function asCell(cell: IBufferCell): Cell {
  return {
    text: cell.getChars(),
    width: cell.getWidth(),
    foreground: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
    struck: cell.isStrikethrough() !== 0,
  };
}

function colour(isDefault: boolean, isRgb: boolean, value: number): CellColour {
  if (isDefault) return "default";
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : value;
}
