/** What `/ptc` needs of a session. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { DISPATCH, SUBAGENT } from "../base/tool-names.ts";
import { hasNodeExecutable } from "../program/vessel.ts";
import { bindableTools } from "../surface/loadout.ts";
import type { PtcStatus } from "../surface/ptc-status.ts";
import { dataLine } from "../tools/task-access.ts";
import { taskLine } from "../tools/task-list.ts";
import type { PtcParts } from "./ptc-actions.ts";
import type { PtcSession } from "./session.ts";
import type { SurfaceControl } from "./surface-control.ts";

/** Tasks that a session without a screen is told of. */
const SHOWN_TASKS = 20;
/** Most tasks whose cost is added up; a session keeps fewer. */
const MAX_TASKS = 1_000;

export function ptcParts(
  pi: ExtensionAPI,
  { session, control }: { session: PtcSession; control: SurfaceControl },
): PtcParts {
  return {
    control,
    status: () => statusOf(pi, session, control),
    childCostUsd: async () => session.children.spentUsd + (await taskCostUsd(session)),
    path: () => session.settingsReading().path,
    rereadSurface: () => session.rereadSurface(),
    openPanel: (ctx) => session.live.openPanel(ctx),
    taskLines: () => taskLines(session),
    endAll: () => session.endAll(),
  };
}

function statusOf(pi: ExtensionAPI, session: PtcSession, control: SurfaceControl): PtcStatus {
  const { offer, tools } = control.state();
  const { engine, isolation } = session.settings();
  const callable = pi.getAllTools().filter(({ name }) => tools.callable.has(name));
  const names = bindableTools(callable).map(({ name }) => name);
  const slots = session.tasks.slots();
  const tasks = session.tasks.current;
  return {
    offer,
    pinnedIn: session.settingsReading().surfaceFrom,
    isPresent: control.isPresent,
    bindings: [...names, ...(tools.callable.has(SUBAGENT) ? [DISPATCH] : [])].toSorted(),
    engine,
    vessel: engine === "quickjs" ? "thread" : (isolation ?? (hasNodeExecutable() ? "process" : "thread")),
    slots: { used: slots.running, size: slots.size },
    tasks: tasks && { running: tasks.running().length, undelivered: tasks.untold().length },
  };
}

/** The session's newest tasks, then what other sessions of the project have open. */
async function taskLines({ tasks }: PtcSession): Promise<string[]> {
  const { current } = tasks;
  if (!current) return [];
  const { records } = await current.page({ limit: SHOWN_TASKS });
  const others = await current.others.open();
  const now = Date.now();
  return [
    ...records.map((record) => taskLine(record, now)),
    ...others
      .slice(0, SHOWN_TASKS)
      .map(({ session: id, record }) => `${taskLine(record, now)}  session=${dataLine(id)}`),
  ];
}

/** Of tasks that have ended, what their records say; of running ones, what they cost so far. */
async function taskCostUsd({ tasks }: PtcSession): Promise<number> {
  const current = tasks.current;
  if (!current) return 0;
  const { records } = await current.page({ limit: MAX_TASKS });
  const ended = records.reduce((sum, { usage }) => sum + (usage?.cost ?? 0), 0);
  return current.running().reduce((sum, { progress }) => sum + progress.usage.cost, ended);
}
