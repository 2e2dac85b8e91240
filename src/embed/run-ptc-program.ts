/** Running one program without a pi session. */

import { truncateTail } from "@earendil-works/pi-coding-agent";
import { configProblems, DEFAULT_CONFIG, type PtcConfig, resolveConfig } from "../base/limits.ts";
import { openOutputFolder } from "../base/output-folder.ts";
import { isObject } from "../base/settings-file.ts";
import type { Binding, Json, PtcRunOutcome, RunProgress } from "../program/outcome.ts";
import { createProgramRunner } from "../program/run-program.ts";
import type { BackgroundTaskRuntime } from "./background-runtime.ts";
import { bindingProblems, checkedBinding } from "./check-bindings.ts";
import { FUNCTION, OBJECT, oneOf, refuse, shapeProblems, type Shapes, TEXT } from "./check-shape.ts";
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

const CALLER = "runPtcProgram";
const OPTIONS: Shapes<keyof RunPtcProgramOptions> = {
  code: { wanted: "a string", fits: (value) => typeof value === "string", required: true },
  bindings: { wanted: "an array, as createBuiltinBindings makes it", fits: Array.isArray, required: true },
  tool: oneOf(["run", "workflow"]),
  args: { wanted: "JSON", fits: () => true },
  cwd: TEXT,
  // Not `instanceof`: one of another realm does as well.
  signal: {
    wanted: "an AbortSignal",
    fits: (value) => isObject(value) && typeof value["addEventListener"] === "function" && "aborted" in value,
  },
  config: OBJECT,
  runtime: {
    wanted: "one that createBackgroundTaskRuntime made",
    fits: (value) => value instanceof EmbeddedRuntime,
  },
  onUpdate: FUNCTION,
};

function optionProblems(options: RunPtcProgramOptions): string[] {
  const hint = (key: string): string | undefined =>
    Object.hasOwn(DEFAULT_CONFIG, key)
      ? `; it is a limit and belongs into config (config.${key})`
      : undefined;
  const problems = shapeProblems("options", options, OPTIONS, { hint });
  if (problems.length > 0) return problems;
  return [...configProblems("config", options.config), ...bindingProblems(options.bindings)];
}

/**
 * Runs one program in a worker of its own; a fault of the program is an outcome. Rejects with a `TypeError` for
 * options that are none, such as a `config` out of range or a binding without `call`. Text that was cut is in a private temp file that the outcome names.
 *
 * Children of `pi.dispatch` are counted for each run by itself, `dispatchConcurrency` and the 64 of a tree alike, and end with it.
 * `ptc.json` is not read; another pi for them is named by `PI_PTC_COMMAND`.
 */
export async function runPtcProgram(options: RunPtcProgramOptions): Promise<PtcRunOutcome> {
  refuse(CALLER, optionProblems(options));
  const runtime = options.runtime as EmbeddedRuntime | undefined;
  const config = Object.freeze({ ...resolveConfig(options.config), spares: 0 });
  const children = openRunChildren(config, runtime);
  const bindings = options.bindings.map((binding) =>
    binding instanceof EmbeddedDispatch ? binding.forRun(children) : checkedBinding(binding),
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
