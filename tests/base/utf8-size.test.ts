import { expect, test, vi } from "vitest";

const TEXTS = [
  "",
  "plain",
  "é",
  "€uro",
  "😀 and a",
  "\u0000\u007f\u0080\u07ff\u0800\uffff",
  "a".repeat(1_000) + "é",
];

test.each(["with Node's Buffer", "without it"])(
  "a text takes the bytes that UTF-8 gives it, %s",
  async (how) => {
    const { Buffer } = globalThis;
    if (how === "without it") vi.stubGlobal("Buffer", undefined);
    vi.resetModules();
    const { isWithin, utf8Length } = await import("../../src/base/utf8-size.ts");
    vi.unstubAllGlobals();
    for (const text of TEXTS) {
      const bytes = Buffer.from(text).length;
      expect(utf8Length(text)).toBe(bytes);
      expect([isWithin(text, bytes), isWithin(text, bytes - 1)]).toEqual([true, false]);
    }
  },
);
