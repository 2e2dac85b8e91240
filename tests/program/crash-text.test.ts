/** V8's last words, which the model need not read, and texts that only look like them. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CrashText } from "../../src/program/crash-text.ts";

/** As Node 24 prints it. */
const LAST_WORDS = `
<--- Last few GCs --->

[3187:0x3c6b6000]      412 ms: Mark-Compact 126.9 (131.5) -> 126.4 (131.7) MB, pooled: 0 MB, 41.96 / 0.00 ms  (average mu = 0.290)

FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----
`;

let emitted: string;
let crash: CrashText;
beforeEach(() => {
  vi.useFakeTimers();
  emitted = "";
  crash = new CrashText((text) => (emitted += text));
});
afterEach(() => vi.useRealTimers());

test("ordinary text goes through at once", () => {
  crash.push("warning: low memory\n");
  expect(emitted).toBe("warning: low memory\n");
});

test.each([
  LAST_WORDS,
  "FATAL ERROR: invalid table size Allocation failed - JavaScript heap out of memory\n",
  "FATAL ERROR: invalid array length Allocation failed\n",
  "# Fatal JavaScript out of memory: MemoryChunk allocation failed\n",
])("the last words before an abort explain it and are kept from the model: %j", (text) => {
  for (const line of text.split(/(?<=\n)/)) crash.push(line);
  expect(crash.explains(true)).toBe(true);
  crash.release();
  vi.advanceTimersByTime(60_000);
  expect(emitted.trim()).toBe("");
});

test("they explain nothing when the process did not abort, and are given back", () => {
  crash.push(LAST_WORDS);
  expect(crash.explains(false)).toBe(false);
  expect(emitted).toBe(LAST_WORDS);
});

test("an abort for another reason is not explained by them", () => {
  crash.push("FATAL ERROR: v8::FromJust Maybe value is Nothing\n");
  expect(crash.explains(true)).toBe(false);
  expect(emitted).toContain("FromJust");
});

test("what only looks like them is given back after two seconds, or when it is asked for", () => {
  crash.push("FATAL ERROR: heap out of memory\n");
  crash.push("and more\n");
  expect(emitted).toBe("");
  vi.advanceTimersByTime(2_000);
  expect(emitted).toBe("FATAL ERROR: heap out of memory\nand more\n");
  crash.push("FATAL ERROR: again\n");
  crash.release();
  expect(emitted).toMatch(/again\n$/);
  expect(crash.explains(true)).toBe(false);
});

test("a flood behind such a line is not held", () => {
  crash.push("FATAL ERROR: heap out of memory\n");
  crash.push("x".repeat(70_000));
  expect(emitted.length).toBeGreaterThan(70_000);
});
