import { RUN_CODE, WORKFLOW } from "../base/tool-names.ts";

/** What a tool of ours is for. */
export type RoleKind = "program" | "child" | "task" | "report";

/** The tools that run programs. */
export const PROGRAM_TOOLS: readonly string[] = [RUN_CODE, WORKFLOW];

/** pi's own tools, which PTC mode leaves to programs (spec 4.2). */
export const BUILT_INS: readonly string[] = [
  "read",
  "bash",
  "edit",
  "write",
  "grep",
  "find",
  "ls",
  "powershell",
];
