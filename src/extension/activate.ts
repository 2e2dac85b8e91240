/** The extension: registers the tools and hands pi's events to the session. Starts nothing and never throws. */

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorText } from "../base/error-text.ts";
import { sweepOutput } from "../base/output-folder.ts";
import { packageFolder } from "../base/package-folder.ts";
import { piVersionProblem } from "../base/pi-version.ts";
import { sweepPrompts } from "../children/sweep-prompts.ts";
import { NOTICE_ENTRY } from "../tasks/told.ts";
import { actAsChild, isChild } from "./child-side.ts";
import type { Host } from "./host.ts";
import { launchArguments } from "./launch.ts";
import { warn } from "./notices.ts";
import { OfferDisplay } from "./offer-display.ts";
import { claimPi } from "./only-copy.ts";
import { ownTools } from "./own-tools.ts";
import { registerPtc } from "./ptc-actions.ts";
import { ptcParts } from "./ptc-facts.ts";
import { PtcSession } from "./session.ts";
import { SurfaceControl } from "./surface-control.ts";
import { expectFetch } from "./task-handover.ts";
import { TASK_STEP_EVENT } from "./task-service.ts";
import type { PinPlace } from "../surface/offer-watch.ts";
import type { TaskNotices } from "./task-notices.ts";

/** Opens the panel. pi itself has no use for it. */
const PANEL_KEY = "alt+t";

/** What one session is made of. */
interface Parts {
  session: PtcSession;
  control: SurfaceControl;
  display: OfferDisplay;
}

/** Called by the root entry with pi's packages, once for every session. A factory that throws would keep pi from starting. */
export function activate(host: Host, pi: ExtensionAPI): void {
  try {
    const problem = piVersionProblem(host.codingAgent.VERSION);
    if (problem !== undefined) return sayAtStart(pi, problem);
    // A child gets the copy of its parent beside the one it has installed; nobody has to be told there.
    const folder = packageFolder();
    const first = claimPi(pi, folder);
    if (first !== undefined) return isChild() ? undefined : sayAtStart(pi, secondCopy(folder, first));
    const session = new PtcSession(host, pi);
    const display: OfferDisplay = new OfferDisplay({
      pinnedIn: () => pinPlace(session),
      isSpoken: () => !isChild() && control.isPresent,
    });
    const control = createControl(host, pi, { session, display });
    pi.registerMessageRenderer(NOTICE_ENTRY, session.rows.tools.notice);
    pi.events.on(TASK_STEP_EVENT, (event) => session.live.taskMoved(event));
    actAsChild(pi, () => session.settings().readOnlyTools);
    subscribe(pi, { session, control, display });
    expectFetch();
    // Last: a tool whose session never starts would fail for the model at every call.
    control.load(ownTools(host, session, control));
  } catch (thrown) {
    sayAtStart(pi, `pi-ptc-subagents could not start, so its tools are missing: ${errorText(thrown)}`);
  }
}

const secondCopy = (folder: string, first: string): string =>
  `pi-ptc-subagents is loaded twice: the copy in ${folder} stands down for the one in ${first}. Remove one of the two.`;

function pinPlace(session: PtcSession): PinPlace {
  const { path, surfaceFrom = path } = session.settingsReading();
  return { file: surfaceFrom, isOwn: surfaceFrom === path };
}

function createControl(
  host: Host,
  pi: ExtensionAPI,
  { session, display }: Pick<Parts, "session" | "display">,
): SurfaceControl {
  let launch: { parsed: ReturnType<typeof launchArguments> } | undefined;
  const control = new SurfaceControl({
    pi,
    settings: () => session.settings(),
    launch: () => (launch ??= { parsed: launchArguments(host, session.settings()) }).parsed,
    isChild: isChild(),
    onOffer: (state) => display.show(state),
  });
  session.offered = () => ({ surface: control.state().offer.surface, own: control.held() });
  return control;
}

function subscribe(pi: ExtensionAPI, parts: Parts): void {
  const { session, control, display } = parts;
  let start: Promise<void> | undefined;
  // pi up to 1.5.2 says twice that a session starts to which an RPC client has switched.
  pi.on("session_start", (_event, ctx) => (start ??= startSession(pi, parts, ctx)));
  pi.on("resources_discover", () => {
    // Every extension has had its start: what is inactive now was not merely late.
    display.settle();
    control.settle();
  });
  pi.on("before_agent_start", (event, ctx) => {
    if (event.messageType !== "custom") session.live.promptStarts();
    session.children.refreshAgents(ctx);
    display.settle();
    control.settle();
    control.refreshTexts();
  });
  pi.on("turn_start", (_event, ctx) => {
    if (wantsWorker(control)) session.runner().warm(ctx.cwd);
  });
  pi.on("turn_end", () => control.settle());
  pi.on("tool_call", (event) => control.guard(event));
  pi.on("ui_prompt_start", () => session.promptStarted());
  pi.on("ui_prompt_end", () => session.promptEnded());
  subscribeNotices(pi, session.notices);
  pi.on("tool_execution_start", (event) => session.children.callStarted(event));
  pi.on("tool_execution_end", ({ toolCallId }) => session.children.callEnded(toolCallId));
  pi.on("session_shutdown", async ({ reason }) => {
    display.close();
    await session.close(reason);
  });
}

async function startSession(pi: ExtensionAPI, parts: Parts, ctx: ExtensionContext): Promise<void> {
  const { session, control, display } = parts;
  session.open(ctx);
  session.rows.isIdle = () => ctx.isIdle();
  const { problems, settings } = session.settingsReading();
  warn(ctx, problems);
  display.open(ctx);
  const ofAgents = session.children.refreshAgents(ctx);
  control.start(ctx);
  if (settings.surfaceMode === "off") return session.tasks.abandon(ctx);
  registerPtc(pi, ptcParts(pi, parts));
  // A launch that left our tools out gets no more of us than an answer to `/ptc`.
  if (!control.isPresent) return session.tasks.abandon(ctx);
  pi.registerShortcut(PANEL_KEY, {
    description: "Children and background tasks",
    handler: (panelContext) => session.live.openPanel(panelContext),
  });
  warn(ctx, ofAgents);
  sweep(pi, settings.retention.outputDays);
  await session.start(ctx);
  await session.children.learnProject(ctx);
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

/** Is a worker worth booting while the model still writes? Only where it can write a program at all. */
function wantsWorker(control: SurfaceControl): boolean {
  const { surface, mode, programs } = control.state().offer;
  return surface === "full" && mode !== "off" && programs.length > 0;
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
