import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText, cutLine } from "../../src/base/plain-text.ts";

const RUNS = { seed: 20_260_417, numRuns: 2_000 };

test("clean text is returned as it is", () => {
  const text = "tab\there\nnaïve — 日本語 👩‍👩‍👧‍👦 e\u0301 \u00a0 \ufeff end";
  expect(cleanText(text)).toBe(text);
  expect(cleanText("")).toBe("");
});

test.each([
  ["a colour", "\x1b[31mred\x1b[0m", "red"],
  ["a 256-colour sequence with colons", "\x1b[38:5:196mred\x1b[m", "red"],
  ["cursor movement and erasing", "a\x1b[2K\x1b[1Gb\x1b[?25l", "ab"],
  ["a CSI with an intermediate byte", "a\x1b[2 qb", "ab"],
  ["an 8-bit CSI", "a\x9b31mb", "ab"],
  ["a CSI without its end", "a\x1b[38;5", "a"],
  ["a CSI broken off by a line break", "a\x1b[38;5\nb", "a\nb"],
  ["a window title ended by BEL", "a\x1b]0;title\x07b", "ab"],
  ["a link ended by ST", "\x1b]8;;https://example.org\x1b\\text\x1b]8;;\x1b\\", "text"],
  ["an OSC in 8-bit form", "a\x9d0;title\x9cb", "ab"],
  ["a device control string of several lines", "a\x1bPq#0;2\n#1\x1b\\b", "ab"],
  ["a device control string in 8-bit form", "a\x90q#0\x9cb", "ab"],
  ["SOS, PM and APC strings", "a\x1bXone\x1b\\b\x1b^two\x1b\\c\x1b_three\x1b\\d", "abcd"],
  ["a character set choice", "a\x1b(Bb", "ab"],
  ["keypad mode, save and reset", "a\x1b=b\x1b7c\x1bcd", "abcd"],
  ["a lone escape at the end", "a\x1b", "a"],
  ["a doubled escape", "a\x1b\x1b[31mb", "ab"],
])("%s is removed as a whole", (_name, text, expected) => {
  expect(cleanText(text)).toBe(expected);
});

test("C0 controls, DEL and C1 go, tabs and line breaks stay", () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).filter(
    (c) => c !== "\x1b",
  );
  const c1 = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0x80 + index));
  // CSI would take the letter behind it along; it has its own test.
  const letters = [...controls, "\x7f", ...c1.filter((c) => c !== "\x9b")].map((c) => `${c}.`).join("");
  expect(cleanText(letters).replaceAll(".", "")).toBe("\t\n");
});

test("CRLF becomes LF and a lone carriage return goes", () => {
  expect(cleanText("one\r\ntwo\rthree\r")).toBe("one\ntwothree");
});

test("marks that reorder text are removed", () => {
  const marks = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c";
  expect(cleanText([...marks].map((mark) => `x${mark}`).join(""))).toBe("x".repeat(12));
});

test("a zero-width joiner stays, for emoji are made with it", () => {
  expect(cleanText("👩\u200d💻")).toBe("👩\u200d💻");
});

test("lone surrogates go and pairs stay", () => {
  expect(cleanText("a\ud83db\udc4dc👍\ud83d")).toBe("abc👍");
  expect(cleanText("\ud83d\ud83d\udc4d")).toBe("👍");
});

test("an unterminated OSC takes at most the short rest of its line", () => {
  expect(cleanText("a\x1b]0;never ended\nsecond\nthird")).toBe("a\nsecond\nthird");
  expect(cleanText("a\x1b]0;never ended")).toBe("a");
  const long = "x".repeat(100_000);
  expect(cleanText(`a\x1b]0;${long}`)).toBe(`a0;${long}`);
  expect(cleanText(`a\x1b]0;${long}\x07b`)).toBe("ab");
});

test("a BEL on a later line does not end an OSC", () => {
  expect(cleanText("a\x1b]0;t\nkept\x07b")).toBe("a\nkeptb");
});

test("mis-decoded UTF-8 loses its controls, not the text behind them", () => {
  // The UTF-8 bytes of “quoted” text, each read as one Latin-1 character.
  const text = Buffer.from("“quoted” and more").toString("latin1");
  expect(cleanText(text)).toBe("âquotedâ and more");
});

test("a sequence that is interrupted by another one ends there", () => {
  expect(cleanText("\x1b]0;title\x1b[31mred\x1b[0m")).toBe("red");
});

