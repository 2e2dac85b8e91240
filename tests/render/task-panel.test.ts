/** The panel of children and tasks: what it shows and what its keys do (spec 5.2). */

import { beforeEach, describe, expect, test } from "vitest";
import type { LiveDetail, LiveSnapshot, LiveSource } from "../../src/render/live-snapshot.ts";
import { type PanelKeyKind, TaskPanel } from "../../src/render/task-panel.ts";
import { PLAIN, SCREEN } from "./canvas.ts";
import { liveChild, snapshot, taskRow } from "./live-samples.ts";

class Stage implements LiveSource {
  now: LiveSnapshot = snapshot();
  details = new Map<string, LiveDetail>();
  stopped: string[] = [];
  closed = 0;
  redraws = 0;
  height = 20;
  readonly panel = new TaskPanel({
    screen: SCREEN,
    palette: PLAIN,
    source: this,
    isKey: (data, key) => data === key,
    height: () => this.height,
    redraw: () => (this.redraws += 1),
    close: () => (this.closed += 1),
  });

  snapshot = (): LiveSnapshot => this.now;
  detail = (id: string): LiveDetail => this.details.get(id) ?? { output: "" };
  stop = (id: string): void => void this.stopped.push(id);

  press(...keys: PanelKeyKind[]): void {
    for (const key of keys) this.panel.handleInput(key);
  }

  rows(width = 80): string[] {
    return this.panel.render(width).map((row) => row.trimEnd());
  }

  get selected(): string | undefined {
    return this.rows().find((row) => row.startsWith("→ "));
  }
}

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  stage.now = snapshot({
    children: [liveChild(1), liveChild(2)],
    tasks: [
      taskRow(9, { status: "running", durationMs: undefined }),
      taskRow(8),
      taskRow(7, { status: "failed", errorMessage: "exit code 1" }),
    ],
  });
});

describe("the list", () => {
  test("has children first, then tasks, between two rules and above the keys", () => {
    expect(stage.rows()).toEqual([
      expect.stringMatching(/^── children and tasks · 3 running ─+$/),
      expect.stringMatching(/^→ ● scout part 1 · starting +• 3 turns · 12k tokens · \$0\.0421 · 14s$/),
      expect.stringMatching(/^ {2}● scout part 2 /),
      expect.stringMatching(/^ {2}● running {2}audit 9 scout +• 3\.4 KB · 1m 15s$/),
      expect.stringMatching(/^ {2}✓ succeeded {2}audit 8 scout +• 3\.4 KB · 1m 01s$/),
      expect.stringMatching(/^ {2}✗ failed {2}audit 7 scout · exit code 1 /),
      "↑↓ select · enter open · s stop · esc close",
      expect.stringMatching(/^─{80}$/),
    ]);
  });

  test("shows a task that runs in this pi once", () => {
    stage.now = snapshot({
      children: [{ ...liveChild(1), id: "task-9" }],
      tasks: [taskRow(9, { status: "running" })],
    });
    expect(stage.rows().filter((row) => /●/.test(row))).toHaveLength(1);
  });

  test("is empty when there was nothing", () => {
    stage.now = snapshot();
    expect(stage.rows()[1]).toBe("  no children and no tasks");
    stage.press("confirm", "stop", "up", "down");
    expect(stage.stopped).toEqual([]);
  });

  test("follows the keys, and stays with the one that is selected when others come and go", () => {
    stage.press("down", "down", "down");
    expect(stage.selected).toContain("audit 8");
    stage.now = { ...stage.now, children: [] };
    expect(stage.selected).toContain("audit 8");
    stage.press("up", "up", "up", "up");
    expect(stage.selected).toContain("audit 9");
    stage.press("pageDown");
    expect(stage.selected).toContain("audit 7");
    expect(stage.redraws).toBe(8);
  });

  test("shows a part of many around the selected one, and counts the others", () => {
    stage.now = snapshot({ tasks: Array.from({ length: 30 }, (_, at) => taskRow(100 - at)), taskCount: 45 });
    stage.height = 10;
    stage.press(...Array.from({ length: 20 }, () => "down" as const));
    const rows = stage.rows();
    expect(rows).toHaveLength(10);
    expect(stage.selected).toContain("audit 80");
    expect(rows[7]).toBe("  …+39 more");
  });

  test("fits 40 columns and a screen of few rows", () => {
    stage.height = 4;
    for (const row of stage.panel.render(40)) expect(SCREEN.visibleWidth(row)).toBeLessThanOrEqual(40);
    expect(stage.rows(40).length).toBeLessThanOrEqual(5);
  });
});

