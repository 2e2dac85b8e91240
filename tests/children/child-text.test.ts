import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedTail, boundedText, cutToBytes } from "../../src/children/child-text.ts";

describe("a bounded text", () => {
  test("is cleaned, and whole where it fits", () => {
    expect(boundedText("\u001b[31mred\u001b[0m\u0000", 100)).toBe("red");
    expect(boundedTail("\u001b[31mred\u001b[0m\u0000", 100)).toBe("red");
  });

  test("keeps its beginning, its tail its end, and the cut shows", () => {
    expect(boundedText("abcdef", 4)).toBe("abc…");
    expect(boundedTail("abcdef", 4)).toBe("…def");
  });

  test("is never cut inside a pair", () => {
    expect(boundedText("a😀😀", 4)).toBe("a😀…");
    expect(boundedText("a😀😀", 3)).toBe("a…");
    expect(boundedTail("😀😀a", 4)).toBe("…😀a");
    expect(boundedTail("😀😀a", 3)).toBe("…a");
  });
});

describe("a text cut to bytes", () => {
  test("is itself where it fits", () => {
    expect(cutToBytes("naïve", 6)).toBe("naïve");
  });

  test("keeps the whole characters that fit", () => {
    expect(cutToBytes("naïve", 3)).toBe("na");
    expect(cutToBytes("ab😀", 5)).toBe("ab");
  });

  test("is the longest beginning within the bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, maxBytes) => {
        const cut = cutToBytes(text, maxBytes);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        const next = String.fromCodePoint(text.codePointAt(cut.length) ?? 0);
        if (cut !== text) expect(Buffer.byteLength(cut + next)).toBeGreaterThan(maxBytes);
      }),
    );
  });
});
