/** Fault 32 in a real pi: what other extensions' gates, handlers and tools may do to a program. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PiHome, type Played, program, type ToolEnd } from "../pi/real-pi.ts";

/** A program for each tool of odd-extension.ts. */
const NAMES = [
  "gate_throws",
  "gate_rejects",
  "gate_rewrites",
  "result_throws",
  "result_fails",
  "result_heals",
  "nothing",
  "null",
  "no_content",
  "null_content",
  "text_content",
  "blocks",
  "throws_text",
] as const;
const HANGING = ["gate_hangs", "result_hangs"] as const;

const call = (name: string, more: object = {}) =>
  program(
    `return await tools.odd_${name}({}).then((value) => ({ value }), (error) => ({ error: error.message, is: error instanceof ToolCallError }))`,
    more,
  );

let pi: PiHome;
let played: Played;
let ends: Record<string, ToolEnd>;
beforeAll(async () => {
  pi = await PiHome.open();
  const steps = [
    ...NAMES.map((name) => [call(name)]),
    ...HANGING.map((name) => [call(name, { timeoutMs: 600 })]),
    [program("return 'still here'")],
  ];
  played = await pi.play({ extensions: ["odd-extension.ts"], steps });
  const names = [...NAMES, ...HANGING, "last"];
  ends = Object.fromEntries(names.map((name, index) => [name, played.ends[index] as ToolEnd]));
}, 90_000);
afterAll(() => pi.close());

const valueOf = (name: string): unknown => ends[name]?.result.structuredContent?.["value"];

describe("a program whose call", () => {
  test.each(["gate_throws", "gate_rejects"])("meets a gate that breaks (%s) does not get through", (name) => {
    expect(valueOf(name)).toEqual({ error: expect.stringContaining("the gate broke"), is: true });
  });

  test("meets a gate that changes its arguments runs with those", () => {
    expect(valueOf("gate_rewrites")).toMatchObject({ value: { content: [{ text: "rewritten" }] } });
  });

  test("meets a result handler that breaks gets the original result", () => {
    expect(valueOf("result_throws")).toEqual({
      value: { content: [{ type: "text", text: "original" }], details: { n: 1 } },
    });
  });

  test("meets a result handler that fails it or heals it gets what that says", () => {
    expect(valueOf("result_fails")).toEqual({ error: "no", is: true });
    expect(valueOf("result_heals")).toMatchObject({ value: { content: [{ text: "healed" }] } });
  });

  test.each(HANGING)("meets a handler that hangs (%s) ends at its deadline, and pi goes on", (name) => {
    expect(ends[name]).toMatchObject({
      isError: true,
      text: expect.stringContaining("(timeout): the program did not end within 600 ms"),
      result: { details: { subCalls: [{ name: `odd_${name}`, status: "canceled" }] } },
    });
    expect(ends["last"]).toMatchObject({ isError: false, text: "still here" });
  });

  test("reaches a tool without content gets an empty list", () => {
    expect(valueOf("no_content")).toEqual({ value: { content: [], details: { n: 1 } } });
    expect(valueOf("null_content")).toEqual({ value: { content: [], details: null } });
  });

  test.each(["nothing", "null", "text_content", "blocks"])(
    "reaches a tool that returns what is no result (%s) is rejected",
    (name) => {
      expect(valueOf(name)).toEqual({ error: expect.stringMatching(/./), is: true });
    },
  );

  test("reaches a tool that throws a text is rejected with it", () => {
    expect(valueOf("throws_text")).toEqual({ error: "only text", is: true });
  });
});

test("both hanging handlers were reached, and pi ended well", () => {
  expect(played.stderr.match(/^hung$/gm)).toHaveLength(2);
  expect(played.code).toBe(0);
  expect(played.requests).toHaveLength(played.ends.length + 1);
});
