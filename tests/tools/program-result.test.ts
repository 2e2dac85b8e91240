import * as fc from "fast-check";
import { Type } from "typebox";
import { Check } from "typebox/value";
import { describe, expect, test } from "vitest";
import type { PtcRunOutcome } from "../../src/program/outcome.ts";
import { programOutputSchema } from "../../src/tools/output-schema.ts";
import { programResult } from "../../src/tools/program-result.ts";
import { FAILURE, subCall, SUCCESS } from "./outcomes.ts";

const TITLE = { tool: "ptc_run_code", description: "Count things" } as const;
const schema = programOutputSchema(Type);
const KIB_128 = 131_072;

describe("the result of a program that succeeded", () => {
  test("is text, images, details and data", () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    expect(
      programResult(TITLE, { ...SUCCESS, images: [image], imageCount: 1, subCalls: [subCall(1)] }),
    ).toEqual({
      content: [{ type: "text", text: "47" }, image],
      details: {
        tool: "ptc_run_code",
        description: "Count things",
        running: false,
        result: "47",
        value: 47,
        totals: { result: 0, logs: 2, narrations: 1, phases: 2, warnings: 0 },
        logs: ["one", "two"],
        narrations: ["said"],
        phases: ["first", "second"],
        warnings: [],
        subCalls: [subCall(1)],
        calls: { total: 3, failed: 1 },
        imageCount: 1,
        durationMs: 12,
        queuedMs: 3,
      },
      structuredContent: {
        ok: true,
        value: 47,
        logs: "one\ntwo",
        duration_ms: 12,
        calls: { total: 3, failed: 1 },
      },
    });
  });

  test("lists printed lines, of which an ending newline makes no more", () => {
    expect(programResult(TITLE, { ...SUCCESS, logs: "one\n\ntwo\n" }).details.logs).toEqual([
      "one",
      "",
      "two",
    ]);
    expect(programResult(TITLE, { ...SUCCESS, logs: "" }).details.logs).toEqual([]);
  });

  test("has no key for what is not there, and reports no usage", () => {
    const result = programResult(TITLE, { ...SUCCESS, value: undefined, valuePreview: "" });
    expect(Object.keys(result.structuredContent ?? {})).toEqual(["ok", "logs", "duration_ms", "calls"]);
    expect(result.details).not.toHaveProperty("result");
    expect(result).not.toHaveProperty("usage");
    expect(result).not.toHaveProperty("isError");
  });

  test("keeps a value of null, and names the file of one that was left out", () => {
    expect(programResult(TITLE, { ...SUCCESS, value: null }).structuredContent).toHaveProperty("value", null);
    const data = programResult(TITLE, {
      ...SUCCESS,
      value: undefined,
      valueOmitted: true,
      fullOutputPath: "/tmp/x",
    }).structuredContent;
    expect(data).toMatchObject({ value_omitted: true, full_output_path: "/tmp/x" });
    expect(data).not.toHaveProperty("value");
  });

  test("shows late warnings under the text and in the details", () => {
    const result = programResult(TITLE, { ...SUCCESS, warnings: ["early"] }, ["late"]);
    expect(result.content[0]?.text).toBe("47\nWarning: late");
    expect(result.details.warnings).toEqual(["early", "late"]);
  });

  test("is never without text", () =>
    expect(programResult(TITLE, { ...SUCCESS, text: " " }).content[0]?.text).not.toBe(" "));
});

describe("the result of a program that failed", () => {
  test("is an error result that keeps details and data", () => {
    const result = programResult(TITLE, { ...FAILURE, value: 3, logsTruncated: true });
    expect(result.isError).toBe(true);
    expect(result.details.error).toEqual({ kind: "exception", message: "boom" });
    expect(result.structuredContent).toEqual({
      ok: false,
      error: { kind: "exception", message: "boom" },
      logs: "one\ntwo",
      logs_truncated: true,
      duration_ms: 12,
      calls: { total: 3, failed: 1 },
    });
  });

  test("has no data when it was refused, so that scripts get a rejection", () => {
    const result = programResult(TITLE, {
      ...FAILURE,
      error: { kind: "refused", message: "no", excerpt: "" },
    });
    expect(result).not.toHaveProperty("structuredContent");
    expect(result.isError).toBe(true);
  });
});

describe("whatever the outcome", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 50 }),
    fc
      .tuple(fc.constantFrom("\u0000", "\ud800", "é", "😀", '"', "a", "\n"), fc.nat(40_000))
      .map(([unit, times]) => unit.repeat(times)),
  );
  const list = fc.array(text, { maxLength: 20 });
  const call = fc.record({
    id: fc.nat(),
    name: text,
    args: text,
    status: fc.constantFrom("queued", "running", "ok", "error", "canceled"),
    startedMs: fc.double(),
    durationMs: fc.double(),
    error: text,
  });
  const outcome = fc.record({
    ok: fc.boolean(),
    error: fc.option(
      fc.record({ kind: fc.constantFrom("exception", "timeout"), message: text, excerpt: text }),
      { nil: undefined },
    ),
    text,
    fullOutputPath: fc.option(text, { nil: undefined }),
    valueOmitted: fc.boolean(),
    valuePreview: text,
    logs: text,
    logsTruncated: fc.boolean(),
    narrations: list,
    phases: list,
    warnings: list,
    subCalls: fc.array(call, { maxLength: 40 }),
    calls: fc.record({ total: fc.nat(), failed: fc.nat() }),
    images: fc.constant([]),
    imageCount: fc.nat(),
    store: fc.constant({}),
    durationMs: fc.nat(),
    queuedMs: fc.nat(),
  });

  test("details stay under 128 KiB and the data fits its schema", () => {
    fc.assert(
      fc.property(outcome, text, (made, description) => {
        const result = programResult(
          { tool: "ptc_workflow", description },
          made as unknown as PtcRunOutcome,
          made.warnings,
        );
        expect(Buffer.byteLength(JSON.stringify(result.details))).toBeLessThan(KIB_128);
        expect(Check(schema, result.structuredContent)).toBe(true);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test("details are under 128 KiB when every part is at its worst", () => {
    const worst = "\ud800".repeat(200_000);
    const many = Array.from({ length: 500 }, () => worst.slice(0, 3_000));
    const result = programResult(
      { tool: "ptc_workflow", description: worst },
      {
        ...FAILURE,
        error: { kind: "exception", message: worst, excerpt: worst },
        fullOutputPath: worst,
        valuePreview: worst,
        logs: many.join("\n"),
        narrations: many,
        phases: many,
        warnings: many,
        subCalls: many.map((line, id) =>
          subCall(id, { name: line, args: line, error: line, status: "error" }),
        ),
      },
    );
    const bytes = Buffer.byteLength(JSON.stringify(result.details));
    expect(bytes).toBeLessThan(KIB_128);
    expect(bytes).toBeGreaterThan(80_000);
    expect(result.details).not.toHaveProperty("fullOutputPath");
  });

  test("running and failed calls are kept before finished ones, in order", () => {
    const subCalls = Array.from({ length: 600 }, (_, id) =>
      subCall(id, {
        args: "x".repeat(400),
        ...(id === 5 ? { status: "error", error: "bad" } : id === 7 ? { status: "running" } : {}),
      }),
    );
    const kept = programResult(TITLE, { ...SUCCESS, subCalls }).details.subCalls.map((record) => record.id);
    expect(kept.slice(0, 2)).toEqual([5, 7]);
    expect(kept.at(-1)).toBe(599);
    expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  });
});
