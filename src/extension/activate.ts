/** The extension: registers the tools and hands pi's events to the session. Starts nothing and never throws. */

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { sweepOutput } from "../base/output-folder.ts";
import { piVersionProblem } from "../base/pi-version.ts";
import { RUN_CODE, WORKFLOW } from "../base/tool-names.ts";
import { sweepPrompts } from "../children/sweep-prompts.ts";
import { NOTICE_ENTRY } from "../tasks/told.ts";
import { createChildReportTool } from "../tools/child-report.ts";
import { createRunCodeTool } from "../tools/run-code.ts";
import { createSubagentTool } from "../tools/subagent.ts";
import { createTaskListTool } from "../tools/task-list.ts";
import { createTaskOutputTool } from "../tools/task-output.ts";
import { createTaskStopTool } from "../tools/task-stop.ts";
import { createToolTexts } from "../tools/tool-texts.ts";
import { createWorkflowTool } from "../tools/workflow.ts";
import { actAsChild, isChild } from "./child-side.ts";
import type { Host } from "./host.ts";
import { warn } from "./notices.ts";
import { claimPi } from "./only-copy.ts";
import { PtcSession } from "./session.ts";
import { TASK_STEP_EVENT } from "./task-service.ts";
import type { TaskNotices } from "./task-notices.ts";

/** Opens the panel. pi itself has no use for it. */
const PANEL_KEY = "alt+t";
const SECOND_COPY =
  "pi-ptc-subagents is loaded twice from different folders; this second copy stands down. Remove one of the two.";

/** Called by the root entry with pi's packages, once for every session. A factory that throws would keep pi from starting. */
export function activate(host: Host, pi: ExtensionAPI): void {
  try {
    const problem = piVersionProblem(host.codingAgent.VERSION);
    if (problem !== undefined) return sayAtStart(pi, problem);
    // A child gets the copy of its parent beside the one it has installed; nobody has to be told there.
    if (!claimPi(pi)) return isChild() ? undefined : sayAtStart(pi, SECOND_COPY);
    const session = new PtcSession(host, pi);
    registerTools(host, pi, session);
    registerScreen(pi, session);
    subscribe(pi, session);
  } catch (thrown) {
    sayAtStart(pi, `pi-ptc-subagents could not start, so its tools are missing: ${errorText(thrown)}`);
  }
}

function registerTools(host: Host, pi: ExtensionAPI, session: PtcSession): void {
  const { Type } = host.typebox;
  const texts = createToolTexts(
    () => session.settings(),
    () => session.children.agents(),
  );
  const rows = session.rows.tools;
  pi.registerTool(createRunCodeTool(Type, texts, session, rows));
  pi.registerTool(createWorkflowTool(Type, texts, session, rows));
  pi.registerTool(createSubagentTool(Type, session.children, rows));
  pi.registerTool(createTaskListTool(Type, session.tasks, rows));
  pi.registerTool(createTaskOutputTool(Type, session.tasks, rows));
  pi.registerTool(createTaskStopTool(Type, session.tasks, rows));
  pi.registerTool(createChildReportTool(Type, isChild()));
  actAsChild(pi, () => session.settings().readOnlyTools);
}

/** What a person sees and does beside the rows of tools. */
function registerScreen(pi: ExtensionAPI, session: PtcSession): void {
  pi.registerMessageRenderer(NOTICE_ENTRY, session.rows.tools.notice);
  pi.registerShortcut(PANEL_KEY, {
    description: "Children and background tasks",
    handler: (ctx) => session.live.openPanel(ctx),
  });
  pi.events.on(TASK_STEP_EVENT, (event) => session.live.taskMoved(event));
}

function subscribe(pi: ExtensionAPI, session: PtcSession): void {
  pi.on("session_start", (_event, ctx) => {
    session.rows.isIdle = () => ctx.isIdle();
    warn(ctx, session.settingsProblems());
    sweep(pi, session.settings().retention.outputDays);
  });
  pi.on("session_start", (_event, ctx) => session.start(ctx));
  pi.on("session_start", async (_event, ctx) => {
    warn(ctx, session.children.refreshAgents(ctx));
    await session.children.learnProject(ctx);
  });
  pi.on("before_agent_start", (_event, ctx) => void session.children.refreshAgents(ctx));
  pi.on("turn_start", (_event, ctx) => warm(pi, session, ctx));
  pi.on("ui_prompt_start", () => session.promptStarted());
  pi.on("ui_prompt_end", () => session.promptEnded());
  subscribeNotices(pi, session.notices);
  pi.on("tool_execution_start", (event) => session.children.callStarted(event));
  pi.on("tool_execution_end", ({ toolCallId }) => session.children.callEnded(toolCallId));
  pi.on("session_shutdown", ({ reason }) => session.close(reason));
}

function subscribeNotices(pi: ExtensionAPI, notices: TaskNotices): void {
  pi.on("before_agent_start", (event, ctx) => notices.runStarts(event, ctx));
  pi.on("message_start", ({ message }, ctx) => {
    if (message.role === "assistant") notices.answerStarts(ctx);
  });
  pi.on("turn_end", (event, ctx) => notices.turnEnded(event, ctx));
  pi.on("agent_before_settle", (event, ctx) => notices.beforeSettle(event, ctx));
  pi.on("agent_settled", (event, ctx) => notices.settled(event, ctx));
  pi.on("session_tree", (_event, ctx) => notices.branchChanged(ctx));
}

/** Not awaited: pi's start does not wait for old files. What cannot be swept now is swept another time. */
function sweep(pi: ExtensionAPI, outputDays: number): void {
  sweepOutput(outputDays).catch(() => undefined);
  // The pi that started this child has just done the rest.
  if (isChild()) return;
  const ending = new AbortController();
  pi.on("session_shutdown", () => ending.abort());
  sweepPrompts(ending.signal).catch(() => undefined);
}

/** Boots a worker while the model still writes, where it can write a program at all. */
function warm(pi: ExtensionAPI, session: PtcSession, ctx: ExtensionContext): void {
  const active = pi.getActiveTools();
  if (session.settings().engine !== "node") return;
  if (active.includes(RUN_CODE) || active.includes(WORKFLOW)) session.runner().warm(ctx.cwd);
}

/** Before the session starts there is no screen to write to. `/new` runs the factory again, but has nothing new to say. */
function sayAtStart(pi: ExtensionAPI, sentence: string): void {
  try {
    pi.on("session_start", (event, ctx) => {
      if (event.reason === undefined || event.reason === "startup" || event.reason === "reload")
        warn(ctx, [sentence]);
    });
  } catch {
    // A pi that cannot even take a handler gets no sentence; it still starts.
  }
}
