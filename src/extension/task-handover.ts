/**
 * The one slot of this process by which a reloaded extension gets back its tasks: a reload runs the factory anew, but
 * loads no file anew. What nobody fetches is closed.
 */

import type { DispatchSlots } from "../children/dispatch-slots.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";

const SLOT = Symbol.for("pi-ptc-subagents.running-tasks");
/** From the end of a session to the next run of the factory, which never comes where the package was taken away. */
const LOAD_MS = 120_000;
/** From there to the start of the session: other extensions may ask a person something in theirs. */
const START_MS = 3_600_000;

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
  slot().set(key, { ...handover, timer: closeIn(LOAD_MS, key, handover) });
}

/** The factory ran: whoever fetches what waits is on its way. */
export function expectFetch(): void {
  for (const [key, waiting] of slot()) {
    clearTimeout(waiting.timer);
    waiting.timer = closeIn(START_MS, key, waiting);
  }
}

/** What an earlier instance left for this session. */
export function takeOver(key: string): Handover | undefined {
  const found = slot().get(key);
  if (!found) return undefined;
  clearTimeout(found.timer);
  slot().delete(key);
  return found;
}

function closeIn(ms: number, key: string, { close }: Handover): NodeJS.Timeout {
  return setTimeout(() => {
    slot().delete(key);
    // Nobody is there to be told of a failure.
    close().catch(() => undefined);
  }, ms).unref();
}

function slot(): Map<string, Waiting> {
  const holder = globalThis as { [SLOT]?: Map<string, Waiting> };
  holder[SLOT] ??= new Map();
  return holder[SLOT];
}
