import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { TailBuffer } from "../../src/children/tail-buffer.ts";

const tailOf = (maxBytes: number, ...chunks: string[]): string => {
  const tail = new TailBuffer(maxBytes);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text();
};

test("what fits is kept whole", () => {
  expect(tailOf(8)).toBe("");
  expect(tailOf(8, "one", " two")).toBe("one two");
  expect(tailOf(8, "12345678")).toBe("12345678");
});

test("of more, the last bytes are kept, and no half character at their front", () => {
  expect(tailOf(8, "123", "456", "789")).toBe("23456789");
  expect(tailOf(5, "aéé", "é")).toBe("éé");
  expect(tailOf(6, "a😀😀")).toBe("😀");
  expect(tailOf(3, "😀")).toBe("");
});

test("a character that chunks cut in two is whole again", () => {
  const tail = new TailBuffer(64);
  for (const byte of Buffer.from("naïve 😀")) tail.push(Buffer.of(byte));
  expect(tail.text()).toBe("naïve 😀");
});

test("it is the end of the whole, however it came", () => {
  const bytes = fc.array(fc.string({ maxLength: 12 }), { maxLength: 30 });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 40 }), (chunks, maxBytes) => {
      const whole = chunks.join("");
      const text = tailOf(maxBytes, ...chunks);
      expect(whole.toWellFormed().endsWith(text)).toBe(true);
      const size = Buffer.byteLength(text);
      expect(size).toBeLessThanOrEqual(maxBytes);
      if (Buffer.byteLength(whole) > maxBytes) expect(size).toBeGreaterThan(maxBytes - 4);
    }),
  );
});

test("an endless stream takes no more memory than the bound and one chunk", async () => {
  const tail = new TailBuffer(65_536);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let n = 0; n < 4_000; n += 1) tail.push(Buffer.alloc(65_536, n));
  // Memory is given back by a thread of its own.
  await vi.waitFor(() => {
    collect();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 65_536);
  });
  expect(tail.text()).toHaveLength(65_536);
});
