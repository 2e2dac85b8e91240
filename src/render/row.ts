import type { Component } from "@earendil-works/pi-tui";
import { Pen } from "./pen.ts";
import { type Palette, type Screen, TONES } from "./screen.ts";

/** What became of a drawing: rows, of which none is wider than `width`. */
export type DrawRows = (pen: Pen, width: number) => string[];

/**
 * A row on the screen. It keeps what it drew until its inputs, the width or the colours change, and never
 * throws: pi would end with it.
 */
export class Row implements Component {
  readonly #screen: Screen;
  readonly palette: Palette;
  #inputs: readonly unknown[] = [];
  #draw: DrawRows = () => [];
  #drawn: { lines: string[]; width: number; colours: string } | undefined;
  #coloursKnown = true;

  constructor(screen: Screen, palette: Palette) {
    this.#screen = screen;
    this.palette = palette;
  }

  /** Draws by `draw` from now on; `inputs` are all it depends on besides width and colours. */
  show(inputs: readonly unknown[], draw: DrawRows): this {
    const same =
      inputs.length === this.#inputs.length && inputs.every((input, at) => input === this.#inputs[at]);
    if (!same) this.#drawn = undefined;
    this.#inputs = inputs;
    this.#draw = draw;
    return this;
  }

  /** pi calls it when the theme changed, and on every tick of a running row. */
  invalidate(): void {
    this.#coloursKnown = false;
  }

  render(width: number): string[] {
    if (this.#drawn?.width !== width || !this.#coloursKnown) {
      const colours = TONES.map((tone) => this.palette.fg(tone, "x")).join("");
      this.#coloursKnown = true;
      if (this.#drawn?.width !== width || this.#drawn.colours !== colours)
        this.#drawn = { lines: this.#lines(width), width, colours };
    }
    return this.#drawn.lines;
  }

  #lines(width: number): string[] {
    const pen = new Pen(this.#screen, this.palette);
    try {
      return this.#draw(pen, width);
    } catch {
      // Details that nobody foresaw: the session goes on without this row.
      return [pen.draw([{ text: "(cannot be shown)", tone: "dim" }], width)];
    }
  }
}
