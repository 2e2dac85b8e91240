/** A terminal's screen as an SVG: cells on a grid, in the colours of a dark terminal. */

import type { Cell, CellColour, TerminalScreen } from "../../tests/pi/terminal-screen.ts";

const CELL = { width: 8, height: 17 };
const PADDING = 10;
const BACKGROUND = "#16181d";
const FOREGROUND = "#d5d8de";
/** The terminal's own sixteen colours. */
const PALETTE =
  "#20242c #e0606d #7fbf6a #d9b45f #5f9fe0 #b583d9 #4fb3bf #c8ccd4 #6b7280 #f07f8b #9cd98a #ecca7e #82b7f0 #cda2ec #74cdd8 #ffffff".split(
    " ",
  );

/** Rows `from` to `to` of the screen, blank ones at the end left out. */
export function screenSvg(screen: TerminalScreen, rows: { from: number; to: number }): string {
  const lines = Array.from({ length: rows.to - rows.from }, (_, index) => rowOf(screen, rows.from + index));
  const width = screen.size.columns * CELL.width + 2 * PADDING;
  const height = lines.length * CELL.height + 2 * PADDING;
  const drawn = lines.flatMap((cells, y) => drawRow(cells, PADDING + y * CELL.height));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`,
    `<rect width="100%" height="100%" rx="6" fill="${BACKGROUND}"/>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

const rowOf = (screen: TerminalScreen, y: number): Cell[] =>
  Array.from({ length: screen.size.columns }, (_, x) => screen.cell(x, y));

/** A run of cells of one look. */
interface Run {
  x: number;
  cells: number;
  text: string;
  look: Cell;
}

function drawRow(cells: readonly Cell[], top: number): string[] {
  const runs: Run[] = [];
  cells.forEach((cell, x) => {
    const last = runs.at(-1);
    if (cell.width === 0 && last) last.cells += 1;
    // Wide and rare characters stand by themselves, since fonts differ in their widths.
    else if (last && isAlike(last.look, cell) && isPlain(cell.text) && isPlain(last.text)) {
      last.text += cell.text || " ";
      last.cells += 1;
    } else runs.push({ x, cells: 1, text: cell.text || " ", look: cell });
  });
  return runs.flatMap((run) => drawRun(run, top));
}

const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

function isAlike(one: Cell, other: Cell): boolean {
  const keys = ["foreground", "background", "bold", "dim", "inverse"] as const;
  return keys.every((key) => one[key] === other[key]);
}

function drawRun({ x, cells, text, look }: Run, top: number): string[] {
  const left = PADDING + x * CELL.width;
  const width = cells * CELL.width;
  const [front, back] = look.inverse
    ? [colour(look.background, BACKGROUND), colour(look.foreground, FOREGROUND)]
    : [colour(look.foreground, FOREGROUND), colour(look.background, BACKGROUND)];
  const parts: string[] = [];
  if (back !== BACKGROUND)
    parts.push(`<rect x="${left}" y="${top}" width="${width}" height="${CELL.height}" fill="${back}"/>`);
  if (text.trim() !== "") {
    const weight = look.bold ? ' font-weight="bold"' : "";
    const faint = look.dim ? ' opacity="0.6"' : "";
    const fitted = ` textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
    parts.push(
      `<text x="${left}" y="${top + 13}" fill="${front}"${weight}${faint}${fitted} xml:space="preserve">${escaped(text)}</text>`,
    );
  }
  return parts;
}

function colour(value: CellColour, otherwise: string): string {
  if (value === "default") return otherwise;
  return typeof value === "string" ? value : (PALETTE[value] ?? FOREGROUND);
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
