import fc from "fast-check";
import { expect, test } from "vitest";
import { LineReader } from "../../src/children/line-reader.ts";

const MiB = 1_048_576;

interface Read {
  lines: string[];
  skipped: number[];
}

/** Everything a reader makes of these chunks. */
function read(chunks: Iterable<Buffer>, maxLineBytes?: number): Read {
  const got: Read = { lines: [], skipped: [] };
  const reader = new LineReader({
    maxLineBytes,
    onLine: (line) => got.lines.push(line),
    onSkipped: (_reason, bytes) => got.skipped.push(bytes),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return got;
}

function* pieces(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

test.each([
  ["LF ends a line", "one\ntwo\n", ["one", "two"]],
  ["CR before LF goes", "one\r\ntwo\r\n", ["one", "two"]],
  ["only one CR goes, and only right before LF", "a\rb\r\r\nc", ["a\rb\r", "c"]],
  ["a last line needs no LF", "one\ntwo", ["one", "two"]],
  ["a CR at the very end is no line end", "one\r", ["one\r"]],
  ["empty lines are lines", "\n\r\none\n\n", ["", "", "one", ""]],
  ["nothing is no line", "", []],
  [
    "no other separator ends a line",
    '"a\u2028b\u2029c\u0085d\ve\ff"\n"g"\n',
    ['"a\u2028b\u2029c\u0085d\ve\ff"', '"g"'],
  ],
  ["a BOM at the very start goes", "\ufeffone\n\ufefftwo\n", ["one", "\ufefftwo"]],
  ["a BOM alone is an empty line", "\ufeff\n", [""]],
  ["only the first of two BOMs goes", "\ufeff\ufeffone\n", ["\ufeffone"]],
  ["characters of two, three and four bytes", "é — 日本語 👩‍💻\n", ["é — 日本語 👩‍💻"]],
])("%s, split at every byte", (_name, input, expected) => {
  const bytes = Buffer.from(input);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)]).lines).toEqual(expected);
  }
  expect(read(pieces(bytes, 1)).lines).toEqual(expected);
});

test("what is no UTF-8 is replaced, as the platform's decoder does it", () => {
  const bytes = Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x0a, 0xf0, 0x9f, 0x91, 0x62, 0xc0, 0x0a, 0xe2, 0x82]);
  const expected = [
    [0x61, 0xff, 0xe2, 0x82],
    [0xf0, 0x9f, 0x91, 0x62, 0xc0],
    [0xe2, 0x82],
  ].map((line) => new TextDecoder().decode(Buffer.from(line)));
  expect(read([bytes]).lines).toEqual(expected);
  expect(read(pieces(bytes, 1)).lines).toEqual(expected);
});

test("a line may be as long as the limit and not a byte longer, wherever the chunks end", () => {
  for (const size of [1, 3, 4, 5, 100]) {
    const bytes = Buffer.from("12345\n123456\nab\n1234567\nlast");
    expect(read(pieces(bytes, size), 5), `chunks of ${size}`).toEqual({
      lines: ["12345", "ab", "last"],
      skipped: [6, 7],
    });
  }
});

test("a last line that is too long is counted too", () => {
  expect(read(pieces(Buffer.from("ab\n1234567"), 2), 5)).toEqual({ lines: ["ab"], skipped: [7] });
});

test("what comes after the end is ignored", () => {
  const lines: string[] = [];
  const reader = new LineReader({ onLine: (line) => lines.push(line), onSkipped: () => undefined });
  reader.push(Buffer.from("one"));
  reader.end();
  reader.push(Buffer.from(" more\nlate\n"));
  reader.end();
  expect(lines).toEqual(["one"]);
});

test("a chunk may be written over once it was taken", () => {
  const chunk = Buffer.from("one");
  const lines: string[] = [];
  const reader = new LineReader({ onLine: (line) => lines.push(line), onSkipped: () => undefined });
  reader.push(chunk);
  chunk.fill("x");
  reader.push(Buffer.from("\n"));
  expect(lines).toEqual(["one"]);
});

test("a line of 30 MB comes whole, also after short ones that were cut by chunks", () => {
  const long = `${"é".repeat(5_000_000)}${"x".repeat(20_000_000)}`;
  const { lines, skipped } = read(pieces(Buffer.from(`short\n${long}\nshort again\n`), 65_536));
  expect(lines.map((line) => line.length)).toEqual([5, long.length, 11]);
  expect(lines[1] === long).toBe(true);
  expect(skipped).toEqual([]);
});

test("500 MiB without a newline take no more than 96 MiB and cost only that line", () => {
  const chunk = Buffer.alloc(65_536, "x");
  const lines: string[] = [];
  const skipped: number[] = [];
  const reader = new LineReader({
    onLine: (line) => lines.push(line),
    onSkipped: (_reason, bytes) => skipped.push(bytes),
  });
  const before = process.memoryUsage.rss();
  let peak = before;
  for (let fed = 0; fed < 500 * MiB; fed += chunk.length) {
    reader.push(chunk);
    if (fed % MiB === 0) peak = Math.max(peak, process.memoryUsage.rss());
  }
  reader.push(Buffer.from("\n{}\n"));
  expect((peak - before) / MiB).toBeLessThan(96);
  expect(skipped).toEqual([500 * MiB]);
  expect(lines).toEqual(["{}"]);
});

test("a long line in chunks of one byte takes about as much memory as its bytes", () => {
  const bytes = Buffer.from("x");
  const before = process.memoryUsage.rss();
  const got: number[] = [];
  const reader = new LineReader({ onLine: (line) => got.push(line.length), onSkipped: () => undefined });
  for (let fed = 0; fed < 8 * MiB; fed += 1) reader.push(bytes);
  expect((process.memoryUsage.rss() - before) / MiB).toBeLessThan(64);
  reader.end();
  expect(got).toEqual([8 * MiB]);
});

const someBytes = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("\n", "\r", "\r\n", "\ufeff", "\u2028", "é", "👩‍💻", "a") },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
  ),
  { maxLength: 40 },
);

test("any cutting into chunks gives the same lines", () => {
  fc.assert(
    fc.property(someBytes, fc.array(fc.nat(9)), fc.integer({ min: 1, max: 30 }), (parts, sizes, limit) => {
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
      const chunks: Buffer[] = [];
      let start = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(start, start + size));
        start += size;
      }
      chunks.push(bytes.subarray(start));
      expect(read(chunks, limit)).toEqual(read([bytes], limit));
    }),
    { seed: 20_260_417, numRuns: 2_000 },
  );
});

test("lines are those of a plain split of the decoded bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.nat(7), (lines, size) => {
      // Neither a BOM in front nor CR and LF inside.
      const clean = ["", ...lines.map((line) => line.replaceAll(/[\r\n]/g, ""))];
      const bytes = Buffer.from(clean.map((line) => `${line}\n`).join(""));
      expect(read(pieces(bytes, size + 1)).lines).toEqual(clean.map((line) => Buffer.from(line).toString()));
    }),
    { seed: 20_260_417, numRuns: 500 },
  );
});
