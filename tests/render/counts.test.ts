/** What is shown and what is said to be withheld add up to what there is (spec 5.1). */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/program/outcome.ts";
import { drawProgram } from "../../src/render/program-row.ts";
import { drawTasks } from "../../src/render/task-rows.ts";
import { viewValue } from "../../src/tools/value-view.ts";
import { json, programDetails, task } from "./any-details.ts";
import { plainPen } from "./canvas.ts";

const RUNS = { numRuns: 300 };
const WIDE = 400;
const pen = plainPen();
const how = (isExpanded: boolean) => ({ isExpanded, isPartial: false, isError: false, content: [] });

interface ReadRow {
  level: number;
  text: string;
  children: ReadRow[];
}

/** Reads connectors back into a tree; rows without one belong to the branch above. */
function readTree(rows: readonly string[]): ReadRow[] {
  const root: ReadRow = { level: 0, text: "", children: [] };
  const path = [root];
  for (const row of rows) {
    const found = /^ {2}((?:│ {2}| {3})*)[├└]─ (.*)$/s.exec(row);
    if (!found) {
      path.at(-1)?.children.push({ level: 99, text: row, children: [] });
      continue;
    }
    const level = (found[1] as string).length / 3 + 1;
    const node = { level, text: found[2] as string, children: [] };
    while ((path.at(-1) as ReadRow).level >= level) path.pop();
    path.at(-1)?.children.push(node);
    path.push(node);
  }
  return root.children;
}

const REST = /^…\+(\d+) more (?:key|item|call)s?/;

function expectComplete(shown: ReadRow[], value: Json, level: number): void {
  if (typeof value !== "object" || value === null) return;
  const entries = Object.values(value);
  const rest = shown.at(-1)?.text.match(REST);
  const listed = rest ? shown.slice(0, -1) : shown;
  expect(listed.length + Number(rest?.[1] ?? 0)).toBe(entries.length);
  expect(listed.length).toBeLessThanOrEqual(6);
  expect(level).toBeLessThanOrEqual(4);
  listed.forEach((row, index) => {
    const child = entries[index] as Json;
    if (row.children.length === 0) return;
    expect(row.text).toMatch(new RegExp(`(?:Array|Object)\\(${Object.keys(child as object).length}\\)$`));
    expectComplete(row.children, child, level + 1);
  });
}

describe("counts add up", () => {
  test("of the entries of a value", () => {
    fc.assert(
      fc.property(json, fc.boolean(), (value, isExpanded) => {
        const details = { tool: "ptc_run_code", value: viewValue(value, 12_288) };
        const rows = drawProgram(pen, details, how(isExpanded), WIDE);
        if (rows[0]?.startsWith("  → ")) expect(rows).toHaveLength(1);
        else expectComplete(readTree(rows), value, 1);
      }),
      RUNS,
    );
  });

  test("of the calls, among which every running and failed one is while there are at most 32", () => {
    fc.assert(
      fc.property(programDetails, fc.boolean(), (details, isLive) => {
        const rows = drawProgram(
          pen,
          { ...details, running: isLive },
          { ...how(false), isPartial: isLive },
          WIDE,
        );
        const branch = readTree(rows).find(({ text }) => /^\d+ calls?( · \d+ failed)?$/.test(text));
        const total = Math.max(details.calls.total, details.subCalls.length);
        expect(branch !== undefined).toBe(total > 0);
        if (!branch) return;
        const rest = branch.children.at(-1)?.text.match(REST);
        const listed = rest ? branch.children.slice(0, -1) : branch.children;
        expect(listed.length + Number(rest?.[1] ?? 0)).toBe(total);
        expect(listed.length).toBeLessThanOrEqual(32);
        const notable = details.subCalls.filter(({ status }) => status === "running" || status === "error");
        const marked = listed.filter(({ text }) => /^[●✗⊘]/.test(text)).length;
        expect(marked).toBeGreaterThanOrEqual(Math.min(32, notable.length));
      }),
      RUNS,
    );
  });

  test("of the blocks of an expanded row", () => {
    fc.assert(
      fc.property(programDetails, (details) => {
        // A printed line that looks like a branch cannot be told from one here.
        fc.pre(!/[├└]─/.test(JSON.stringify(details)));
        // Warnings and errors take several rows when they are long, so that rows would not be lines.
        const { error, warnings } = details;
        const short = {
          ...details,
          running: false,
          warnings: warnings.map((line) => line.slice(0, 50)),
          ...(error
            ? { error: { ...error, message: error.message.slice(0, 50), excerpt: "1 | a\n2 | b" } }
            : {}),
        };
        const rows = drawProgram(pen, short, how(true), WIDE);
        for (const branch of readTree(rows)) {
          const total = /^(?:value|code|phases|log|console|warnings|error[^(]*) \((\d+)\)$/.exec(branch.text);
          if (!total) continue;
          const cut = branch.children
            .map(({ text }) => /^ *│? *…\+(\d+) (?:more|earlier) (?:line|phase|warning)s?$/.exec(text))
            .find((found) => found !== null);
          const shown = branch.children.length - (cut ? 1 : 0);
          expect(shown + Number(cut?.[1] ?? 0)).toBe(Number(total[1]));
          expect(shown).toBeLessThanOrEqual(12);
        }
      }),
      RUNS,
    );
  });

  test("of listed tasks", () => {
    fc.assert(
      fc.property(fc.array(task, { maxLength: 50 }), fc.nat(200), (tasks, total) => {
        const details = { tool: "ptc_task_list", tasks, total, warnings: [] };
        const rows = drawTasks(pen, details, how(false), WIDE);
        const rest = /^ {2}…\+(\d+) more tasks?$/.exec(rows.at(-1) ?? "");
        const all = Math.max(total, tasks.length);
        if (all === 0) expect(rows).toEqual(["  no tasks"]);
        else expect(rows.length - (rest ? 1 : 0) + Number(rest?.[1] ?? 0)).toBe(all);
        expect(rows.length).toBeLessThanOrEqual(33);
      }),
      RUNS,
    );
  });
});
