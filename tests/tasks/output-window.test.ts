/** Windows of an output file (spec 3.4; fault 29). */

import { execFileSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type OutputWish, readOutput } from "../../src/tasks/output-window.ts";

const folder = mkdtempSync(join(tmpdir(), "ptc-window-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "output.log");

const decode = (bytes: Uint8Array): string => new TextDecoder("utf8", { ignoreBOM: true }).decode(bytes);

function read(content: string | Uint8Array, wish: OutputWish) {
  writeFileSync(path, content);
  return readOutput(path, wish);
}

/** What a reader gets who asks for page after page. */
function readAll(content: Uint8Array, wish: Omit<OutputWish, "since">) {
  writeFileSync(path, content);
  const pages: { text: string; bytes: number }[] = [];
  for (let since = 0; since < content.length;) {
    const part = readOutput(path, { ...wish, since });
    if (!part.ok) throw new Error(part.problem);
    expect(part.end).toBeGreaterThan(since);
    pages.push({ text: part.text, bytes: part.end - since });
    since = part.end;
  }
  return pages;
}

describe("pages", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\u{10ffff}"), maxLength: 40 });
  const bytes = fc.oneof(
    text.map((part) => Buffer.from(part)),
    fc.uint8Array({ maxLength: 40 }),
    fc
      .tuple(text, fc.uint8Array({ maxLength: 6 }), text)
      .map(([a, b, c]) => Buffer.concat([Buffer.from(a), b, Buffer.from(c)])),
  );

  test("put together are the whole, whatever the bytes and however small the pages", () => {
    fc.assert(
      fc.property(
        bytes,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        (content, maxBytes, maxLines) => {
          const pages = readAll(content, { maxBytes, maxLines, isOver: true });
          expect(pages.map((page) => page.text).join("")).toBe(decode(content));
          for (const page of pages) {
            expect(page.bytes <= maxBytes || [...page.text].length === 1).toBe(true);
            expect(page.text.replace(/\n$/, "").split("\n").length).toBeLessThanOrEqual(maxLines);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("begin at characters: an offset inside one is refused with the nearest that is not", () => {
    fc.assert(
      fc.property(bytes, fc.nat(40), (content, at) => {
        const since = Math.min(at, content.length);
        const isBoundary = (place: number): boolean =>
          decode(content.subarray(0, place)) + decode(content.subarray(place)) === decode(content);
        const part = read(content, { since, maxBytes: 5, isOver: true });
        expect(part.ok).toBe(isBoundary(since));
        if (part.ok) return;
        const [, offset, near] =
          /^sinceBytes (\d+) lies inside a character; the nearest boundary is (\d+)$/.exec(part.problem) ??
          [];
        expect([Number(offset), isBoundary(Number(near))]).toEqual([since, true]);
        expect(Math.abs(Number(near) - since)).toBeLessThanOrEqual(2);
        expect(isBoundary(since - 1) || isBoundary(since + 1) ? 1 : 2).toBe(Math.abs(Number(near) - since));
      }),
      { numRuns: 500 },
    );
  });

  test("of a file that grows meet every character whole", () => {
    const content = Buffer.from("a😀b€");
    let since = 0;
    let seen = "";
    for (let size = 0; size <= content.length; size += 1) {
      const part = read(content.subarray(0, size), { since, maxBytes: 100 });
      if (!part.ok) throw new Error(part.problem);
      seen += part.text;
      since = part.end;
    }
    expect([seen, since]).toEqual(["a😀b€", content.length]);
  });

  test("at the end are empty, and behind it an error that names the size", () => {
    expect(read("abc", { since: 3, maxBytes: 10 })).toEqual({
      ok: true,
      text: "",
      start: 3,
      end: 3,
      size: 3,
    });
    expect(read("ab\u20ac".slice(0, 2), { since: 2, maxBytes: 1 })).toMatchObject({ text: "", end: 2 });
    expect(read("abc", { since: 4, maxBytes: 10 })).toEqual({
      ok: false,
      problem: "sinceBytes 4 is beyond the end: the output has 3 bytes so far",
    });
  });

  test("smaller than a character still bring one", () => {
    expect(read("😀x", { since: 0, maxBytes: 1 })).toMatchObject({ text: "😀", start: 0, end: 4 });
    expect(read("a😀x", { since: 0, maxBytes: 3 })).toMatchObject({ text: "a", end: 1 });
    expect(read("😀x", { since: 4, maxBytes: 1 })).toMatchObject({ text: "x", end: 5 });
  });

  test("say that an offset in a character half written is before it", () => {
    const half = Buffer.from("a😀").subarray(0, 4);
    expect(read(half, { since: 3, maxBytes: 10 })).toEqual({
      ok: false,
      problem: "sinceBytes 3 lies inside a character; the nearest boundary is 1",
    });
    expect(read(half, { since: 1, maxBytes: 10 })).toMatchObject({ text: "", end: 1, size: 4 });
    expect(read(half, { since: 1, maxBytes: 10, isOver: true })).toMatchObject({ text: "\ufffd", end: 4 });
  });
});

describe("the end of the output", () => {
  test.each([
    ["abc", { maxBytes: 10 }, "abc", 0],
    ["abcdef", { maxBytes: 3 }, "def", 3],
    ["ab😀c", { maxBytes: 4 }, "c", 6],
    ["ab😀c", { maxBytes: 5 }, "😀c", 2],
    ["1\n2\n3\n", { maxBytes: 100, maxLines: 2 }, "2\n3\n", 2],
    ["1\n2\n3", { maxBytes: 100, maxLines: 2 }, "2\n3", 2],
    ["1\n2\n3", { maxBytes: 100, maxLines: 3 }, "1\n2\n3", 0],
    ["1\n\n\n", { maxBytes: 100, maxLines: 2 }, "\n\n", 2],
    ["", { maxBytes: 100, maxLines: 2 }, "", 0],
    ["\n", { maxBytes: 100, maxLines: 1 }, "\n", 0],
  ])("of %j within %j", (content, bounds, text, start) => {
    const size = Buffer.byteLength(content);
    expect(read(content, bounds)).toEqual({ ok: true, text, start, end: size, size });
  });

  test("waits for a character half written, until nothing more comes", () => {
    const half = Buffer.from("ab€").subarray(0, 4);
    expect(read(half, { maxBytes: 100 })).toMatchObject({ text: "ab", end: 2, size: 4 });
    expect(read(half, { maxBytes: 100, isOver: true })).toMatchObject({ text: "ab\ufffd", end: 4, size: 4 });
  });
});

describe("a file that is", () => {
  test("not there is an empty output", () => {
    const nowhere = join(folder, "none", "output.log");
    expect(readOutput(nowhere, { since: 0, maxBytes: 5 })).toEqual({
      ok: true,
      text: "",
      start: 0,
      end: 0,
      size: 0,
    });
    expect(readOutput(nowhere, { maxBytes: 5 })).toMatchObject({ ok: true, size: 0 });
    expect(readOutput(nowhere, { since: 1, maxBytes: 5 })).toMatchObject({ ok: false });
  });

  test("a link, a pipe or a folder is not read, nor one behind a linked folder", () => {
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(join(folder, "secret"), join(folder, "link"));
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "output.log"), "secret");
    symlinkSync(join(folder, "real"), join(folder, "linked"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const name of ["link", "pipe", "real", join("linked", "output.log")]) {
      const part = readOutput(join(folder, name), { maxBytes: 100 });
      expect(part).toMatchObject({ ok: false, problem: expect.stringContaining(join(folder, name)) });
    }
  });

  test("1.2 GB large is read only where it was asked for", () => {
    const descriptor = openSync(path, "w");
    ftruncateSync(descriptor, 1_200_000_000);
    writeSync(descriptor, "needle", 600_000_000);
    closeSync(descriptor);
    const before = process.memoryUsage.rss();
    const part = readOutput(path, { since: 600_000_000, maxBytes: 65_536 });
    expect(part).toMatchObject({ ok: true, start: 600_000_000, end: 600_065_536, size: 1_200_000_000 });
    expect(part.ok && part.text.startsWith("needle\0")).toBe(true);
    expect(readOutput(path, { maxBytes: 1_000 })).toMatchObject({ ok: true, start: 1_199_999_000 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1_048_576);
  });
});
