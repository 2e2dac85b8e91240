import { describe, expect, test } from "vitest";
import { completePtc, parsePtc, USAGE } from "../../src/surface/ptc-command.ts";

describe("/ptc", () => {
  test.each([
    ["", { kind: "status" }],
    ["  ", { kind: "status" }],
    ["on", { kind: "mode", mode: "on" }],
    [" off ", { kind: "mode", mode: "off" }],
    ["tasks", { kind: "tasks" }],
    ["surface", { kind: "surface" }],
    ["surface  off", { kind: "set-surface", surface: "off" }],
    ["surface subagents", { kind: "set-surface", surface: "subagents" }],
    ["surface\tfull", { kind: "set-surface", surface: "full" }],
    ["surface auto", { kind: "set-surface", surface: "auto" }],
  ])("%j is understood", (args, request) => {
    expect(parsePtc(args)).toEqual(request);
  });

  test.each([
    "status",
    "On",
    "on off",
    "onn",
    "surface both",
    "surface full now",
    "task",
    "--help",
    "__proto__",
    "constructor",
  ])("%j is an error with the usage line", (args) => {
    expect(parsePtc(args)).toEqual({ kind: "wrong", problem: expect.stringContaining(USAGE) });
  });

  test.each([
    ["surfce full", "surface full"],
    ["offf", "off"],
    ["surface ful", "surface full"],
    ["surface subagent", "surface subagents"],
  ])("%j is probably meant to be %j", (args, meant) => {
    expect(parsePtc(args)).toMatchObject({ problem: expect.stringContaining(`did you mean /ptc ${meant}?`) });
  });

  test("a long text is cut in the answer", () => {
    expect(JSON.stringify(parsePtc("x".repeat(5_000))).length).toBeLessThan(300);
  });
});

describe("completion", () => {
  const values = (prefix: string): string[] | undefined => completePtc(prefix)?.map(({ value }) => value);

  test("offers the next word", () => {
    expect(values("")).toEqual(["on", "off", "tasks", "surface"]);
    expect(values("o")).toEqual(["on", "off"]);
    expect(values("su")).toEqual(["surface"]);
    expect(values("surface ")).toEqual(["surface off", "surface subagents", "surface full", "surface auto"]);
    expect(values("surface  s")).toEqual(["surface subagents"]);
  });

  test("has nothing for a whole word, so that Enter sends it", () => {
    for (const whole of ["on", "off", "surface", "surface full"]) expect(completePtc(whole)).toBeNull();
  });

  test("has nothing for what is no beginning", () => {
    expect([values("x"), values("on "), values("surface full ")]).toEqual([undefined, undefined, undefined]);
    expect(completePtc("x")).toBeNull();
  });
});
