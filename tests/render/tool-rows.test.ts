/** Our hooks in pi's own row component: what is drawn when pi calls them, and what is left behind. */

import { initTheme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Pulse } from "../../src/render/pulse.ts";
import { type RowHooks, ToolRows } from "../../src/render/tool-rows.ts";
import { bare, SCREEN } from "./canvas.ts";

beforeEach(() => {
  initTheme("dark");
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const ARGS = { description: "Count things", code: "return 1" };
const result = (more: object) => ({
  content: [{ type: "text", text: "47" }],
  details: {
    tool: "ptc_run_code",
    running: false,
    durationMs: 9,
    value: 47,
    calls: { total: 0, failed: 0 },
    ...more,
  },
  isError: false,
});

class Stage {
  readonly pulse = new Pulse();
  redraws = 0;
  idle: boolean | undefined = false;
  readonly rows = new ToolRows({ screen: SCREEN, pulse: this.pulse, isIdle: () => this.idle });

  row(hooks: RowHooks = this.rows.program("PTC"), args: object = ARGS): ToolExecutionComponent {
    const tui = { requestRender: () => (this.redraws += 1) } as unknown as TUI;
    return new ToolExecutionComponent("ptc_run_code", "call-1", args, {}, hooks, tui, "/work");
  }
}

const shown = (row: ToolExecutionComponent, width = 60): string[] =>
  row
    .render(width)
    .map((line) => bare(line).trimEnd())
    .filter((line) => line !== "");

describe("a row from call to result", () => {
  test("is the call, then what the program does, then its result, in pi's box", () => {
    const stage = new Stage();
    const row = stage.row();
    expect(shown(row)).toEqual([" PTC  Count things"]);
    row.setArgsComplete();
    row.markExecutionStarted();
    row.updateResult(result({ running: true, phase: "Read" }), true);
    expect(shown(row)[1]).toMatch(/^ {3}Read +• 0s$/);
    row.updateResult(result({}));
    expect(shown(row)).toEqual([" PTC  Count things", expect.stringMatching(/^ {3}→ 47 +• 9ms$/)]);
  });

  test("follows pi's expand key", () => {
    const row = new Stage().row();
    row.updateResult(result({ logs: ["said"] }));
    expect(shown(row)).toHaveLength(2);
    row.setExpanded(true);
    expect(shown(row).slice(2)).toEqual(["   └─ console (1)", "         said"]);
  });

  test("fits any width that pi's box fits", () => {
    const row = new Stage().row();
    row.updateResult(result({ value: { size: 1, keys: ["漢".repeat(90)], items: ["x".repeat(90)] } }));
    for (let width = 3; width <= 400; width += 1)
      for (const line of row.render(width)) expect(SCREEN.visibleWidth(line)).toBeLessThanOrEqual(width);
  });
});

describe("a running row", () => {
  test("shimmers while its call runs, and its timer ends with the call", () => {
    const stage = new Stage();
    const row = stage.row();
    row.markExecutionStarted();
    const end = stage.rows.begin("call-1");
    row.updateResult(result({ running: true }), true);
    expect(vi.getTimerCount()).toBe(1);
    const before = row.render(60).join("\n");
    stage.redraws = 0;
    vi.advanceTimersByTime(150);
    expect(stage.redraws).toBe(1);
    expect(row.render(60).join("\n")).not.toBe(before);
    end();
    expect(vi.getTimerCount()).toBe(0);
    row.updateResult(result({}));
    expect(vi.getTimerCount()).toBe(0);
    expect(shown(row)[0]).toBe(" PTC  Count things");
  });

  test("has no timer when its call began in another session, as in an export", () => {
    const row = new Stage().row();
    row.markExecutionStarted();
    row.updateResult(result({ running: true }), true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends its timer with the session, whatever becomes of the row", () => {
    const stage = new Stage();
    const row = stage.row();
    stage.rows.begin("call-1");
    row.updateResult(result({ running: true }), true);
    stage.pulse.close();
    expect(vi.getTimerCount()).toBe(0);
    row.invalidate();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a call without a result", () => {
  test("is interrupted when it is first drawn while nothing runs", () => {
    const stage = new Stage();
    stage.idle = true;
    const row = stage.row();
    expect(shown(row)[1]).toBe("   interrupted: pi ended before it did");
    stage.idle = false;
    row.invalidate();
    expect(shown(row)).toHaveLength(2);
  });

  test("is not when its result arrives, as for every call of a resumed session", () => {
    const stage = new Stage();
    stage.idle = true;
    const row = stage.row();
    row.updateResult(result({}));
    expect(shown(row).join()).not.toContain("interrupted");
  });

  test("is not while the model still writes it, nor once it runs", () => {
    const stage = new Stage();
    const row = stage.row();
    stage.idle = true;
    row.invalidate();
    expect(shown(row)).toHaveLength(1);
    const running = new Stage();
    running.idle = true;
    const started = running.row();
    started.markExecutionStarted();
    expect(shown(started)).toHaveLength(1);
  });

  test("is decided once somebody can say whether anything runs", () => {
    const stage = new Stage();
    stage.idle = undefined;
    const row = stage.row();
    expect(shown(row)).toHaveLength(1);
    stage.idle = true;
    row.invalidate();
    expect(shown(row)).toHaveLength(2);
  });
});

test("children and tasks have rows of their own", () => {
  const stage = new Stage();
  const child = stage.row(stage.rows.subagent("Subagent"), { agent: "scout", task: "Look" });
  expect(shown(child)).toEqual([" Subagent  scout: Look"]);
  const task = stage.row(stage.rows.task("Stop task"), {
    taskId: "01J",
    reason: "enough",
    status: ["running", 5],
  });
  expect(shown(task)).toEqual([" Stop task  01J  enough  running,"]);
});

test("a notice has pi's padding where there is room for it", () => {
  const { rows } = new Stage();
  const message = { details: undefined, content: "<bg-task-notification id>" };
  const options = { expanded: false, outputPad: 1, keyText: () => "", keyHint: () => "" };
  const component = rows.notice(message as never, options, {
    fg: (_: string, text: string) => text,
    bold: (text: string) => text,
  } as never);
  expect(component?.render(60)).toEqual(["", " PTC  1 background task ended"]);
  expect(component?.render(3)).toEqual(["", "PT…"]);
});
