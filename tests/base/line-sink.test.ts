import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineSink } from "../../src/base/line-sink.ts";

/** The lines that come of these writes. */
function linesOf(...chunks: (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const sink = lineSink((text) => lines.push(...text.split("\n")));
  for (const chunk of chunks) sink.write(chunk);
  sink.flush();
  return lines;
}

describe("lines", () => {
  test("are whole whatever the pieces, and a last one needs no newline", () => {
    expect(linesOf("ha", "lf\nne", "xt", "\n", "la", "st")).toEqual(["half", "next", "last"]);
  });

  test("that are empty stay, but no line follows the last newline", () => {
    expect(linesOf("\n\na\n\n")).toEqual(["", "", "a", ""]);
    expect(linesOf("")).toEqual([]);
    expect(linesOf()).toEqual([]);
  });

  test("are cleaned as one, so that a colour may come in pieces", () => {
    expect(linesOf("\u001b[3", "1mred", "\u001b[0", "m\r\n")).toEqual(["red"]);
  });

  test("are the same for any pieces of any bytes of UTF-8", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\r", "")),
        fc.array(fc.nat(), { maxLength: 10 }),
        (text, places) => {
          const bytes = Buffer.from(text.toWellFormed());
          const cuts = [
            0,
            ...places.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b),
            bytes.length,
          ];
          const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
          expect(linesOf(...chunks)).toEqual(linesOf(bytes));
        },
      ),
    );
  });
});

test("a line without end is handed over in parts, with nothing lost", () => {
  const parts: string[] = [];
  const sink = lineSink((text) => parts.push(text));
  for (let index = 0; index < 40; index += 1) sink.write("x".repeat(100_000));
  expect(parts.length).toBeGreaterThan(1);
  sink.flush();
  expect(parts.join("")).toBe("x".repeat(4_000_000));
});

test("what Node's streams take is taken: bytes, texts and other encodings", () => {
  const lines: string[] = [];
  const sink = lineSink((text) => lines.push(text));
  sink.write(new Uint8Array([104, 105, 10]));
  sink.write("aGk=\n", "base64");
  sink.flush();
  expect(lines).toEqual(["hi", "hi"]);
});