const awkward = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\x1b",
        "\x1b[",
        "\x1b]",
        "\x1bP",
        "\x9b",
        "\x9d",
        "\x90",
        "\x9c",
        "\x07",
        "\x1b\\",
        "\r",
        "\n",
        "\t",
      ),
      fc.constantFrom("\ud83d", "\udc4d", "👍", "é", "\u202e", "\u200d", "31m", "0;", " ", "/"),
      fc.string({ unit: "binary", maxLength: 4 }),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

test("whatever goes in, no control, bidi mark or lone surrogate comes out, and cleaning again changes nothing", () => {
  fc.assert(
    fc.property(awkward, (text) => {
      const clean = cleanText(text);
      for (const character of clean) {
        const code = character.codePointAt(0) as number;
        const control = (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code <= 0x9f);
        const bidi = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        expect(control || bidi || [0x061c, 0x200e, 0x200f].includes(code)).toBe(false);
      }
      expect(clean.isWellFormed()).toBe(true);
      expect(cleanText(clean)).toBe(clean);
    }),
    RUNS,
  );
});

test("text without a special character is never touched", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."aZ09 \t\n[];\\é日👍") }), (text) => {
      expect(cleanText(text)).toBe(text);
    }),
    RUNS,
  );
});

test("a line of at most the limit stays whole", () => {
  expect(cutLine("x".repeat(200))).toBe("x".repeat(200));
  expect(cutLine("", 5)).toBe("");
});

test("a longer line ends in an ellipsis within the limit", () => {
  expect(cutLine("x".repeat(201))).toBe(`${"x".repeat(199)}…`);
  expect(cutLine("abcdef", 4)).toBe("abc…");
  expect(cutLine("abcdef", 1)).toBe("…");
  expect(cutLine("abcdef", 0)).toBe("");
});

test.each([
  ["a surrogate pair", "abc👍def", 5, "abc…"],
  ["a letter and its accent", "abe\u0301def", 4, "ab…"],
  ["a family of joined emoji", "ab👩‍👩‍👧‍👦cd", 9, "ab…"],
  ["a flag", "a🇩🇪bcd", 4, "a…"],
  ["the second of two flags", "🇩🇪🇫🇷abc", 7, "🇩🇪…"],
  ["a skin tone", "a👍🏽bcd", 4, "a…"],
  ["a Hangul syllable of parts", "a\u1112\u1161\u11abbcd", 3, "a…"],
])("a cut never lands inside %s", (_name, line, limit, expected) => {
  expect(cutLine(line, limit)).toBe(expected);
});

test("a cut lands right behind a grapheme that just fits", () => {
  expect(cutLine("abe\u0301def", 5)).toBe("abe\u0301…");
  expect(cutLine("a👍bc", 4)).toBe("a👍…");
});

test("a single grapheme longer than the limit is cut at a code point", () => {
  expect(cutLine(`e${"\u0301".repeat(50)}`, 10)).toBe(`e${"\u0301".repeat(8)}…`);
  expect(cutLine(`👩${"\u200d👩".repeat(50)}`, 9)).toBe("👩\u200d👩\u200d👩…".slice(0, 8) + "…");
});

test("a cut of a cleaned coloured line leaves no part of a colour sequence", () => {
  const line = Array.from({ length: 60 }, () => "\x1b[38;5;196mred \x1b[0m").join("");
  expect(cutLine(cleanText(line))).toBe(`${"red ".repeat(60).slice(0, 199)}…`);
});

test("a cut keeps within its limit, keeps pairs whole and cuts only where the platform sees a boundary", () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const characters = fc.constantFrom(
    "a",
    " ",
    "é",
    "e\u0301",
    "👍🏽",
    "👩‍👩‍👧",
    "🇩🇪",
    "日",
    "\u0301",
    "\u200d",
    "한",
    "\r\n",
    "क्षि",
  );
  fc.assert(
    fc.property(
      fc.string({ unit: characters, maxLength: 40 }),
      fc.integer({ min: 0, max: 60 }),
      (line, limit) => {
        const cut = cutLine(line, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        if (cut === line || limit < 1) return;
        expect(cut.endsWith("…")).toBe(true);
        const kept = cut.slice(0, -1);
        expect(line.startsWith(kept)).toBe(true);
        const boundaries = [...segmenter.segment(line)].map(({ index }) => index);
        const fitting = boundaries.filter((index) => index <= limit - 1);
        // Where a single grapheme fills the limit any code point will do.
        if ((fitting.at(-1) ?? 0) > 0) expect(kept.length).toBe(fitting.at(-1));
      },
    ),
    RUNS,
  );
});
