import { beforeEach, describe, expect, test } from "vitest";
import { Output, OutputLimitError } from "../../src/worker/output.ts";
import { FakeChannel } from "./fake-channel.ts";

let channel: FakeChannel;
let limits: OutputLimitError[];
beforeEach(() => {
  channel = new FakeChannel();
  limits = [];
});
const output = (maxBytes = 1_000_000): Output => new Output(channel, maxBytes, (error) => limits.push(error));

describe("what a program prints", () => {
  test("goes out entry by entry", () => {
    const out = output();
    out.log("warn", "two\nlines");
    out.narrate("said\u001b[1m");
    out.phase("first\nphase");
    out.value(["a", "b"]);
    expect(channel.frames).toEqual([
      { kind: "log", level: "warn", text: "two\nlines" },
      { kind: "narration", text: "said", more: false },
      { kind: "phase", title: "first phase" },
      { kind: "value", text: "a" },
      { kind: "value", text: "b" },
    ]);
  });

  test("in one long entry goes out in pieces that tell they belong together, no character cut", () => {
    const text = `${"x".repeat(65_535)}😀${"y".repeat(70_000)}`;
    output().log("log", text);
    const pieces = channel.of("log");
    expect(pieces.map(({ text: piece }) => piece).join("")).toBe(text);
    expect(pieces.map(({ more }) => more)).toEqual([true, true, false]);
    for (const { text: piece } of pieces) expect(piece.isWellFormed()).toBe(true);
  });
});

describe("the limit", () => {
  test("counts bytes of logs, narration, phases and value together", () => {
    const out = output(40);
    out.log("log", "é".repeat(5));
    out.narrate("123456789");
    out.phase("123456789");
    expect(limits).toEqual([]);
    expect(() => out.value(["123456789"])).toThrow(OutputLimitError);
    expect(channel.of("value")).toEqual([]);
  });

  test("is told once, and nothing goes out after it", () => {
    const out = output(10);
    out.log("log", "12345");
    out.log("log", "67890");
    out.log("log", "");
    out.narrate("x");
    out.phase("x");
    expect(limits.map(({ message }) => message)).toEqual([
      "the program's logs, narration and value are over 10 bytes (maxOutputBytes)",
    ]);
    expect(channel.frames).toHaveLength(1);
  });

  test("ends an endless loop over empty entries, too", () => {
    const out = output(1_000);
    for (let index = 0; index < 5_000; index += 1) out.log("log", "");
    expect(channel.frames).toHaveLength(1_000);
    expect(limits).toHaveLength(1);
  });

  test("is known by what it is", () => {
    expect(OutputLimitError.is(new OutputLimitError(1))).toBe(true);
    expect(OutputLimitError.is(Object.create(OutputLimitError.prototype))).toBe(false);
    expect(OutputLimitError.is(null)).toBe(false);
  });
});

test("of many warnings the first fifty are kept and the others counted", () => {
  const out = output();
  for (let index = 0; index < 60; index += 1) out.warn(`w${index}`);
  expect(out.warnings).toHaveLength(51);
  expect(out.warnings.slice(49)).toEqual(["w49", "10 more warnings were left out"]);
});

test("of many phases the first thousand go out, and that is said", () => {
  const out = output();
  for (let index = 0; index < 1_500; index += 1) out.phase(`p${index}`);
  expect(channel.of("phase")).toHaveLength(1_000);
  expect(out.warnings).toEqual(["only the first 1000 phases are kept"]);
});
