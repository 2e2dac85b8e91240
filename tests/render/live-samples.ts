/** Children and tasks for tests of widget and panel. */

import type { ChildProgress } from "../../src/children/dispatch.ts";
import type { TaskRow } from "../../src/render/details.ts";
import type { LiveChild, LiveSnapshot } from "../../src/render/live-snapshot.ts";

export const liveChild = (id: number, more: Partial<ChildProgress> = {}): LiveChild => ({
  id: `call-${id}`,
  label: `part ${id}`,
  progress: {
    agentName: "scout",
    turns: 3,
    usage: { input: 10_000, output: 2_000, cacheRead: 0, cacheWrite: 0, cost: 0.0421, turns: 3 },
    lastText: "",
    elapsedMs: 14_200,
    ...more,
  },
});

export const taskRow = (id: number, more: Partial<TaskRow> = {}): TaskRow => ({
  id: `task-${id}`,
  label: `audit ${id}`,
  agentName: "scout",
  depth: 1,
  status: "succeeded",
  createdAt: 1_000_000,
  durationMs: 61_000,
  outputBytes: 3_400,
  ...more,
});

export const snapshot = (more: Partial<LiveSnapshot> = {}): LiveSnapshot => {
  const made = { children: [], ended: { count: 0, cost: 0 }, tasks: [], at: 1_075_000, ...more };
  return { taskCount: made.tasks.length, ...made };
};
