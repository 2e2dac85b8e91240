/** What a run is asked for, and what a runner needs from its surroundings. */

import type { PtcConfig } from "../base/limits.ts";
import type { EngineKind } from "../base/settings.ts";
import type { Json } from "../worker/protocol.ts";
import type { Binding, PtcRunOutcome, RunProgress } from "./outcome.ts";

/** Where a program runs (spec 1.6): plain Node in a process or a thread, or a QuickJS VM in a thread. */
export type VesselKind = "process" | "thread" | "quickjs";

/** One program to run. */
export interface RunRequest {
  tool: "run" | "workflow";
  /** The text as the model wrote it: body of an async function, JS or TS, fenced or not. */
  source: string;
  /** The program's working folder; bare imports resolve from it. */
  cwd: string;
  bindings: readonly Binding[];
  /** Plain JSON for a workflow's `args`. Default null. */
  args?: Json;
  /** Declared phase names of a workflow. Default none. */
  phases?: readonly string[];
  /** Deadline in milliseconds; absent or 0 = the limit `timeoutMs`; over `maxTimeoutMs` = clamped with a warning. */
  timeoutMs?: unknown;
  signal?: AbortSignal;
  /** Answers `searchTools` and `describeTool`. Without it both find nothing. */
  find?: (what: "search" | "describe", query: string) => Json;
  /** JSON texts by key that `load` sees. Default empty. */
  store?: Readonly<Record<string, string>>;
  /** Images are withheld from the result (pi's `blockImages`); their count stays. */
  blockImages?: boolean;
  /** Called on every change; never after the outcome. The caller coalesces. */
  onProgress?: (progress: () => RunProgress) => void;
}

/** pi's `truncateTail`, handed in because built files import no host package. */
export type TruncateTail = (
  text: string,
  options?: { maxLines?: number; maxBytes?: number },
) => { content: string; truncated: boolean; totalLines: number; outputLines: number };

/** What a runner is made from. */
export interface RunnerOptions {
  config: Readonly<PtcConfig>;
  /** Default `node`. */
  engine?: EngineKind;
  /** Of the node engine. Default `process` where a Node executable runs pi, else `thread`. */
  isolation?: "process" | "thread";
  truncateTail: TruncateTail;
  /** Private folder (0700) for complete texts; called when one is needed. A rejection becomes a warning. */
  outputDir: () => Promise<string>;
}

/** Runs programs for one session. Owns its workers, spares and compile thread. */
export interface ProgramRunner {
  /** Resolves with an outcome for every program; rejects never. */
  run(request: RunRequest): Promise<PtcRunOutcome>;
  /** Boots spares for programs in `cwd` a moment later, in the background; cheap to call often. */
  warm(cwd: string): void;
  /** Resolves when the wanted number of spares for `cwd` is ready. */
  warmed(cwd: string): Promise<void>;
  /** Stops every clock while a person is asked something; the returned function lets them go on. */
  pauseClocks(): () => void;
  /** Ends every worker, running or not; running programs end as aborted. Later runs are refused. */
  close(): Promise<void>;
}
