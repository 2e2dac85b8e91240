/** Frames of a worker: bytes as they come over its pipe, through the run and into what the model reads. */

import { truncateTail } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { encodeFrames, FrameReader } from "../../src/base/frame-codec.ts";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { Execution } from "../../src/program/execution.ts";
import { outcomeOf } from "../../src/program/finish-outcome.ts";
import type { PtcRunOutcome } from "../../src/program/outcome.ts";
import type { RunRequest } from "../../src/program/request.ts";
import type { Vessel } from "../../src/program/vessel.ts";
import { programResult } from "../../src/tools/program-result.ts";
import { plainFailure } from "../../src/worker/protocol.ts";
import type { HostFrame, RunFrame } from "../../src/worker/protocol.ts";
import { mangledBytes, mangledJson, piecesOf } from "./mangled.ts";
import { foundInputs, type FuzzTarget, must, target } from "./target.ts";

const FRAMES = [
  { kind: "call", id: 1, name: "echo", args: { path: "a" } },
  { kind: "call", id: 2, name: "fails", args: null },
  { kind: "call", id: 3, name: "missing", args: [] },
  { kind: "find", id: 4, what: "search", query: "read" },
  { kind: "find", id: 5, what: "describe", query: "read" },
  { kind: "log", level: "warn", text: "careful" },
  { kind: "log", level: "log", text: "first part", more: true },
  { kind: "narration", text: "on it" },
  { kind: "phase", title: "one" },
  { kind: "value", text: '{"a":1}' },
  { kind: "done", jsonOmitted: false, json: '{"a":1}', warnings: ["w"], store: { key: "1", gone: null } },
  {
    kind: "done",
    jsonOmitted: true,
    warnings: [],
    store: {},
    error: { kind: "exception", message: "boom", excerpt: "1 | x" },
  },
];
const KINDS = new Set(["exception", "output-limit", "out-of-memory", "protocol", "abort", "worker-exit"]);
const MAX_MESSAGE_BYTES = 262_144;
const RULES = { truncateTail, outputDir: () => Promise.reject(new Error("no folder")) };

/** Takes everything and counts the answers. */
function quietVessel(answered: Map<number, number>): Vessel {
  return {
    kind: "process",
    listen: () => undefined,
    post: (frame: HostFrame) => {
      if (frame.kind === "reply") answered.set(frame.id, (answered.get(frame.id) ?? 0) + 1);
      return undefined;
    },
    hold: () => undefined,
    flush: () => undefined,
    end: async () => undefined,
  };
}

const REQUEST: RunRequest = {
  tool: "run",
  source: "return 1",
  cwd: "/",
  bindings: [
    {
      name: "echo",
      call: async () => ({ ok: true, value: { content: [{ type: "text", text: "well" }], details: null } }),
    },
    { name: "fails", call: async () => ({ ok: false, failure: plainFailure("no") }) },
  ] as RunRequest["bindings"],
  find: (what, query) => ({ what, query }),
  onProgress: (progress) => void JSON.stringify(progress()),
};

async function playFrames(input: { bytes: Buffer; sizes: readonly number[] }): Promise<void> {
  const answered = new Map<number, number>();
  const startedAt = performance.now();
  const execution = new Execution({
    vessel: quietVessel(answered),
    request: REQUEST,
    config: DEFAULT_CONFIG,
    frame: { kind: "run" } as RunFrame,
    timeoutMs: 60_000,
    startedAt,
  });
  const ending = execution.run();
  const reader = new FrameReader(
    MAX_MESSAGE_BYTES,
    (frame) => execution.onFrame(frame),
    (message) => execution.onEnd({ kind: "protocol", message }),
    true,
  );
  for (const piece of piecesOf(input)) reader.push(piece);
  await new Promise(setImmediate);
  execution.abandon("the input is over");
  const end = await ending;
  const outcome = await outcomeOf({
    execution,
    end,
    request: REQUEST,
    rules: RULES,
    startedAt,
    queuedMs: 0,
  });
  checkOutcome(outcome);
  for (const times of answered.values()) must(times === 1, "no call is answered twice");
}

function checkOutcome(outcome: PtcRunOutcome): void {
  must(outcome.ok === (outcome.error === undefined), "a run is good or has an error");
  if (outcome.error) must(KINDS.has(outcome.error.kind), `${outcome.error.kind} is one of the kinds`);
  must(Buffer.byteLength(outcome.text) <= 51_200, "the text is within pi's bytes");
  must(outcome.text.split("\n").length <= 2_001, "the text is within pi's lines");
  const { total, failed } = outcome.calls;
  must(failed <= total && outcome.subCalls.length <= Math.min(total, 200), "the calls add up");
  const result = programResult({ tool: "ptc_run_code", description: "d", source: "return 1" }, outcome);
  must(typeof JSON.stringify(result) === "string", "the result is JSON");
}

const frame = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...FRAMES) },
  { weight: 2, arbitrary: mangledJson(...FRAMES) },
);
const bytesOf = (frames: readonly unknown[]) =>
  encodeFrames(frames.map((one) => JSON.stringify(one) ?? "null"));
const stream = fc.array(frame, { maxLength: 8 }).map(bytesOf);

export const workerFrames = (): FuzzTarget =>
  target("worker frames", mangledBytes(stream), playFrames, {
    found: foundInputs<unknown[]>("worker frames").map((frames) => ({ bytes: bytesOf(frames), sizes: [] })),
  });
