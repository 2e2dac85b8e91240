/** Outcomes and other values that several tool tests start from. */

import type { PtcRunOutcome, SubCallRecord } from "../../src/program/outcome.ts";

/** A program that returned 47. */
export const SUCCESS: PtcRunOutcome = {
  ok: true,
  text: "47",
  value: 47,
  valueOmitted: false,
  valuePreview: "47",
  logs: "one\ntwo",
  logsTruncated: false,
  narrations: ["said"],
  phases: ["first", "second"],
  warnings: [],
  subCalls: [],
  calls: { total: 3, failed: 1 },
  images: [],
  imageCount: 0,
  store: {},
  durationMs: 12,
  queuedMs: 3,
};

/** A program that threw. */
export const FAILURE: PtcRunOutcome = {
  ...SUCCESS,
  ok: false,
  error: { kind: "exception", message: "boom", excerpt: "" },
  text: "code run failed (exception): boom",
  value: undefined,
  valuePreview: "",
};

export const subCall = (id: number, more: Partial<SubCallRecord> = {}): SubCallRecord => ({
  id,
  name: "read",
  args: "path: a",
  status: "ok",
  startedMs: id,
  durationMs: 1,
  ...more,
});
