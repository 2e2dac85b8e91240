/**
 * Readable text of a returned value, in pieces. A container goes on one line when it takes at most 100
 * characters and the line it stands in at most 200; else each child gets its own line, two spaces deeper.
 * Text inside containers is quoted as in JSON; several lines of it stand between `"""`, under their key.
 *
 * The walk keeps a stack of its own and holds no more than one piece, so a huge value costs the reader
 * only what it reads. The attempt at one line gives up at the first character too many, so nested
 * containers are not measured again and again.
 */

import { cleanText } from "../base/plain-text.ts";
import { indexOf, min, pairBoundary, slice, stringify, uncurry } from "../base/primordials.ts";
import { type Cursor, openObject, resolveToJson, scalarText, Verbatim } from "./value-cursor.ts";
import { failureText } from "./value-kind.ts";

const PIECE = 65_536;
/** Characters of a string that are handled in one step. */
const STRETCH = 16_384;
const MAX_ONE_LINE = 100;
/** Lines are cut at 200; one place is left for a comma. */
const MAX_LINE = 199;
const MAX_DEPTH = 200;
/** A container used as a map's key is shown whole up to this length. */
const MAX_MAP_KEY = 1_000;
/** A string longer than this is not cleaned just to see whether it fits on a line. */
const MAX_ONE_LINE_SOURCE = 1_000;
/** `{a:1}` takes 4 characters a field and 2 between two: more fields never fit on a line. */
const MAX_ONE_LINE_FIELDS = 17;

/** The text of `value`, in pieces of at most 65,536 characters, cleaned. Never throws. */
export function* valueText(value: unknown): Generator<string> {
  const writer = new TextWriter();
  writer.begin(value);
  for (let more = true; more;) {
    more = writer.advance();
    while (writer.length >= PIECE) yield writer.take();
  }
  while (writer.length > 0) yield writer.take();
}

/** A container whose children are written one a line. */
interface BlockFrame {
  cursor: Cursor;
  indent: string;
  written: boolean;
}

/** A string of which `from` characters are written. */
interface StringFrame {
  cursor?: undefined;
  text: string;
  from: number;
  form: "raw" | "quoted" | "lines";
  indent: string;
  /** The line that `from` is in has begun. */
  inLine: boolean;
}

/** An attempt at one line: its text so far, and the characters it may take. */
interface Line {
  text: string;
  room: number;
}

const setHas = uncurry(Set.prototype.has);
const setAdd = uncurry(Set.prototype.add);

class TextWriter {
  #buffer = "";
  readonly #frames: (BlockFrame | StringFrame)[] = [];
  /** The containers around the current value, outermost first. */
  readonly #path: unknown[] = [];
  /** Containers of too many fields for one line, so that those around them need not list them again. */
  readonly #wide = new Set<unknown>();

  get length(): number {
    return this.#buffer.length;
  }

  /** Takes one piece off the text. */
  take(): string {
    const end = pairBoundary(this.#buffer, min(PIECE, this.#buffer.length));
    const piece = slice(this.#buffer, 0, end);
    this.#buffer = slice(this.#buffer, end);
    return piece;
  }

  begin(given: unknown): void {
    try {
      const value = resolveToJson(given, "");
      if (typeof value !== "string") this.#put(value, "", 0);
      else this.#frames[0] = { text: cleanText(value), from: 0, form: "raw", indent: "", inLine: false };
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Writes the next bit; false when all is written. */
  advance(): boolean {
    const frame = this.#frames[this.#frames.length - 1];
    if (!frame) return false;
    try {
      if (frame.cursor) this.#stepBlock(frame);
      else this.#stepString(frame);
      return true;
    } catch (error) {
      this.#giveUp(error);
      return false;
    }
  }

  /** Built-ins patched beyond use, or no memory left. What is written so far stays. */
  #giveUp(error: unknown): void {
    this.#buffer += `[throws: ${failureText(error)}]`;
    this.#frames.length = 0;
  }

  #stepBlock(frame: BlockFrame): void {
    const { cursor, indent } = frame;
    if (!cursor.next()) {
      this.#buffer += (frame.written ? `\n${indent}` : "") + cursor.close;
      this.#frames.length -= 1;
      this.#path.length -= 1;
      return;
    }
    const label = cursor.mapKey ? this.#mapLabel(cursor.mapKey[0]) : cursor.label;
    this.#buffer += `${frame.written ? "," : ""}\n${indent}  ${label}`;
    frame.written = true;
    this.#put(resolveToJson(cursor.value, cursor.key), `${indent}  `, label.length);
  }

  #mapLabel(key: unknown): string {
    if (typeof key === "string") return `${quoted(key)} => `;
    const line: Line = { text: "", room: MAX_MAP_KEY };
    return this.#fits(key, line) ? `${line.text} => ` : "{…} => ";
  }

  /** Writes a value behind its label, or opens a frame that will. */
  #put(value: unknown, indent: string, labelLength: number): void {
    if (typeof value === "string") return this.#putString(cleanText(value), indent);
    const line: Line = { text: "", room: min(MAX_ONE_LINE, MAX_LINE - indent.length - labelLength) };
    if (this.#fits(value, line)) {
      this.#buffer += line.text;
      return;
    }
    const opened = this.#open(value);
    if (typeof opened === "string") this.#putLines(opened, indent);
    else {
      this.#buffer += opened.open;
      this.#path[this.#path.length] = value;
      this.#frames[this.#frames.length] = { cursor: opened, indent, written: false };
    }
  }

