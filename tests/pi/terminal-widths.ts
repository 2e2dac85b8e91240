/** Widths of characters for xterm, whose own are those of Unicode 6: emoji of today would be one cell, families six. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { IUnicodeVersionProvider } from "@xterm/headless";

const JOINER = 0x200d;
const EMOJI_STYLE = 0xfe0f;
/** Remembered of the first half of a flag. */
const FLAG = 1;

/** Widths as pi counts them, and as terminals that know grapheme clusters draw. */
export const PI_WIDTHS: IUnicodeVersionProvider = {
  version: "pi",
  wcwidth: widthOf,
  charProperties: propertiesOf,
};

function widthOf(codepoint: number): 0 | 1 | 2 {
  return Math.min(2, visibleWidth(String.fromCodePoint(codepoint))) as 0 | 1 | 2;
}

/**
 * xterm's word for a character after another: what to remember of it, its cells, and whether it joins the one
 * before. `before` is the word for that one, 0 at the start of a stretch.
 */
function propertiesOf(codepoint: number, before: number): number {
  const [state, width] = [before >> 3, (before >> 1) & 3];
  const character = String.fromCodePoint(codepoint);
  const ownWidth = widthOf(codepoint);
  const extending = ownWidth === 0 || (width === 2 && /\p{Emoji_Modifier}/u.test(character));
  const isFlag = /\p{Regional_Indicator}/u.test(character);
  const completes =
    state === JOINER ? /\p{Extended_Pictographic}/u.test(character) : state === FLAG && isFlag;
  const joins = before !== 0 && (extending || completes);
  const joined = codepoint === EMOJI_STYLE ? 2 : Math.max(width, ownWidth);
  const kept = codepoint === JOINER ? JOINER : isFlag && !joins ? FLAG : 0;
  return (kept << 3) | ((joins ? joined : ownWidth) << 1) | (joins ? 1 : 0);
}
