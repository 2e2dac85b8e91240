/**
 * Tells the model of tasks that ended (spec 3.5). In a run notices go into the branch at its boundaries; an idle
 * session is woken by a message; queued messages are not used, since pi's Esc drops them. What was told is read
 * from the branch each time, so nothing is told twice and nothing gets lost.
 */

import { randomUUID } from "node:crypto";
import type {
  AgentBeforeSettleEvent,
  BeforeAgentStartEvent,
  BoundaryResult,
  ExtensionAPI,
  ExtensionContext,
  SessionBoundaryDraft,
  TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import { cleanText, cutLine } from "../base/plain-text.ts";
import type { PtcSettings } from "../base/settings.ts";
import type { NoticeDetails } from "../render/details.ts";
import { type NoticeBatch, noticeBatches } from "../tasks/notice.ts";
import { isAnnounced, type TaskRecord } from "../tasks/record.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";
import { NOTICE_ENTRY, readBranch } from "../tasks/told.ts";
import { rowOf } from "../tools/task-access.ts";

/** Tasks that end together are told together. */
const GATHER_MS = 150;
/** How often a session that is busy without a run, as in a compaction, is looked at again. */
const RETRY_MS = 1_000;
/** Tasks of one message that a row can draw; with their previews they are under 128 KiB. */
const MAX_DRAWN = 32;
const MAX_PREVIEW_CHARS = 300;

type Context = Pick<ExtensionContext, "isIdle" | "sessionManager" | "hasUI">;

export interface TaskNoticesOptions {
  pi: ExtensionAPI;
  tasks: () => SessionTasks | undefined;
  settings: () => Readonly<PtcSettings>;
}

export class TaskNotices {
  readonly #options: TaskNoticesOptions;
  #ctx: Context | undefined;
  /** Sent as a message that is not in the branch yet. */
  readonly #sent = new Set<string>();
  /** Ends of another session or branch that this branch lacks. */
  #again: TaskRecord[] = [];
  /** Ids whose notice was seen in the branch. */
  readonly #seen = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: TaskNoticesOptions) {
    this.#options = options;
  }

  /** A session starts, or was reloaded and went on: then what ended meanwhile may wake it, as it might have before. */
  opened(ctx: Context, isReload: boolean): void {
    this.#ctx = ctx;
    const tasks = this.#options.tasks();
    if (!tasks) return;
    tasks.onEnd = () => this.#wakeSoon(GATHER_MS);
    this.branchChanged(ctx);
    if (isReload) this.#wakeSoon(GATHER_MS);
  }

  /** Another branch is the current one. What it lacks of tasks started on it is told there once. */
  branchChanged(ctx: Context): void {
    this.#ctx = ctx;
    const tasks = this.#options.tasks();
    if (!tasks) return;
    const { started, told, unanswered } = readBranch(ctx.sessionManager.getBranch());
    tasks.others.know(started);
    this.#again = [...started].flatMap(([id, folder]) => {
      if (told.has(id) || unanswered.has(id)) return [];
      // In its own session an end that was told nowhere yet is its owner's to tell.
      if (folder === tasks.folder && tasks.isUntold(id)) return [];
      const found = tasks.find(id);
      return found.ok && isAnnounced(found.record) ? [found.record] : [];
    });
    for (const { id } of this.#again) tasks.patient.add(id);
  }

  /** Goes along with a prompt. */
  runStarts(
    event: BeforeAgentStartEvent,
    ctx: Context,
  ): { message: ReturnType<typeof messageOf> } | undefined {
    this.#ctx = ctx;
    if (event.messageType === "custom") return undefined;
    // A run that could not be prepared never settles, and the message it was to carry is gone.
    this.#sent.clear();
    if (this.#notify === "quiet") return undefined;
    // Further batches follow at the run's boundaries.
    const [first] = this.#batches(this.#pending(ctx));
    return first && { message: messageOf(first) };
  }

  /** The model begins to answer, so what was told is in the branch by now. */
  answerStarts(ctx: Context): void {
    this.#ctx = ctx;
    this.#pending(ctx);
  }

  /** The run goes on after this turn: what has ended meanwhile is put before its next request. */
  turnEnded(event: TurnEndEvent, ctx: Context): BoundaryResult | undefined {
    this.#ctx = ctx;
    if (event.outcome !== "completed" || event.toolResults.length === 0 || this.#notify === "quiet")
      return undefined;
    return this.#entries(event.entries, this.#pending(ctx));
  }

  /** The run would end here. */
  async beforeSettle(event: AgentBeforeSettleEvent, ctx: Context): Promise<BoundaryResult | undefined> {
    this.#ctx = ctx;
    if (!ctx.hasUI && event.outcome !== "aborted") await this.#waitForTasks();
    if (event.outcome !== "completed" || this.#notify !== "wake") return undefined;
    const pending = this.#pending(ctx);
    const isUnanswered = this.#untold.length > 0 && this.#unanswered(ctx);
    if (pending.length === 0 && !isUnanswered) return undefined;
    return { ...this.#entries(event.entries, pending), continue: true };
  }

  /** The session is idle. After an abort the person has the word: what is left goes along with the next prompt. */
  settled({ aborted }: { aborted: boolean }, ctx: Context): void {
    this.#ctx = ctx;
    const pending = this.#pending(ctx);
    this.#bePatient(this.#sent);
    this.#sent.clear();
    if (aborted) this.#bePatient(pending.map(({ id }) => id));
    this.#wakeSoon(0);
  }

  close(): void {
    // Settings are read anew after a reload: what waits where nothing wakes is no reason for a run then.
    if (this.#ctx && this.#notify !== "wake") this.#bePatient(this.#untold.map(({ id }) => id));
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#ctx = undefined;
  }

  /** These go along with the next run. */
  #bePatient(ids: Iterable<string>): void {
    const patient = this.#options.tasks()?.patient;
    for (const id of ids) patient?.add(id);
  }

  get #notify(): PtcSettings["notify"] {
    return this.#options.settings().notify;
  }

  get #untold(): TaskRecord[] {
    return this.#options.tasks()?.untold() ?? [];
  }

  /** Ends that are neither told nor on their way, oldest first. Forgets those that were told. */
  #pending(ctx: Context): TaskRecord[] {
    const tasks = this.#options.tasks();
    const known = [...this.#untold, ...this.#again];
    if (!tasks || known.length === 0) return [];
    const { told, unanswered } = readBranch(ctx.sessionManager.getBranch());
    const fresh = [...told, ...unanswered].filter((id) => !this.#seen.has(id));
    for (const id of fresh) this.#seen.add(id);
    tasks.noticed(fresh);
    for (const id of [...told, ...unanswered]) this.#sent.delete(id);
    void tasks.told(told);
    const isOpen = ({ id }: TaskRecord): boolean => !told.has(id) && !unanswered.has(id);
    this.#again = this.#again.filter(isOpen);
    const open = known.filter((record) => isOpen(record) && !this.#sent.has(record.id));
    return [...new Map(open.map((record) => [record.id, record])).values()];
  }

  #unanswered(ctx: Context): boolean {
    const { unanswered } = readBranch(ctx.sessionManager.getBranch());
    return this.#untold.some(({ id }) => unanswered.has(id));
  }

  #entries(
    before: readonly SessionBoundaryDraft[],
    pending: readonly TaskRecord[],
  ): BoundaryResult | undefined {
    if (pending.length === 0) return undefined;
    const drafts = this.#batches(pending).map((batch) => ({
      type: "custom_message" as const,
      ...messageOf(batch),
    }));
    return { entries: [...before, ...drafts] };
  }

  #batches(records: readonly TaskRecord[]): NoticeBatch[] {
    const tasks = this.#options.tasks();
    if (!tasks || records.length === 0) return [];
    return noticeBatches(records, {
      outputPath: (id) => tasks.outputPath(id),
      batchId: () => randomUUID(),
      nowMs: Date.now(),
    });
  }

  #wakeSoon(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      try {
        this.#wake();
      } catch {
        // The session was replaced; its end cleans up.
      }
    }, ms).unref();
  }

  /** One message when the session is idle and something ended that may start a run. */
  #wake(): void {
    const ctx = this.#ctx;
    const tasks = this.#options.tasks();
    if (this.#closed || !ctx || !tasks || !ctx.hasUI || this.#notify !== "wake") return;
    const { patient } = tasks;
    const mayWake = this.#untold.some(({ id }) => !patient.has(id) && !this.#sent.has(id));
    if (!mayWake) return;
    if (!ctx.isIdle()) return this.#wakeSoon(RETRY_MS);
    const pending = this.#pending(ctx);
    if (!pending.some(({ id }) => !patient.has(id))) return;
    const [first] = this.#batches(pending);
    if (!first) return;
    for (const id of first.taskIds) this.#sent.add(id);
    this.#options.pi.sendMessage(messageOf(first), { triggerTurn: true });
  }

  /** `pi -p` ends with its run, so it waits for what still runs; what does not end in time is stopped. */
  async #waitForTasks(): Promise<void> {
    const tasks = this.#options.tasks();
    const count = tasks?.running().length ?? 0;
    if (!tasks || count === 0) return;
    const { printWaitMs } = this.#options.settings();
    process.stderr.write(
      `waiting for ${count} background task${count === 1 ? "" : "s"} (at most ${printWaitMs} ms)\n`,
    );
    const allEnded = await tasks.idle(printWaitMs);
    if (!allEnded) await tasks.loseAll(`still running after printWaitMs (${printWaitMs} ms)`);
    process.stderr.write(
      allEnded ? "background tasks have ended\n" : "background tasks were stopped and are lost\n",
    );
  }
}

/** Also the shape that `pi.sendMessage` takes. */
function messageOf({ text, taskIds, batchId, records }: NoticeBatch) {
  const tasks = records.slice(0, MAX_DRAWN).map((record) => ({
    ...rowOf(record),
    outputPreview: cutLine(cleanText(record.outputPreview ?? ""), MAX_PREVIEW_CHARS),
  }));
  const details: NoticeDetails = { batchId, taskIds, tasks };
  return { customType: NOTICE_ENTRY, content: text, display: true, details };
}
