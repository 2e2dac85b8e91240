/** Rows of the task tools and of notices (spec 5.2). */

import { describe, expect, test } from "vitest";
import { drawNotice } from "../../src/render/notice-row.ts";
import { drawTasks } from "../../src/render/task-rows.ts";
import { plainPen } from "./canvas.ts";

const task = (more: object = {}) => ({
  id: "01J1",
  label: "audit the code",
  agentName: "scout",
  depth: 1,
  status: "succeeded",
  createdAt: 1_000_000,
  durationMs: 61_000,
  outputBytes: 3_400,
  ...more,
});
const rows = (details: unknown, more: object = {}, width = 100): string[] =>
  drawTasks(
    plainPen(),
    details,
    { isExpanded: false, isPartial: false, isError: false, content: "text", ...more },
    width,
  );
const list = (tasks: object[], more: object = {}) => ({
  tool: "ptc_task_list",
  tasks,
  total: tasks.length,
  warnings: [],
  ...more,
});

describe("a list of tasks", () => {
  test.each([
    ["running", "● running"],
    ["stopping", "◐ stopping"],
    ["succeeded", "✓ succeeded"],
    ["failed", "✗ failed"],
    ["lost", "◌ lost"],
    ["canceled", "⊘ canceled"],
    ["constructor", "○ constructor"],
  ])("shows the status %s as %s", (status, shown) => {
    expect(rows(list([task({ status })]))[0]).toBe(
      `  ${shown}  audit the code scout`.padEnd(82) + "• 3.4 KB · 1m 01s".padStart(18),
    );
  });

  test("shows of a task that ran how long it had at that time, since the row stays as it is", () => {
    const running = task({ status: "running", durationMs: undefined, outputBytes: 0 });
    expect(rows(list([running], { at: 1_009_000 }))[0]).toMatch(/• at 9s$/);
    // Nothing that is true later on can be said without the time of the list.
    for (const at of [undefined, 5]) expect(rows(list([running], { at }))[0]).not.toContain("•");
  });

  test("says nothing of the time of a task that has ended nobody knows when", () => {
    const lost = task({ status: "lost", durationMs: undefined, outputBytes: 0 });
    expect(rows(list([lost], { at: 1_009_000 }))).toEqual(["  ◌ lost  audit the code scout"]);
  });

  test.each([
    ["lost_on_session_restart", "its pi ended before it did"],
    ["session_ended_while_running", "its session ended before it did"],
    ["still running after printWaitMs (5 ms)", "still running after printWaitMs (5 ms)"],
    ["constructor", "constructor"],
  ])("says %s as %s", (errorMessage, shown) => {
    expect(rows(list([task({ status: "lost", errorMessage })]))[0]).toContain(` scout · ${shown} `);
  });

  test("cuts labels to 48 and errors to the first line and 120 columns", () => {
    const row =
      rows(list([task({ label: "l".repeat(60), errorMessage: `${"e".repeat(150)}\nstack` })]), {}, 300)[0] ??
      "";
    expect(row).toContain(` ${"l".repeat(47)}… scout · `);
    expect(row).not.toContain("stack");
    expect(row).toContain("eee");
  });

  test("has at most 32 tasks, counts the rest, and says when there is none", () => {
    const many = rows(
      list(
        Array.from({ length: 40 }, () => task()),
        { total: 45 },
      ),
    );
    expect(many).toHaveLength(33);
    expect(many.at(-1)).toBe("  …+13 more tasks");
    expect(rows(list([]))).toEqual(["  no tasks"]);
  });

  test("ends with its warnings", () => {
    expect(rows(list([task()], { warnings: ["one file is broken"] })).slice(1)).toEqual([
      "  └─ warnings (1)",
      "        one file is broken",
    ]);
  });
});

describe("the output of a task", () => {
  const output = (text: string, more: object = {}) => ({
    tool: "ptc_task_output",
    task: task(),
    output: text,
    truncated: false,
    ...more,
  });

  test("is its last 6 lines of at most 160 columns below the task", () => {
    const lines = Array.from({ length: 9 }, (_, at) => `${at} ${"x".repeat(200)}`);
    const drawn = rows(output(`${lines.join("\n")}\n`, { truncated: true }), {}, 300);
    expect(drawn[0]).toMatch(/^ {2}✓ succeeded {2}audit the code scout +• truncated · 3\.4 KB · 1m 01s$/);
    expect(drawn[1]).toBe("    …+3 earlier lines");
    expect(drawn.slice(2).map((row) => row[4])).toEqual(["3", "4", "5", "6", "7", "8"]);
    expect(drawn[2]).toHaveLength(160);
  });

  test("may be empty", () => expect(rows(output(""))).toHaveLength(1));
});

test("a stop shows both states and the reason", () => {
  const details = {
    tool: "ptc_task_stop",
    task: task({ status: "stopping", durationMs: undefined }),
    fromStatus: "running",
    stopReason: "model stop",
    at: 1_075_000,
  };
  expect(rows(details)[0]).toMatch(
    /^ {2}● running → ◐ stopping {2}audit the code scout \(model stop\) +• 3\.4 KB · at 1m 15s$/,
  );
});

test.each([
  [undefined],
  [{}],
  [{ tool: "ptc_task_output" }],
  [{ tool: "ptc_task_stop", task: 5 }],
  [{ tool: "x", task: {} }],
])("%j shows the result's text", (details) => {
  expect(rows(details)).toEqual(["  text"]);
});

describe("a notice", () => {
  const notice = (message: { details?: unknown; content: unknown }, isExpanded = false): string[] =>
    drawNotice(plainPen(), message, isExpanded, 80);

  test("is one compact row a task instead of its tags", () => {
    const tasks = [
      task({ outputPreview: "first\nsecond" }),
      task({ status: "failed", errorMessage: "exit code 1" }),
    ];
    const message = { details: { tasks }, content: "<bg-task-notifications>" };
    expect(notice(message)).toEqual([
      "PTC  2 background tasks ended",
      expect.stringMatching(/^ {2}✓ succeeded {2}audit the code scout +• 3\.4 KB · 1m 01s$/),
      expect.stringMatching(/^ {2}✗ failed {2}audit the code scout · exit code 1 +• 3\.4 KB · 1m 01s$/),
    ]);
    expect(notice(message, true).slice(2, 4)).toEqual(["    first", "    second"]);
  });

  test("counts the tasks of one without details", () => {
    const content =
      '<bg-task-notifications batch-id="1"><bg-task-notification id="2">x</bg-task-notification></bg-task-notifications>';
    expect(notice({ content })).toEqual(["PTC  1 background task ended"]);
    expect(notice({ content: [{ type: "text", text: content }] })).toEqual(["PTC  1 background task ended"]);
    expect(notice({ content: 5 })).toEqual(["PTC  background tasks ended"]);
  });

  test("shows at most 32 tasks and 6 lines of a preview", () => {
    const tasks = Array.from({ length: 40 }, () => task({ outputPreview: "1\n2\n3\n4\n5\n6\n7\n8" }));
    const drawn = notice({ details: { tasks }, content: "" }, true);
    expect(drawn.at(-1)).toBe("  …+8 more tasks");
    expect(drawn.slice(2, 9).at(-1)).toBe("    …+2 more lines");
  });
});
