import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openBytes, unitAt, unitStart } from "../../src/tasks/utf8-units.ts";

/** Bytes in which whole, broken and cut-off characters stand side by side. */
const messyBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: "binary", maxLength: 3 }).map((text) => Buffer.from(text)),
      fc.constantFrom("é", "€", "😀", "a\n").map((text) => Buffer.from(text)),
      fc.constantFrom([0xe0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90], [0xc0, 0xaf], [0xf0, 0x9f, 0x98]),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Uint8Array.from(part))));

const decode = (bytes: Uint8Array): string => new TextDecoder("utf8", { ignoreBOM: true }).decode(bytes);

function unitsOf(bytes: Uint8Array): number[] {
  const starts = [];
  for (let at = 0; at < bytes.length; at += unitAt(bytes, at).length) starts.push(at);
  return starts;
}

describe("units of UTF-8", () => {
  test("decode one by one to the text of the whole, whatever the bytes are", () => {
    fc.assert(
      fc.property(messyBytes, (bytes) => {
        const starts = unitsOf(bytes);
        const pieces = starts.map((start, index) => decode(bytes.subarray(start, starts[index + 1])));
        expect(pieces.join("")).toBe(decode(bytes));
        for (const piece of pieces) expect([...piece]).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });

  test("are found from any place inside them", () => {
    fc.assert(
      fc.property(messyBytes, (bytes) => {
        const starts = unitsOf(bytes);
        for (let at = 0; at < bytes.length; at += 1)
          expect(unitStart(bytes, at)).toBe(starts.findLast((start) => start <= at));
        expect(unitStart(bytes, bytes.length)).toBe(bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  test.each(["é", "€", "😀"])("that end early are known: %s", (character) => {
    const whole = Buffer.from(`x${character}`);
    expect(openBytes(whole)).toBe(0);
    for (let end = 2; end < whole.length; end += 1) expect(openBytes(whole.subarray(0, end))).toBe(end - 1);
  });

  test.each([
    [[], 0],
    [[0x80, 0x80, 0x80, 0x80], 0],
    [[0xff], 0],
    [[0xc0], 0],
    [[0xe0, 0x80], 0],
    [[0x61, 0xed, 0xa0], 0],
  ])("that can never be completed are not waited for: %j", (bytes, open) => {
    expect(openBytes(Uint8Array.from(bytes))).toBe(open);
  });
});