  #putString(text: string, indent: string): void {
    if (isMultiLine(text)) {
      this.#buffer += '"""';
      this.#frames[this.#frames.length] = { text, from: 0, form: "lines", indent, inLine: false };
    } else if (text.length <= STRETCH) this.#buffer += stringify(text);
    else {
      this.#buffer += '"';
      this.#frames[this.#frames.length] = { text, from: 0, form: "quoted", indent, inLine: false };
    }
  }

  /** Text of one piece, such as an error's; further lines of it stand deeper. */
  #putLines(text: string, indent: string): void {
    let from = 0;
    for (let end = indexOf(text, "\n"); end >= 0; end = indexOf(text, "\n", from)) {
      this.#buffer += `${slice(text, from, end)}\n${indent}  `;
      from = end + 1;
    }
    this.#buffer += slice(text, from);
  }

  #stepString(frame: StringFrame): void {
    const { form } = frame;
    let stretch = slice(
      frame.text,
      frame.from,
      pairBoundary(frame.text, min(frame.from + STRETCH, frame.text.length)),
    );
    const lineEnd = form === "lines" ? indexOf(stretch, "\n") : -1;
    if (lineEnd >= 0) stretch = slice(stretch, 0, lineEnd);
    // An empty line gets no indentation.
    if (form === "lines" && !frame.inLine) this.#buffer += stretch === "" ? "\n" : `\n${frame.indent}  `;
    this.#buffer += form === "quoted" ? slice(stringify(stretch), 1, -1) : stretch;
    frame.inLine = lineEnd < 0;
    frame.from += stretch.length + (lineEnd < 0 ? 0 : 1);
    if (lineEnd >= 0 || frame.from < frame.text.length) return;
    this.#frames.length -= 1;
    if (form === "quoted") this.#buffer += '"';
    if (form === "lines") this.#buffer += `\n${frame.indent}"""`;
  }

  /** Text of anything but a string, or a cursor over its children. */
  #open(value: unknown): Cursor | string {
    if (typeof value !== "object" || value === null) return scalarText(value);
    if (Verbatim.is(value)) return value.text;
    for (let index = 0; index < this.#path.length; index += 1)
      if (this.#path[index] === value) return "[Circular]";
    const opened = openObject(value);
    if (typeof opened === "string" || this.#path.length < MAX_DEPTH) return opened;
    return `[deeper than ${MAX_DEPTH} levels]`;
  }

  /** Adds a value to a line; false as soon as it does not fit or has several lines. */
  #fits(value: unknown, line: Line): boolean {
    if (typeof value === "string") {
      if (value.length > MAX_ONE_LINE_SOURCE) return false;
      const text = cleanText(value);
      return !isMultiLine(text) && add(line, stringify(text));
    }
    if (setHas(this.#wide, value)) return false;
    const opened = this.#open(value);
    if (typeof opened === "string") return indexOf(opened, "\n") < 0 && add(line, opened);
    if (opened.fields > MAX_ONE_LINE_FIELDS && line.room <= MAX_ONE_LINE) {
      setAdd(this.#wide, value);
      return false;
    }
    this.#path[this.#path.length] = value;
    const fits = this.#childrenFit(opened, line);
    this.#path.length -= 1;
    return fits;
  }

  #childrenFit(cursor: Cursor, line: Line): boolean {
    if (!add(line, cursor.open)) return false;
    for (let first = true; cursor.next(); first = false) {
      if (!first && !add(line, ", ")) return false;
      if (!this.#labelFits(cursor, line) || !this.#fits(resolveToJson(cursor.value, cursor.key), line))
        return false;
    }
    return add(line, cursor.close);
  }

  #labelFits(cursor: Cursor, line: Line): boolean {
    if (!cursor.mapKey) return add(line, cursor.label);
    const key = cursor.mapKey[0];
    const fits =
      typeof key === "string"
        ? key.length <= MAX_ONE_LINE_SOURCE && add(line, quoted(key))
        : this.#fits(key, line);
    return fits && add(line, " => ");
  }
}

function add(line: Line, text: string): boolean {
  if (text.length > line.room) return false;
  line.text += text;
  line.room -= text.length;
  return true;
}

const quoted = (text: string): string => stringify(cleanText(text));

/** Does a line break stand anywhere but at the end? One at the end shows as `\n` in quotes. */
function isMultiLine(text: string): boolean {
  const lineEnd = indexOf(text, "\n");
  return lineEnd >= 0 && lineEnd < text.length - 1;
}
