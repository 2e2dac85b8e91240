/** When widget and panel are shown, what moves them, and what stops (spec 5.2). */

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { progress, record, Stage } from "./live-stage.ts";

let stage: Stage;
beforeEach(() => {
  vi.useFakeTimers();
  stage = new Stage();
});
afterEach(() => void vi.useRealTimers());
const turns = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => undefined);

describe("the widget", () => {
  test("comes with the first child, moves once a second, and rests with the last one", async () => {
    stage.view.opened(stage.ctx);
    expect(stage.widget).toBeUndefined();
    const end = stage.child("1");
    expect(stage.widget?.render(60)).toEqual([
      expect.stringMatching(/^● scout part 1 · said +• 1 turn · 2 tokens · \$0\.50 · 5s$/),
    ]);
    expect(vi.getTimerCount()).toBe(1);
    stage.redraws = 0;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(stage.redraws).toBeGreaterThanOrEqual(3);
    expect(stage.redraws).toBeLessThanOrEqual(12);
    end();
    await turns();
    expect(vi.getTimerCount()).toBe(0);
    expect(stage.widget?.render(60)).toEqual(["1 child ended · $0.50"]);
  });

  test("draws what children tell at most each 150 ms, and reads them only then", async () => {
    let reads = 0;
    stage.view.opened(stage.ctx);
    const end = stage.child("1", () => {
      reads += 1;
      return progress;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    for (let second = 0; second < 2; second += 1) {
      stage.redraws = 0;
      for (let step = 0; step < 1_000; step += 1) {
        stage.foreground.moved();
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(stage.redraws).toBeGreaterThanOrEqual(6);
      expect(stage.redraws).toBeLessThanOrEqual(9);
    }
    expect(reads).toBe(0);
    stage.widget?.render(60);
    expect(reads).toBe(1);
    end();
    await turns();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("shows tasks, too, and counts them once they have ended", async () => {
    stage.view.opened(stage.ctx);
    stage.tasks.records = [record("t1", "running")];
    stage.view.taskMoved({ step: "child-spawned", taskId: "t1" });
    expect(stage.widget?.render(60)[0]).toContain("job t1");
    const running = stage.tasks.running();
    stage.tasks.records = [record("t1", "succeeded")];
    // Its record says so before its owner lets go of it.
    stage.tasks.running = () => running;
    stage.view.taskMoved({ step: "record-renamed", taskId: "t1" });
    stage.tasks.running = () => [];
    for (const step of ["record-renamed", "outbox-written"]) stage.view.taskMoved({ step, taskId: "t1" });
    expect(stage.widget?.render(60)).toEqual(["1 child ended · $0.50"]);
    await turns();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("goes with the next prompt of the person, and counts anew from there", async () => {
    stage.view.opened(stage.ctx);
    const [end, endOther] = [stage.child("1"), stage.child("2")];
    end();
    await turns();
    stage.view.promptStarts();
    endOther();
    await turns();
    // One still ran at the prompt.
    expect(stage.widget?.render(60)).toEqual(["2 children ended · $1.00"]);
    stage.tasks.records = [record("t1", "running")];
    stage.view.taskMoved({ step: "child-spawned", taskId: "t1" });
    stage.tasks.records = [record("t1", "failed")];
    stage.view.taskMoved({ step: "record-renamed", taskId: "t1" });
    stage.redraws = 0;
    stage.view.promptStarts();
    expect(stage.widget?.render(60)).toEqual([]);
    expect(stage.redraws).toBe(1);
    stage.child("3")();
    await turns();
    expect(stage.widget?.render(60)).toEqual(["1 child ended · $0.50"]);
  });

  test("is there at once when a reload took running tasks over", () => {
    stage.tasks.records = [record("t1", "running")];
    stage.view.opened(stage.ctx);
    expect(stage.widget?.render(60)).toHaveLength(1);
  });

  test.each([
    ["the setting is off", () => (stage.hasWidget = false)],
    ["there is no screen", () => ((stage.ctx as { mode: string }).mode = "print")],
  ])("stays away when %s, and no timer runs for it", (_why, change) => {
    change();
    stage.view.opened(stage.ctx);
    stage.child("1");
    expect(stage.widget).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("and its timer end with the session", () => {
    stage.view.opened(stage.ctx);
    stage.child("1");
    stage.view.close();
    expect(vi.getTimerCount()).toBe(0);
    stage.redraws = 0;
    stage.child("2");
    expect(stage.redraws).toBe(0);
  });

  test.each([[undefined], [null], [5], [{ taskId: 5 }], [{ taskId: "unknown" }]])(
    "takes an event of any shape: %j",
    (event) => {
      stage.view.opened(stage.ctx);
      expect(() => stage.view.taskMoved(event)).not.toThrow();
    },
  );
});

describe("the panel", () => {
  const open = async (): Promise<void> => {
    void stage.view.openPanel(stage.ctx);
    await turns();
  };

  test("shows children and tasks in place of the widget, and gives it back", async () => {
    stage.view.opened(stage.ctx);
    stage.child("1");
    stage.tasks.records = [record("t2", "failed"), record("t1", "running")];
    await open();
    expect(stage.panel?.render(80).filter((row) => /part 1|job t/.test(row))).toHaveLength(3);
    expect(stage.widget?.render(80)).toEqual([]);
    stage.panel?.handleInput("cancel");
    await turns();
    expect(stage.widget?.render(80)).toHaveLength(2);
  });

  test("opens once, and not without a screen", async () => {
    await open();
    const first = stage.panel;
    await open();
    expect(stage.panel).toBe(first);
    const other = new Stage();
    await other.view.openPanel({ ...other.ctx, mode: "rpc" } as ExtensionContext);
    expect(other.panel).toBeUndefined();
  });

  test("stops a child of the foreground, and only it", async () => {
    stage.view.opened(stage.ctx);
    for (const id of ["1", "2"]) stage.child(id);
    await open();
    for (const key of ["down", "s", "y"]) stage.panel?.handleInput(key);
    await turns();
    expect(stage.foreground.list().map(({ id }) => id)).toEqual(["1"]);
    expect(stage.tasks.stops).toEqual([]);
  });

  test("stops a task as a person does, and tells why it could not", async () => {
    stage.tasks.records = [record("t1", "running")];
    await open();
    for (const key of ["s", "y"]) stage.panel?.handleInput(key);
    await turns();
    expect(stage.tasks.stops).toEqual([["t1", "stopped by the person", "person"]]);
    stage.view.stop("gone");
    await turns();
    expect(stage.said).toEqual(["no such task"]);
  });

  test("shows the end of the output of a task and of a child", async () => {
    stage.child("1");
    stage.foreground.said("1", "one\ntwo");
    stage.foreground.said("1", "three");
    stage.tasks.records = [record("t1", "running")];
    expect(stage.view.detail("1")).toEqual({ output: "one\ntwo\n\nthree" });
    expect(stage.view.detail("t1")).toEqual({ output: "written" });
    expect(stage.view.detail("gone")).toEqual({ output: "no such task" });
  });

  test("shows what other sessions have open, by their session, to be looked at and not to be stopped", async () => {
    stage.tasks.beside = [record("t9", "running"), record("t8", "lost")];
    await open();
    const rows = stage.panel?.render(100).filter((row) => row.includes("job t")) ?? [];
    expect(rows).toEqual([
      expect.stringMatching(/● running {2}job t9 scout · session 0199aabb-ccdd…/),
      expect.stringMatching(/◌ lost {2}job t8 scout · session 0199aabb-ccdd…/),
    ]);
    for (const key of ["s", "y"]) stage.panel?.handleInput(key);
    await turns();
    expect(stage.tasks.stops).toEqual([]);
    stage.panel?.handleInput("confirm");
    expect(stage.panel?.render(100).join("\n")).toContain("there: t9");
  });

  const tasksRows = (): string[] => stage.panel?.render(80).filter((row) => /job t/.test(row)) ?? [];

  test("shows that the last task has ended, though nothing runs any more", async () => {
    stage.view.opened(stage.ctx);
    stage.tasks.records = [record("t1", "running")];
    await open();
    expect(tasksRows()).toEqual([expect.stringContaining("● running")]);
    stage.tasks.records = [record("t1", "succeeded")];
    stage.view.taskMoved({ step: "record-renamed", taskId: "t1" });
    await turns();
    expect(tasksRows()).toEqual([expect.stringContaining("✓ succeeded")]);
    expect(stage.panel?.render(80)[0]).toContain("0 running");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("shows a task's end at once, while another child goes on", async () => {
    stage.view.opened(stage.ctx);
    stage.child("1");
    stage.tasks.records = [record("t1", "running")];
    await open();
    stage.tasks.records = [record("t1", "succeeded")];
    stage.view.taskMoved({ step: "record-renamed", taskId: "t1" });
    // No second goes by in which the clock would list.
    await turns();
    expect(tasksRows()).toEqual([expect.stringContaining("✓ succeeded")]);
    expect(vi.getTimerCount()).toBe(1);
  });

  test("lists once more when its clock stops, whatever stopped it", async () => {
    stage.view.opened(stage.ctx);
    const end = stage.child("1");
    stage.tasks.records = [record("t1", "running")];
    await open();
    // A disk that refuses the record tells of no step.
    stage.tasks.records = [record("t1", "succeeded")];
    end();
    await turns();
    expect(tasksRows()).toEqual([expect.stringContaining("✓ succeeded")]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("lists again what moved while it was listing", async () => {
    stage.view.opened(stage.ctx);
    stage.tasks.records = [record("t1", "running")];
    await open();
    const before = stage.tasks.records;
    const { promise, resolve } = Promise.withResolvers<void>();
    const page = vi.spyOn(stage.tasks, "page").mockImplementationOnce(async () => {
      await promise;
      return { records: before, warnings: [] };
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page).toHaveBeenCalledTimes(1);
    stage.tasks.records = [record("t1", "failed")];
    stage.view.taskMoved({ step: "record-renamed", taskId: "t1" });
    resolve();
    await turns();
    expect(tasksRows()).toEqual([expect.stringContaining("✗ failed")]);
    expect(page).toHaveBeenCalledTimes(2);
  });

  test("lists no more often for output, which the clock shows", async () => {
    stage.view.opened(stage.ctx);
    stage.tasks.records = [record("t1", "running")];
    await open();
    const page = vi.spyOn(stage.tasks, "page");
    for (let at = 0; at < 20; at += 1) stage.view.taskMoved({ step: "output-appended", taskId: "t1" });
    expect(page).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_100);
    expect(page).toHaveBeenCalled();
  });

  test("has a clock while something runs, widget or not", async () => {
    stage.hasWidget = false;
    stage.tasks.records = [record("t1", "running")];
    await open();
    expect(vi.getTimerCount()).toBe(1);
    stage.panel?.handleInput("cancel");
    await turns();
    expect(vi.getTimerCount()).toBe(0);
  });
});
