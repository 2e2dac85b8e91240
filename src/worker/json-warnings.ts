/** Warnings about parts of a returned value, each with the path of the part: `result.a[2] is a Map`. */

import { cleanText, cutLine } from "../base/plain-text.ts";
import { slice, stringify } from "../base/primordials.ts";
import { isIdentifier } from "./value-kind.ts";

const MAX_WARNINGS = 20;
const MAX_KEY = 60;
const MAX_PATH = 160;

/** A container on the way to the part, and which of its children is the next one on the way. */
interface PathStep {
  at: string | number;
}

/** At most 20 warnings, then one that counts the others. */
export class WarningList {
  readonly #texts: string[] = [];
  #uncounted = 0;

  /** One warning about the part at `path`. Past the first 20 they are only counted. */
  add(path: readonly PathStep[], what: string): void {
    if (this.#texts.length < MAX_WARNINGS) this.#texts[this.#texts.length] = `${pathText(path)} ${what}`;
    else this.#uncounted += 1;
  }

  /** One warning like another that was added already. */
  count(): void {
    this.#uncounted += 1;
  }

  list(): string[] {
    if (this.#uncounted > 0) this.#texts[this.#texts.length] = `…and ${this.#uncounted} more`;
    return this.#texts;
  }
}

/** From `result` on; a long path keeps its end, where the part is. */
function pathText(path: readonly PathStep[]): string {
  let text = "";
  for (let index = path.length - 1; index >= 0; index -= 1) {
    text = stepText((path[index] as PathStep).at) + text;
    if (text.length > MAX_PATH && index > 0) return `result…${text}`;
  }
  return `result${text}`;
}

function stepText(at: string | number): string {
  if (typeof at === "number") return `[${at}]`;
  const key = cutLine(cleanText(slice(at, 0, 4 * MAX_KEY)), MAX_KEY);
  return isIdentifier(key) ? `.${key}` : `[${stringify(key)}]`;
}
