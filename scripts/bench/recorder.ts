/**
 * An extension for benches: a trivial tool, a loop over pi's own `ctx.executeTool`, and a record of
 * every call of the model: time from call to result, longest stall of the event loop, peak memory.
 */

import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** One measured call. */
export interface CallRecord {
  name: string;
  ms: number;
  stallMs: number;
  /** Peak resident memory over the one before the call. */
  growthMiB: number;
  isError: boolean;
  text: string;
}

const MEMORY_MS = 10;

export default function record(pi: ExtensionAPI): void {
  const path = process.env["BENCH_RECORDS"] ?? "";
  const noResult = { content: [{ type: "text" as const, text: "ok" }], details: undefined };
  pi.registerTool({
    name: "noop",
    label: "noop",
    description: "Does nothing.",
    parameters: Type.Object({}),
    execute: async () => noResult,
  });
  pi.registerTool({
    name: "host_loop",
    label: "host loop",
    description: "Calls noop 1000 times through pi itself.",
    parameters: Type.Object({ parallel: Type.Boolean() }),
    // oxlint-disable-next-line max-params -- the signature is pi's
    async execute(_id, { parallel }, _signal, _onUpdate, ctx) {
      if (parallel) await Promise.all(Array.from({ length: 1000 }, () => ctx.executeTool("noop", {})));
      else for (let i = 0; i < 1000; i += 1) await ctx.executeTool("noop", {});
      return noResult;
    },
  });
  watchCalls(pi, (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`));
}

function watchCalls(pi: ExtensionAPI, write: (entry: CallRecord) => void): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const running = new Map<string, { startedAt: number; before: number; peak: number }>();
  const sample = setInterval(() => {
    const { rss } = process.memoryUsage();
    for (const call of running.values()) call.peak = Math.max(call.peak, rss);
  }, MEMORY_MS);
  sample.unref();
  pi.on("tool_execution_start", (event) => {
    if (event.parentToolCallId !== undefined) return;
    delay.enable();
    delay.reset();
    const { rss } = process.memoryUsage();
    running.set(event.toolCallId, { startedAt: performance.now(), before: rss, peak: rss });
  });
  pi.on("tool_execution_end", (event) => {
    const call = running.get(event.toolCallId);
    if (!call) return;
    const ms = performance.now() - call.startedAt;
    running.delete(event.toolCallId);
    const block = event.result?.content?.[0];
    write({
      name: event.toolName,
      ms,
      stallMs: delay.max / 1e6,
      growthMiB: (call.peak - call.before) / 1_048_576,
      isError: event.isError,
      text: block?.type === "text" ? block.text.slice(0, 200) : "",
    });
    delay.disable();
  });
}
