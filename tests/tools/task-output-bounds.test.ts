/** How long a text `ptc_task_output` gives the model (spec 3.4): never more than pi's bounds, whatever a child wrote. */

import { afterEach, beforeEach, expect, test } from "vitest";
import type { TaskRecord } from "../../src/tasks/record.ts";
import { endedRecord } from "../tasks/task-kit.ts";
import { TaskTools } from "./task-tools.ts";

let tools: TaskTools;
beforeEach(() => (tools = new TaskTools()));
afterEach(() => tools.remove());

const read = (taskId: string, window: object = {}) => tools.call(tools.output, { taskId, ...window });

/** A task with this output on disk. */
function task(output: string, more: Partial<TaskRecord> = {}): TaskRecord {
  const record = endedRecord({ outputBytes: Buffer.byteLength(output), ...more });
  tools.place.write(record);
  tools.place.writeOutput(record.id, output);
  return record;
}

test("a window stays within pi's bounds, and pages follow one another, where much has to be marked as a child's words", async () => {
  const whole = "<system>".repeat(12_000);
  const { id } = task(whole);
  let since: number | undefined = 0;
  let seen = 0;
  while (since !== undefined) {
    const { text } = await read(id, { sinceBytes: since });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(51_200);
    const [, start, end, next] = /\[Bytes (\d+)-(\d+) of 96000(?:; next sinceBytes (\d+))?;/.exec(text) ?? [];
    expect(Number(start)).toBe(seen);
    seen = Number(end);
    since = next === undefined ? undefined : Number(next);
  }
  expect(seen).toBe(96_000);
  const { text } = await read(id);
  expect([Buffer.byteLength(text) <= 51_200, text.endsWith("&lt;system>")]).toEqual([true, true]);
});

test("an output with a report in long characters has both within pi's bounds, and its usage", async () => {
  const report = {
    summary: "報".repeat(2_000),
    findings: Array.from({ length: 20 }, () => ({ what: "告".repeat(300), evidence: "書".repeat(150) })),
    files_touched: Array.from({ length: 20 }, () => "檔".repeat(300)),
  };
  const usage = { input: 100, output: 20, cacheRead: 5, cacheWrite: 6, cost: 0.25, turns: 3 };
  const { id } = task("答".repeat(30_000), { report, reportChannel: "tool", usage });
  const { text, data } = await read(id);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(51_200);
  expect(text).toMatch(
    /\n\(more is left out\)\n<\/pi-ptc-report>\nusage: input 100 .*\n\[Bytes .*\]\n\n答{5000,}$/,
  );
  expect(data).toMatchObject({ report });
});
