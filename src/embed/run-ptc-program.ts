/** Running one program without a pi session. */

import { truncateTail } from "@earendil-works/pi-coding-agent";
import { type PtcConfig, resolveConfig } from "../base/limits.ts";
import { openOutputFolder } from "../base/output-folder.ts";
import type { Binding, Json, PtcRunOutcome, RunProgress } from "../program/outcome.ts";
import { createProgramRunner } from "../program/run-program.ts";
import type { BackgroundTaskRuntime } from "./background-runtime.ts";
import { EmbeddedRuntime } from "./embedded-runtime.ts";
import { EmbeddedDispatch, openRunChildren } from "./dispatch-binding.ts";

/** One program to run. */
export interface RunPtcProgramOptions {
  /** Body of an async function, JS or TS. */
  code: string;
  /** `run` (default), or `workflow` for the globals `args log phase parallel pipeline`. */
  tool?: "run" | "workflow";
  /** What the program may call. */
  bindings: readonly Binding[];
  /** Plain JSON for a workflow's `args`. Default null. */
  args?: Json;
  /** The program's folder. Default: that of this process. */
  cwd?: string;
  /** Stops the program. */
  signal?: AbortSignal;
  /** Limits that differ from `DEFAULT_CONFIG`. `timeoutMs` is the program's deadline. */
  config?: Partial<PtcConfig>;
  /**
   * Holds the children: they count there instead of under `dispatchConcurrency` and `maxDispatchDepth` of `config`, and
   * `pi.dispatch` takes `background: true`. Of `createBackgroundTaskRuntime`.
   */
  runtime?: BackgroundTaskRuntime;
  /** Called on every change while the program runs, with a function that takes a snapshot. */
  onUpdate?: (progress: () => RunProgress) => void;
}

/**
 * Runs one program in a worker of its own; a fault of the program is an outcome. Rejects with a `TypeError` for
 * options that are none, such as a `config` out of range. Text that was cut is in a private temp file that the outcome names.
 *
 * Children of `pi.dispatch` are counted for each run by itself, `dispatchConcurrency` and the 64 of a tree alike, and end with it.
 * `ptc.json` is not read; another pi for them is named by `PI_PTC_COMMAND`.
 */
export async function runPtcProgram(options: RunPtcProgramOptions): Promise<PtcRunOutcome> {
  if (typeof options.code !== "string")
    throw new TypeError(`runPtcProgram: code is a ${typeof options.code}; it must be a string`);
  if (!Array.isArray(options.bindings))
    throw new TypeError("runPtcProgram: bindings must be an array, as createBuiltinBindings makes it");
  const { runtime } = options;
  if (runtime !== undefined && !(runtime instanceof EmbeddedRuntime))
    throw new TypeError("runPtcProgram: runtime must be one that createBackgroundTaskRuntime made");
  const config = resolveConfig({ ...options.config, spares: 0 });
  const children = openRunChildren(config, runtime);
  const bindings = options.bindings.map((binding) =>
    binding instanceof EmbeddedDispatch ? binding.forRun(children) : binding,
  );
  const runner = createProgramRunner({ config, truncateTail, outputDir: openOutputFolder() });
  try {
    return await runner.run({
      tool: options.tool ?? "run",
      source: options.code,
      cwd: options.cwd ?? process.cwd(),
      bindings,
      ...(options.args === undefined ? {} : { args: options.args }),
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.onUpdate ? { onProgress: options.onUpdate } : {}),
    });
  } finally {
    await Promise.all([runner.close(), children.live.close("the program has ended")]);
  }
}
