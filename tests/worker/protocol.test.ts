import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asWorkerFrame, plainFailure } from "../../src/worker/protocol.ts";

const DONE = { kind: "done", jsonOmitted: false, warnings: [], store: {} };
const GOOD = [
  { kind: "ready", version: 1 },
  { kind: "call", id: 1, name: "read", args: null },
  { kind: "call", id: 2, name: "", args: { a: [1] } },
  { kind: "find", id: 1, what: "search", query: "" },
  { kind: "find", id: 1, what: "describe", query: "x" },
  ...["log", "info", "warn", "error", "debug"].map((level) => ({ kind: "log", level, text: "x" })),
  { kind: "log", level: "log", text: "x", more: true },
  { kind: "narration", text: "" },
  { kind: "phase", title: "one" },
  { kind: "value", text: "x" },
  DONE,
  { ...DONE, json: "1", warnings: ["w"], store: { a: "1", b: null } },
  { ...DONE, error: { kind: "exception", message: "m", excerpt: "" } },
  { ...DONE, error: { kind: "output-limit", message: "m", excerpt: "" } },
];

test.each(GOOD)("%j is a frame", (frame) => {
  expect(asWorkerFrame(frame)).toBe(frame);
});

describe("no frame", () => {
  test.each([
    null,
    undefined,
    1,
    "ready",
    [],
    {},
    { kind: 1 },
    { kind: "boo" },
    { kind: "__proto__" },
    { kind: "constructor" },
    { kind: "toString" },
    { kind: "ready" },
    { kind: "ready", version: "1" },
    { kind: "call", id: 1, name: "x" },
    { kind: "call", id: 1, args: {} },
    { kind: "find", id: 1, what: "delete", query: "" },
    { kind: "find", id: 1, what: "search" },
    { kind: "log", level: "loud", text: "x" },
    { kind: "log", level: "log", text: ["x"] },
    { kind: "narration" },
    { kind: "phase", title: null },
    { kind: "value", text: { length: 1e9 } },
    { ...DONE, jsonOmitted: "no" },
    { ...DONE, warnings: "w" },
    { ...DONE, warnings: [1] },
    { ...DONE, store: null },
    { ...DONE, store: [] },
    { ...DONE, store: { a: 1 } },
    { ...DONE, json: { a: 1 } },
    { ...DONE, error: "boom" },
    { ...DONE, error: { kind: "timeout", message: "m", excerpt: "" } },
    { ...DONE, error: { kind: "exception", message: 1, excerpt: "" } },
    { ...DONE, error: { kind: "exception", message: "m" } },
  ])("is %j", (value) => {
    expect(asWorkerFrame(value)).toBeUndefined();
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53, "1", null, {}])("has the id %j", (id) => {
    expect(asWorkerFrame({ kind: "call", id, name: "x", args: {} })).toBeUndefined();
    expect(asWorkerFrame({ kind: "find", id, what: "search", query: "x" })).toBeUndefined();
  });

  test("makes the guard throw, whatever JSON it is", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void asWorkerFrame(value)));
    const kinds = GOOD.map(({ kind }) => kind);
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.dictionary(fc.string(), fc.jsonValue()), (kind, fields) => {
        const frame = asWorkerFrame({ ...fields, kind });
        expect(frame === undefined || frame.kind === kind).toBe(true);
      }),
    );
  });
});

test("a plain failure carries its message as the tool's text", () => {
  expect(plainFailure("no")).toEqual({
    message: "no",
    content: [{ type: "text", text: "no" }],
    details: null,
  });
});
