import { expect, test } from "vitest";
import { bytes, countOf, dollars, duration, elapsed, tokens } from "../../src/render/facts.ts";

test.each([
  [0, "0ms"],
  [536, "536ms"],
  [999, "999ms"],
  [1_420, "1.42s"],
  [59_990, "59.99s"],
  [60_000, "1m 00s"],
  [125_400, "2m 05s"],
  [3_600_000, "1h 00m"],
  [3_725_000, "1h 02m"],
  [Number.NaN, "0ms"],
  [-5, "0ms"],
])("%d ms lasted %s", (ms, shown) => expect(duration(ms)).toBe(shown));

test.each([
  [0, "0s"],
  [999, "0s"],
  [14_900, "14s"],
  [59_400, "59s"],
  [75_000, "1m 15s"],
])("%d ms have gone by as %s", (ms, shown) => expect(elapsed(ms)).toBe(shown));

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [3_400, "3.4 KB"],
  [51_200, "51 KB"],
  [1_200_000_000, "1.2 GB"],
  [999_950, "1.0 MB"],
])("%d bytes are %s", (count, shown) => expect(bytes(count)).toBe(shown));

test.each([
  [812, "812"],
  [3_400, "3.4k"],
  [56_300, "56k"],
  [1_200_000, "1.2M"],
])("%d tokens are %s", (count, shown) => expect(tokens(count)).toBe(shown));

test.each([
  [0.0042, "$0.0042"],
  [0.09, "$0.0900"],
  [1.366, "$1.37"],
])("%d US dollars are %s", (amount, shown) => expect(dollars(amount)).toBe(shown));

test("counts agree with their nouns", () => {
  expect([0, 1, 2].map((count) => countOf(count, "line"))).toEqual(["0 lines", "1 line", "2 lines"]);
});
