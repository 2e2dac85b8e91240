/** The widget of running children (spec 5.2). */

import { expect, test } from "vitest";
import { drawWidget } from "../../src/render/children-widget.ts";
import { liveChild, snapshot } from "./live-samples.ts";
import { plainPen } from "./canvas.ts";

const rows = (more: Parameters<typeof snapshot>[0], width = 80): string[] =>
  drawWidget(plainPen(), snapshot(more), width);

test("each child has a row with agent, label, what it does, turns, tokens, cost and time", () => {
  const running = liveChild(1, { tool: { name: "grep", running: true } });
  const saying = liveChild(2, { agentName: "", lastText: "Looking at auth.ts\n" });
  expect(rows({ children: [running, saying] })).toEqual([
    `● scout part 1 · running grep${"• 3 turns · 12k tokens · $0.0421 · 14s".padStart(80 - 29)}`,
    expect.stringMatching(/^● part 2 · Looking at auth\.ts +• 3 turns/),
  ]);
});

test("on 40 columns the child stays, and of the facts its time", () => {
  expect(rows({ children: [liveChild(1)] }, 40)).toEqual(["● scout part 1 · starting      • … · 14s"]);
});

test("without running children it is one line, and nothing until there was one", () => {
  expect(rows({ ended: { count: 8, cost: 0.12 } })).toEqual(["8 children ended · $0.12"]);
  expect(rows({ ended: { count: 1, cost: 0 } })).toEqual(["1 child ended"]);
  expect(rows({})).toEqual([]);
});

test("at most ten rows are used, and the rest is counted", () => {
  const children = Array.from({ length: 12 }, (_, at) => liveChild(at));
  expect(rows({ children }).slice(-2)).toEqual([expect.stringContaining("part 8"), "…+3 more children"]);
  expect(rows({ children: children.slice(0, 10) })).toHaveLength(10);
});
