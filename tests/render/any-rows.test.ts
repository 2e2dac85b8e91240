/** Whatever is in details and arguments, on a terminal of any width (spec 5, 6.30). */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawWidget } from "../../src/render/children-widget.ts";
import type { TaskRow } from "../../src/render/details.ts";
import { drawNotice } from "../../src/render/notice-row.ts";
import { drawPanel, panelEntries } from "../../src/render/panel-view.ts";
import { Pen } from "../../src/render/pen.ts";
import { drawCall, drawProgram, programTitle } from "../../src/render/program-row.ts";
import { drawSubagent, subagentTitle } from "../../src/render/subagent-row.ts";
import { drawTasks } from "../../src/render/task-rows.ts";
import { viewValue } from "../../src/tools/value-view.ts";
import {
  json,
  noticeDetails,
  programDetails,
  progress,
  spoiled,
  subagentDetails,
  task,
  taskDetails,
  text,
} from "./any-details.ts";
import { bare, COLOURED, SCREEN } from "./canvas.ts";

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const RUNS = { numRuns: 300 };

const width = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 45 }));
const state = fc.record({
  isExpanded: fc.boolean(),
  isPartial: fc.boolean(),
  isError: fc.boolean(),
  content: fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 2 }),
});
const pen = new Pen(SCREEN, COLOURED);

function expectDrawable(rows: readonly string[], columns: number): void {
  for (const row of rows) {
    expect(SCREEN.visibleWidth(row), JSON.stringify(row)).toBeLessThanOrEqual(columns);
    expect(bare(row)).not.toMatch(CONTROL);
    expect(bare(row).isWellFormed()).toBe(true);
  }
}

describe("no row is wider than the terminal, holds a control character or throws", () => {
  test("of a program that returned any value", () => {
    fc.assert(
      fc.property(json, programDetails, state, width, (value, details, how, columns) => {
        const whole = { ...details, value: viewValue(value, 12_288) };
        expectDrawable(drawProgram(pen, whole, how, columns), columns);
      }),
      RUNS,
    );
  });

  test("of a program with details of any shape", () => {
    fc.assert(
      fc.property(spoiled(programDetails), state, width, (details, how, columns) => {
        expectDrawable(drawProgram(pen, details, how, columns), columns);
      }),
      RUNS,
    );
  });

  test("of a child", () => {
    fc.assert(
      fc.property(
        fc.oneof(subagentDetails, spoiled(subagentDetails)),
        state,
        width,
        (details, how, columns) => {
          expectDrawable(drawSubagent(pen, details, how, columns), columns);
        },
      ),
      RUNS,
    );
  });

  test("of tasks", () => {
    fc.assert(
      fc.property(fc.oneof(taskDetails, spoiled(taskDetails)), state, width, (details, how, columns) => {
        expectDrawable(drawTasks(pen, details, how, columns), columns);
      }),
      RUNS,
    );
  });

  test("of a notice", () => {
    fc.assert(
      fc.property(
        fc.oneof(noticeDetails, spoiled(noticeDetails)),
        text,
        fc.boolean(),
        width,
        (details, content, isExpanded, columns) => {
          expectDrawable(drawNotice(pen, { details, content }, isExpanded, columns), columns);
        },
      ),
      RUNS,
    );
  });

  test("of widget and panel, in list and detail", () => {
    const children = fc.array(fc.record({ id: text, label: text, progress }), { maxLength: 14 });
    const detail = fc.record(
      {
        output: text,
        report: fc.record({
          summary: text,
          findings: fc.array(fc.record({ what: text, evidence: text })),
          files_touched: fc.array(text),
        }),
      },
      { requiredKeys: ["output"] },
    );
    const live = fc.record({
      children,
      tasks: fc.array(task, { maxLength: 30 }),
      detail,
      isAsking: fc.boolean(),
    });
    fc.assert(
      fc.property(live, fc.option(fc.nat(40)), fc.nat(30), width, (given, selected, height, columns) => {
        const { children: running, tasks } = given;
        const snapshot = {
          children: running,
          tasks: tasks as TaskRow[],
          ended: { count: 3, cost: 1 },
          taskCount: 50,
          at: 9,
        };
        expectDrawable(drawWidget(pen, snapshot, columns), columns);
        expectDrawable(drawWidget(pen, { ...snapshot, children: [] }, columns), columns);
        const view = {
          entries: panelEntries(snapshot),
          selected: selected ?? 0,
          ...(selected === null ? {} : { detail: given.detail }),
          isAsking: given.isAsking,
          height,
          at: 5_000,
          missing: 7,
        };
        expectDrawable(drawPanel(pen, view, columns), columns);
      }),
      RUNS,
    );
  });

  test("of a call with any arguments, running or not", () => {
    const args = fc.oneof(
      fc.record({ description: text, code: text, meta: fc.record({ name: text }), agent: text, task: text }),
      json,
    );
    const runningAt = fc.option(fc.nat(100_000), { nil: undefined });
    fc.assert(
      fc.property(args, runningAt, fc.boolean(), width, (given, at, isInterrupted, columns) => {
        for (const title of [programTitle(SCREEN, given), subagentTitle(SCREEN, given)])
          expectDrawable(
            drawCall(pen, title, { label: "PTC", runningAt: at, isInterrupted }, columns),
            columns,
          );
      }),
      RUNS,
    );
  });
});
