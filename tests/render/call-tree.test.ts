/** The calls of a program (spec 5.1). */

import { expect, test } from "vitest";
import { callBranches } from "../../src/render/call-tree.ts";
import { Pen } from "../../src/render/pen.ts";
import { drawArea } from "../../src/render/tree.ts";
import { NAMED, plainPen, SCREEN } from "./canvas.ts";

const call = (id: number, more: object = {}) => ({
  id,
  name: "read",
  args: `file-${id}`,
  status: "ok",
  startedMs: id,
  durationMs: 12,
  ...more,
});

function rows(
  records: readonly unknown[],
  more: { total?: number; failed?: number; elapsedMs?: number } = {},
  pen = plainPen(),
): string[] {
  const branches = callBranches(pen, { records, total: records.length, failed: 0, ...more });
  return drawArea(pen, { branches, facts: [] }, 100);
}

test("a call tells name, status, duration and what it was about", () => {
  expect(
    rows(
      [
        call(1),
        call(2, { name: "bash", args: "npm test", status: "error", error: "exit code 1", durationMs: 1_204 }),
        call(3, {
          name: "pi.dispatch",
          args: "→ scout: audit",
          status: "error",
          error: "no such agent",
          durationMs: 3,
        }),
        call(4, { status: "canceled" }),
        call(5, {
          name: "bash",
          args: "sleep 9",
          status: "running",
          durationMs: undefined,
          startedMs: 1_000,
          partial: "tick",
        }),
        call(6, { status: "queued", durationMs: undefined }),
      ],
      { failed: 3, elapsedMs: 2_500 },
    ),
  ).toEqual([
    "  └─ 6 calls · 3 failed",
    "     ├─ ✓ read ok 12ms  file-1",
    "     ├─ ✗ bash failed 1.20s  npm test · exit code 1",
    "     ├─ ✗ pi.dispatch rejected 3ms  → scout: audit · no such agent",
    "     ├─ ⊘ read canceled 12ms  file-4",
    "     ├─ ● bash running 1s  sleep 9 · tick",
    "     └─ ○ read queued  file-6",
  ]);
});

test("the colours follow the status", () => {
  const pen = new Pen(SCREEN, NAMED);
  expect(rows([call(1), call(2, { status: "error" })], { failed: 1 }, pen).slice(1)).toEqual([
    expect.stringContaining("<success>✓ </><toolTitle>read</><success> ok</>"),
    expect.stringContaining("<error>✗ </><toolTitle>read</><error> failed</>"),
  ]);
});

test("a call that was open when the program ended is canceled", () => {
  expect(rows([call(1, { status: "running" }), call(2, { status: "queued" })])).toEqual([
    "  └─ 2 calls",
    "     ├─ ⊘ read canceled 12ms  file-1",
    "     └─ ⊘ read canceled 12ms  file-2",
  ]);
});

test("at most 32 are shown in order, running and failed ones first, and the rest is counted", () => {
  const records = Array.from({ length: 200 }, (_, id) =>
    call(id, id === 3 ? { status: "error" } : id === 5 ? { status: "running" } : {}),
  );
  const shown = rows(records, { total: 10_000, failed: 9, elapsedMs: 500 });
  expect(shown).toHaveLength(34);
  expect(shown[0]).toBe("  └─ 10000 calls · 9 failed");
  expect(shown[1]).toContain("failed 12ms  file-3");
  expect(shown[2]).toContain("running");
  expect(shown[3]).toContain("file-170");
  expect(shown[32]).toContain("file-199");
  expect(shown[33]).toBe("     └─ …+9968 more calls (8 failed)");
});

test("of more than 32 that run or failed, those that run are shown", () => {
  const records = Array.from({ length: 60 }, (_, id) => call(id, { status: id < 10 ? "running" : "error" }));
  const shown = rows(records, { failed: 50, elapsedMs: 500 });
  expect(shown.filter((row) => row.includes("running"))).toHaveLength(10);
  expect(shown.at(-1)).toBe("     └─ …+28 more calls (28 failed)");
});

test("calls that wait leave the rows to those that ended", () => {
  const records = Array.from({ length: 150 }, (_, id) =>
    call(id, { status: id < 40 ? "ok" : id < 50 ? "running" : "queued" }),
  );
  const shown = rows(records, { total: 1_000, elapsedMs: 500 });
  expect(shown.filter((row) => row.includes("running"))).toHaveLength(10);
  expect(shown.filter((row) => row.includes(" ok "))).toHaveLength(22);
});

test("a program without calls has no branch, and records of any other shape are passed over", () => {
  expect(rows([])).toEqual([]);
  expect(rows([null, 5, "x", {}])).toEqual([
    "  └─ 4 calls",
    "     ├─ ⊘ ? canceled",
    "     └─ …+3 more calls",
  ]);
});
