/**
 * The one slot of this process by which a reloaded extension gets back its tasks: a reload runs the factory anew, but
 * loads no file anew. What nobody fetches is closed.
 */

import type { DispatchSlots } from "../children/dispatch-slots.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";

const SLOT = Symbol.for("pi-ptc-subagents.running-tasks");
/** A reload takes well under a second. */
const FETCH_MS = 30_000;

/** What outlives a reload. */
export interface Handover {
  tasks: SessionTasks;
  slots: DispatchSlots;
  /** The end of it, where nobody goes on with it. */
  close: () => Promise<void>;
}

type Waiting = Handover & { timer: NodeJS.Timeout };

/** Keeps it for the next instance of the session that `key` names. */
export function handOver(key: string, handover: Handover): void {
  const waiting = slot();
  const timer = setTimeout(() => {
    waiting.delete(key);
    // Nobody is there to be told of a failure.
    handover.close().catch(() => undefined);
  }, FETCH_MS).unref();
  waiting.set(key, { ...handover, timer });
}

/** What an earlier instance left for this session. */
export function takeOver(key: string): Handover | undefined {
  const found = slot().get(key);
  if (!found) return undefined;
  clearTimeout(found.timer);
  slot().delete(key);
  return found;
}

function slot(): Map<string, Waiting> {
  const holder = globalThis as { [SLOT]?: Map<string, Waiting> };
  holder[SLOT] ??= new Map();
  return holder[SLOT];
}
