/** What people get who embed programs without a pi session (docs/programs.md). */

export { DEFAULT_CONFIG, type PtcConfig } from "./base/limits.ts";
export type { ChildReport, DispatchInput, DispatchResult } from "./children/dispatch.ts";
export { createBuiltinBindings } from "./embed/builtin-bindings.ts";
export { runPtcProgram } from "./embed/run-ptc-program.ts";
export type { PtcRunOutcome, SubCallRecord } from "./program/outcome.ts";
export type { ToolCallError } from "./worker/pending-calls.ts";