describe("stopping", () => {
  test("asks first, and stops the selected one only", () => {
    stage.press("down", "stop");
    expect(stage.rows().at(-2)).toBe("Stop part 2? y yes · n no");
    expect(stage.stopped).toEqual([]);
    stage.press("yes");
    expect(stage.stopped).toEqual(["call-2"]);
    expect(stage.rows().at(-2)).toContain("enter open");
  });

  test.each(["no", "cancel"] as const)("is not done after %s, which leaves the panel open", (key) => {
    stage.press("stop", key);
    expect(stage.stopped).toEqual([]);
    expect(stage.closed).toBe(0);
    expect(stage.rows().at(-2)).toContain("enter open");
  });

  test("waits for an answer whatever else is pressed", () => {
    stage.press("stop", "down", "confirm", "stop");
    expect(stage.rows().at(-2)).toContain("Stop part 1?");
    stage.press("yes");
    expect(stage.stopped).toEqual(["call-1"]);
  });

  test("is not offered for what has ended, and a question about it is over", () => {
    stage.press("down", "down", "down", "stop");
    expect(stage.rows().at(-2)).toBe("↑↓ select · enter open · esc close");
    stage.press("up", "stop");
    stage.now = { ...stage.now, tasks: [taskRow(9)] };
    expect(stage.rows().at(-2)).not.toContain("Stop");
    stage.press("yes");
    expect(stage.stopped).toEqual([]);
  });
});

describe("the detail", () => {
  beforeEach(() => {
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`).join("\n");
    stage.details.set("task-9", { output: `${lines}\n` });
    stage.details.set("task-7", {
      output: "said\n",
      report: { summary: "Half of it.", findings: [{ what: "a", evidence: "b" }], files_touched: [] },
    });
  });

  test("shows the end of the output as it grows, in the rows there are", () => {
    stage.press("down", "down", "confirm");
    expect(stage.rows()).toHaveLength(20);
    expect(stage.rows()[1]).toMatch(/^ {2}● running {2}audit 9/);
    expect(stage.rows().at(-3)).toBe("  line 50");
    expect(stage.rows().at(-2)).toBe("s stop · esc back");
    stage.details.set("task-9", { output: "line 51" });
    expect(stage.rows().at(-3)).toBe("  line 51");
  });

  test("shows error and report", () => {
    stage.press("pageDown", "confirm");
    expect(stage.rows().slice(2, -2)).toEqual([
      "  exit code 1",
      "  Half of it.",
      "  └─ findings (1)",
      "        a ← b",
      "  said",
    ]);
  });

  test("says that there is no output yet", () => {
    stage.press("confirm");
    expect(stage.rows()).toContain("  no output yet");
  });

  test("says of one that has ended that there is no output, and in words why it is lost", () => {
    const errorMessage = "lost_on_session_restart";
    stage.now = { ...stage.now, children: [], tasks: [taskRow(4, { status: "lost", errorMessage })] };
    stage.press("confirm");
    expect(stage.rows().slice(2, -2)).toEqual(["  its pi ended before it did", "  no output"]);
  });

  test("shows a long error whole, as far as six rows do", () => {
    const shown = (errorMessage: string): string[] => {
      const tasks = [taskRow(4, { status: "failed", errorMessage })];
      stage.now = { ...stage.now, children: [], tasks };
      return stage.rows().slice(2, -2);
    };
    shown("short");
    stage.press("confirm");
    const whole = shown(`${"word ".repeat(30)}END`).slice(0, -1);
    expect(whole.map((row) => row.trim()).join(" ")).toBe(`${"word ".repeat(30)}END`);
    expect(shown("word ".repeat(200)).slice(6)).toEqual([
      expect.stringMatching(/^ {2}…\+\d+ more rows$/),
      "  no output",
    ]);
  });

  test("goes back to the list, and from there the panel closes", () => {
    stage.press("confirm", "cancel");
    expect(stage.rows().at(-2)).toContain("enter open");
    expect(stage.closed).toBe(0);
    stage.press("cancel");
    expect(stage.closed).toBe(1);
  });

  test("keeps to the one that was opened", () => {
    stage.press("down", "down", "confirm", "down", "up", "pageDown");
    expect(stage.rows()[1]).toContain("audit 9");
  });
});

test("a source that throws leaves a panel that can be closed", () => {
  stage.snapshot = () => {
    throw new Error("stale");
  };
  expect(stage.rows()).toEqual(["(cannot be shown)"]);
  stage.press("down", "cancel");
  expect(stage.closed).toBe(1);
});
