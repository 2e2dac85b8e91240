/** Every state of the rows of children, tasks and notices. */

import type { TaskRow, TaskStatus } from "../../src/render/details.ts";
import type { RowSample } from "./pi-row.ts";

const EPOCH = 1_800_000_000_000;
const result = (details: unknown, isError = false) => ({
  content: [{ type: "text", text: "text" }],
  details,
  isError,
});

const USAGE = { input: 41_200, output: 3_100, cacheRead: 12_000, cacheWrite: 0, cost: 0.0421, turns: 4 };
const CHILD = {
  agentName: "scout",
  turns: 3,
  usage: USAGE,
  lastText: "Looking at auth.ts",
  elapsedMs: 14_200,
};
const REPORT = {
  summary: "Two places accept a token without checking its age.",
  findings: [{ what: "no expiry check", evidence: "src/auth.ts:41" }],
  files_touched: ["src/auth.ts"],
};
const DISPATCH = {
  status: "fulfilled",
  text: "I looked.\nAll of it.",
  started: true,
  agentName: "scout",
  durationMs: 15_100,
  reportChannel: "tool",
  report: REPORT,
  usage: USAGE,
};
const REJECTED = {
  ...DISPATCH,
  status: "rejected",
  report: undefined,
  errorMessage: "the child was killed by SIGKILL",
  stderr: "out of memory\n",
};
const subagent = (name: string, details: unknown, more: Partial<RowSample> = {}): RowSample => ({
  name,
  tool: "subagent",
  args: { agent: "scout", task: "Review the auth code\nin src/" },
  result: result(details),
  ...more,
});

export const CHILD_SAMPLES: RowSample[] = [
  subagent(
    "child running",
    { tool: "ptc_subagent", running: true, progress: { ...CHILD, tool: { name: "grep", running: true } } },
    { isPartial: true },
  ),
  subagent("child done", { tool: "ptc_subagent", running: false, result: DISPATCH }),
  subagent(
    "child done, expanded",
    { tool: "ptc_subagent", running: false, result: DISPATCH },
    { isExpanded: true },
  ),
  subagent(
    "child failed",
    { tool: "ptc_subagent", running: false, result: REJECTED },
    { result: result({ tool: "ptc_subagent", running: false, result: REJECTED }, true) },
  ),
  subagent("child failed, expanded", undefined, {
    isExpanded: true,
    result: result({ tool: "ptc_subagent", running: false, result: REJECTED }, true),
  }),
];

export const task = (id: number, status: TaskStatus, more: Partial<TaskRow> = {}): TaskRow => ({
  id: `01J${id}`,
  label: `audit part ${id} of the auth code`,
  agentName: "scout",
  depth: 1,
  status,
  createdAt: EPOCH,
  outputBytes: id * 3_400,
  ...(["running", "stopping", "lost"].includes(status) ? {} : { durationMs: 61_000 }),
  ...more,
});
const TASKS = [
  task(6, "running"),
  task(5, "stopping"),
  task(4, "succeeded"),
  task(3, "failed", { errorMessage: "exit code 1\nstack" }),
  task(2, "lost", { errorMessage: "lost_on_session_restart" }),
  task(1, "canceled"),
];
const tasks = (name: string, details: object, args: object = {}): RowSample => ({
  name,
  tool: "task",
  args,
  result: result({ at: EPOCH + 75_000, ...details }),
});

export const TASK_SAMPLES: RowSample[] = [
  tasks("task list", {
    tool: "ptc_task_list",
    tasks: TASKS,
    total: 40,
    warnings: ["one task file could not be read"],
  }),
  tasks("no tasks", { tool: "ptc_task_list", tasks: [], total: 0, warnings: [] }),
  tasks(
    "task output",
    {
      tool: "ptc_task_output",
      task: TASKS[0],
      output: Array.from({ length: 9 }, (_, line) => `output ${line}`).join("\n"),
      nextOffset: 99,
      truncated: true,
    },
    { taskId: "01J6" },
  ),
  tasks(
    "task stop",
    { tool: "ptc_task_stop", task: TASKS[1], fromStatus: "running", stopReason: "model stop" },
    { taskId: "01J5", reason: "model stop" },
  ),
];

export const NOTICE = {
  tasks: [
    task(4, "succeeded", { label: "audit the auth code" }),
    task(3, "failed", { errorMessage: "exit code 1" }),
  ].map((entry) => ({ ...entry, outputPreview: "first\nsecond" })),
};
