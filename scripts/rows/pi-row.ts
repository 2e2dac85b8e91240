/** One row as pi draws it: its own component, box and theme, with our hooks in it. No terminal is needed. */

import { initTheme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { screenOf } from "../../src/extension/rows.ts";
import { Pulse } from "../../src/render/pulse.ts";
import { type RowHooks, ToolRows } from "../../src/render/tool-rows.ts";

/** What there is to draw of one call. */
export interface RowSample {
  name: string;
  tool: "program" | "workflow" | "subagent" | "task";
  args: object;
  /** Absent: the call has no result yet. */
  result?: { content: { type: string; text?: string }[]; details: unknown; isError?: boolean };
  isPartial?: boolean;
  isExpanded?: boolean;
  /** First drawn while nothing ran: what a resumed session shows of a call without a result. */
  isOrphan?: boolean;
}

export const SCREEN = screenOf({ tui });

const LABELS = { program: "PTC", workflow: "PTC workflow", subagent: "Subagent", task: "Tasks" };
const NO_TUI = { requestRender: () => undefined } as unknown as tui.TUI;

/** Loads pi's theme of this name; rows of one process share it. */
export function useTheme(name: "dark" | "light"): void {
  initTheme(name);
}

/** pi's component for the sample. `pulse` says what runs. */
export function piRow(sample: RowSample, pulse = new Pulse()): ToolExecutionComponent {
  const rows = new ToolRows({ screen: SCREEN, pulse, isIdle: () => sample.isOrphan === true });
  const component = new ToolExecutionComponent(
    sample.tool,
    sample.name,
    sample.args,
    { outputPad: 1 },
    hooksOf(rows, sample.tool),
    NO_TUI,
    "/work",
  );
  component.setExpanded(sample.isExpanded === true);
  if (sample.isOrphan) return component;
  component.setArgsComplete();
  component.markExecutionStarted();
  if (sample.result) component.updateResult({ isError: false, ...sample.result }, sample.isPartial === true);
  return component;
}

function hooksOf(rows: ToolRows, tool: RowSample["tool"]): RowHooks {
  if (tool === "subagent") return rows.subagent(LABELS.subagent);
  return tool === "task" ? rows.task(LABELS.task) : rows.program(LABELS[tool]);
}
