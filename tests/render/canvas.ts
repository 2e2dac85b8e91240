/** A screen for tests of rows: pi's own measure, and colours that can be seen or left out. */

import * as tui from "@earendil-works/pi-tui";
import { screenOf } from "../../src/extension/rows.ts";
import { Pen } from "../../src/render/pen.ts";
import type { Palette, Screen } from "../../src/render/screen.ts";

export const SCREEN: Screen = { ...screenOf({ tui }), fileExists: (path) => path === "/there" };

/** Rows as they read. */
export const PLAIN: Palette = { fg: (_tone, text) => text, bold: (text) => text };

/** Rows with the sequences of a real theme. */
export const COLOURED: Palette = {
  fg: (_tone, text) => `\u001b[38;5;12m${text}\u001b[39m`,
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
};

/** Rows in which every piece names its colour, as `<error>text</>`. */
export const NAMED: Palette = { fg: (tone, text) => `<${tone}>${text}</>`, bold: (text) => `*${text}*` };

export const plainPen = (): Pen => new Pen(SCREEN, PLAIN);

/** The text of a row without its colours. */
export const bare = (row: string): string => row.replaceAll(/\u001b\[[0-9;]*m/g, "");
