/** What people get who embed programs without a pi session (docs/programs.md, docs/background.md). */

export { DEFAULT_CONFIG, type PtcConfig } from "./base/limits.ts";
export type { ChildReport, DispatchHandle, DispatchInput, DispatchResult } from "./children/dispatch.ts";
export { createBackgroundTaskRuntime } from "./embed/background-runtime.ts";
export { createBuiltinBindings } from "./embed/builtin-bindings.ts";
export { runPtcProgram } from "./embed/run-ptc-program.ts";
export type { PtcRunOutcome, SubCallRecord } from "./program/outcome.ts";
export type { TaskRecord } from "./tasks/record.ts";
export type { ToolCallError } from "./worker/pending-calls.ts";
