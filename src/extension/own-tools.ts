/** The list of our tools. What each is for decides how a surface exposes it. */

import { createChildReportTool } from "../tools/child-report.ts";
import { createRunCodeTool } from "../tools/run-code.ts";
import { createSubagentTool } from "../tools/subagent.ts";
import { createTaskListTool } from "../tools/task-list.ts";
import { createTaskOutputTool } from "../tools/task-output.ts";
import { createTaskStopTool } from "../tools/task-stop.ts";
import { createToolTexts } from "../tools/tool-texts.ts";
import { createWorkflowTool } from "../tools/workflow.ts";
import type { Host } from "./host.ts";
import type { PtcSession } from "./session.ts";
import type { SurfaceControl } from "./surface-control.ts";
import type { OwnTool } from "./tool-registry.ts";

/** All of them, in the order in which pi lists them. */
export function ownTools({ typebox }: Host, session: PtcSession, control: SurfaceControl): OwnTool[] {
  const { Type } = typebox;
  const texts = createToolTexts({
    settings: () => session.settings(),
    agents: () => session.children.agents(),
    unseen: (loadout) => control.unseen(loadout),
    canDispatch: () => control.canDispatch,
  });
  const rows = session.rows.tools;
  return [
    { role: "program", definition: createRunCodeTool(Type, texts, session, rows) },
    { role: "program", definition: createWorkflowTool(Type, texts, session, rows) },
    { role: "child", definition: createSubagentTool(Type, session.children, rows) },
    { role: "task", definition: createTaskListTool(Type, session.tasks, rows) },
    { role: "task", definition: createTaskOutputTool(Type, session.tasks, rows) },
    { role: "task", definition: createTaskStopTool(Type, session.tasks, rows) },
    { role: "report", definition: createChildReportTool(Type) },
  ];
}
