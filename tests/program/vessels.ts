/** Runs programs for tests, on every vessel, with a few simple tools. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { truncateTail } from "@earendil-works/pi-coding-agent";
import { afterAll } from "vitest";
import { type PtcConfig, resolveConfig } from "../../src/base/limits.ts";
import type { Binding, PtcRunOutcome } from "../../src/program/outcome.ts";
import type { ProgramRunner, RunRequest, VesselKind } from "../../src/program/request.ts";
import { createProgramRunner } from "../../src/program/run-program.ts";
import { placeOf } from "../fixtures/place.ts";
import type { CallReply, Json } from "../../src/worker/protocol.ts";

export const ok = (text: string, more: object = {}): CallReply => ({
  ok: true,
  value: { content: [{ type: "text", text }], details: null, ...more },
});

/** A tool that answers with what `answer` makes of its arguments. */
export function tool(
  name: string,
  answer: (args: never, signal: AbortSignal) => CallReply | Promise<CallReply>,
): Binding {
  return { name, call: async (args: Json, { signal }) => answer(args as never, signal) };
}

export const echo = tool("echo", (args: { text?: string }) => ok(args.text ?? ""));

export const failing = tool("failing", (args: { text?: string }) => ({
  ok: false,
  failure: {
    message: args.text ?? "failed",
    content: [{ type: "text", text: args.text ?? "failed" }],
    details: { code: 3 },
  },
}));

/** Never answers by itself; `whenStarted` resolves with the first call, `canceled` those it saw canceled. */
export function sleeper(): Binding & { started: number; canceled: number; whenStarted: Promise<void> } {
  const { promise: whenStarted, resolve: markStarted } = Promise.withResolvers<void>();
  const binding = {
    name: "sleeper",
    started: 0,
    whenStarted,
    canceled: 0,
    call: (_args: Json, { signal }: { signal: AbortSignal }) => {
      binding.started += 1;
      markStarted();
      return new Promise<CallReply>((resolve) => {
        signal.addEventListener("abort", () => {
          binding.canceled += 1;
          resolve({ ok: false, failure: { message: "canceled", content: [], details: null } });
        });
      });
    },
  };
  return binding;
}

/** One runner for a file of tests; it is closed after them. */
export function testRunner(
  vessel: VesselKind,
  config: Partial<PtcConfig> = {},
  more: { outputDir?: () => Promise<string> } = {},
): ProgramRunner {
  const folders: string[] = [];
  const openFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "ptc-test-"));
    folders.push(folder);
    return folder;
  };
  const runner = createProgramRunner({
    config: resolveConfig({ spares: 0, ...config }),
    ...placeOf(vessel),
    truncateTail,
    outputDir: more.outputDir ?? openFolder,
  });
  afterAll(async () => {
    await runner.close();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  return runner;
}

/** Runs one program with `echo` and `failing` bound unless told otherwise. */
export function runWith(
  runner: ProgramRunner,
  source: string,
  request: Partial<RunRequest> = {},
): Promise<PtcRunOutcome> {
  return runner.run({ tool: "run", source, cwd: process.cwd(), bindings: [echo, failing], ...request });
}
