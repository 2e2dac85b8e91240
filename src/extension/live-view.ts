/**
 * The session's children on the screen: the widget above the editor, and the panel. It looks at what runs when
 * something changes and once a second while anything runs; with the last child its clock stands still.
 */

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Component, TUI } from "@earendil-works/pi-tui";
import { drawWidget } from "../render/children-widget.ts";
import type { TaskRow } from "../render/details.ts";
import type { LiveDetail, LiveSnapshot, LiveSource } from "../render/live-snapshot.ts";
import { Pen } from "../render/pen.ts";
import type { Pulse } from "../render/pulse.ts";
import type { Palette, Screen } from "../render/screen.ts";
import { type PanelKeyKind, TaskPanel } from "../render/task-panel.ts";
import type { OutputPart } from "../tasks/output-window.ts";
import { isTerminal, type TaskRecord } from "../tasks/record.ts";
import type { SessionTasks } from "../tasks/session-tasks.ts";
import { rowOf } from "../tools/task-access.ts";
import type { ForegroundChildren } from "./foreground-children.ts";
import type { Host } from "./host.ts";

const WIDGET = "ptc-children";
/** Under this name the clock of the pulse runs for widget and panel. */
const CLOCK = "ptc-live-view";
const LISTED_TASKS = 200;
const TAIL_BYTES = 16_384;
/** Rows of the screen that the panel leaves to what is above it. */
const ROWS_LEFT = 8;
const STOP_REASON = "stopped by the person";

export interface LiveViewOptions {
  host: Pick<Host, "tui">;
  screen: Screen;
  pulse: Pulse;
  foreground: ForegroundChildren;
  tasks: () => SessionTasks | undefined;
  /** The setting `widget`. */
  hasWidget: () => boolean;
}

export class LiveView implements LiveSource {
  readonly #options: LiveViewOptions;
  #ctx: ExtensionContext | undefined;
  /** What is on the screen and moves. */
  readonly #screens = new Set<Pick<TUI, "requestRender">>();
  #isWidgetShown = false;
  #isPanelOpen = false;
  #endClock: (() => void) | undefined;
  #second = -1;
  /** Since it was last drawn. */
  #hasMoved = false;
  #listed: { rows: TaskRow[]; total: number } = { rows: [], total: 0 };
  /** Of other sessions, as they were when the panel was opened. */
  #others: TaskRow[] = [];
  #listing: Promise<void> | undefined;
  /** Something has changed since the listing that goes on looked. */
  #isListStale = false;
  /** Tasks that ran in this session, and those of them that are counted as ended. */
  readonly #seen = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #endedTasks = { count: 0, cost: 0 };

  constructor(options: LiveViewOptions) {
    this.#options = options;
    options.foreground.onChange = () => this.changed();
    // Children tell much: their next step is drawn with the clock's.
    options.foreground.onMove = () => (this.#hasMoved = true);
  }

  /** A session with a screen starts. */
  opened(ctx: ExtensionContext): void {
    if (ctx.mode === "tui") this.#ctx = ctx;
    this.changed();
  }

  /** A step in a task's life: an event of ours, so of any shape. */
  taskMoved(event: unknown): void {
    const { taskId, step } = (event ?? {}) as { taskId?: unknown; step?: unknown };
    if (!this.#ctx || typeof taskId !== "string") return;
    // Output comes often, and while it does the clock runs, which lists again, too.
    if (this.#isPanelOpen && step !== "output-appended") this.#listSoon();
    const isOpen = this.#seen.has(taskId) && !this.#counted.has(taskId);
    const found = isOpen ? this.#options.tasks()?.find(taskId) : undefined;
    if (found?.ok && isTerminal(found.record.status)) {
      this.#counted.add(taskId);
      this.#endedTasks.count += 1;
      this.#endedTasks.cost += found.record.usage?.cost ?? 0;
    }
    this.changed();
  }

  /** The person asks for something new. What has ended before is told no longer, unless something still runs. */
  promptStarts(): void {
    if (!this.#ctx || this.#countRunning() > 0) return;
    for (const tally of [this.#options.foreground.ended, this.#endedTasks])
      Object.assign(tally, { count: 0, cost: 0 });
    this.#redraw();
  }

  /** Children began or ended, or a second went by. */
  changed(): void {
    if (!this.#ctx) return;
    const count = this.#countRunning();
    if (count > 0) this.#showWidget(this.#ctx);
    const moves = count > 0 && this.#screens.size > 0;
    const isTurn = moves !== (this.#endClock !== undefined);
    if (isTurn) this.#turnClock(moves);
    if (isTurn && !moves && this.#isPanelOpen) this.#listSoon();
    this.#redraw();
  }

  snapshot(): LiveSnapshot {
    const { ended } = this.#options.foreground;
    return {
      children: this.#running(),
      ended: {
        count: ended.count + this.#endedTasks.count,
        cost: ended.cost + this.#endedTasks.cost,
      },
      tasks: [...this.#listed.rows, ...this.#others],
      taskCount: this.#listed.total + this.#others.length,
      at: Date.now(),
    };
  }

  detail(id: string): LiveDetail {
    const child = this.#options.foreground.find(id);
    if (child) return { output: this.#options.foreground.output(id) };
    const tasks = this.#options.tasks();
    if (!tasks) return { output: "" };
    const found = this.#look(tasks, id);
    if ("problem" in found) return { output: found.problem };
    const { part } = found;
    const { report } = found.record;
    return { output: part.ok ? part.text : part.problem, ...(report ? { report } : {}) };
  }

  #look(tasks: SessionTasks, id: string): { record: TaskRecord; part: OutputPart } | { problem: string } {
    const wish = { maxBytes: TAIL_BYTES };
    const elsewhere = this.#others.some((row) => row.id === id) ? tasks.others.look(id, wish) : undefined;
    if (elsewhere) return elsewhere;
    const found = tasks.find(id);
    return found.ok ? { record: found.record, part: tasks.output(found.record, wish) } : found;
  }

  stop(id: string): void {
    if (this.#options.foreground.stop(id, STOP_REASON)) return;
    void this.#options
      .tasks()
      ?.stop(id, STOP_REASON, "person")
      .then((reply) => {
        if (!reply.ok) this.#ctx?.ui.notify(reply.problem, "warning");
        return this.#list();
      })
      .catch(() => undefined);
  }

  /** Opens the panel; resolves when it is closed. Without a screen it does nothing. */
  async openPanel(ctx: ExtensionContext): Promise<void> {
    if (ctx.mode !== "tui" || this.#isPanelOpen) return;
    this.#ctx = ctx;
    this.#isPanelOpen = true;
    try {
      await Promise.all([this.#list(), this.#listOthers()]);
      await this.#showPanel(ctx);
    } finally {
      this.#isPanelOpen = false;
      this.#others = [];
      if (!this.#isWidgetShown) this.#screens.clear();
      this.changed();
    }
  }

  #showPanel(ctx: ExtensionContext): Promise<undefined> {
    return ctx.ui.custom<undefined>((tui, palette, keybindings, done) => {
      this.#screens.add(tui);
      this.changed();
      return new TaskPanel({
        screen: this.#options.screen,
        palette,
        source: this,
        isKey: (data, key) => this.#isKey(data, key, keybindings),
        height: () => Math.max(4, tui.terminal.rows - ROWS_LEFT),
        redraw: () => tui.requestRender(),
        close: () => done(undefined),
      });
    });
  }

  close(): void {
    this.#ctx = undefined;
    this.#screens.clear();
    this.#turnClock(false);
  }

  #countRunning(): number {
    const ids = this.#options.tasks()?.runningIds() ?? [];
    for (const id of ids) this.#seen.add(id);
    return this.#options.foreground.count + ids.length;
  }

  #running(): LiveSnapshot["children"] {
    const tasks = this.#options.tasks()?.running() ?? [];
    return [
      ...this.#options.foreground.list(),
      ...tasks.map(({ record, progress }) => ({ id: record.id, label: record.label, progress })),
    ];
  }

  #showWidget(ctx: ExtensionContext): void {
    if (this.#isWidgetShown || !this.#options.hasWidget()) return;
    this.#isWidgetShown = true;
    ctx.ui.setWidget(WIDGET, (tui, palette) => {
      this.#screens.add(tui);
      return this.#widget(palette);
    });
  }

  #widget(palette: Palette): Component {
    const pen = new Pen(this.#options.screen, palette);
    return {
      invalidate: () => undefined,
      render: (width) => {
        try {
          return this.#isPanelOpen ? [] : drawWidget(pen, this.snapshot(), width);
        } catch {
          // A session that is gone has no children to show.
          return [];
        }
      },
    };
  }

  #turnClock(isOn: boolean): void {
    this.#endClock?.();
    this.#endClock = undefined;
    if (!isOn) return;
    this.#endClock = this.#options.pulse.begin(CLOCK);
    this.#options.pulse.watch(CLOCK, () => this.#tick());
  }

  #tick(): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second === this.#second) {
      if (this.#hasMoved) this.#redraw();
      return;
    }
    this.#second = second;
    this.#listSoon();
    this.changed();
  }

  #listSoon(): void {
    void this.#list().catch(() => undefined);
  }

  /** Reads the newest tasks again; resolves once they are as they were when it was asked, or later. */
  async #list(): Promise<void> {
    const tasks = this.#options.tasks();
    if (!tasks) return;
    this.#isListStale = true;
    await (this.#listing ??= this.#readList(tasks));
  }

  async #readList(tasks: SessionTasks): Promise<void> {
    try {
      while (this.#isListStale) {
        this.#isListStale = false;
        const { records } = await tasks.page({ limit: LISTED_TASKS });
        const rows = records.map(rowOf);
        this.#listed = { rows, total: Math.max(rows.length, tasks.count()) };
        this.#redraw();
      }
    } finally {
      this.#listing = undefined;
    }
  }

  async #listOthers(): Promise<void> {
    const others = (await this.#options.tasks()?.others.open()) ?? [];
    this.#others = others.map(({ session, record }) => ({ ...rowOf(record), session }));
  }

  #redraw(): void {
    this.#hasMoved = false;
    for (const screen of this.#screens) screen.requestRender();
  }

  #isKey(
    data: string,
    key: PanelKeyKind,
    keybindings: { matches(data: string, id: "tui.select.up"): boolean },
  ): boolean {
    const letters = { stop: "s", yes: "y", no: "n" } as const;
    if (key === "stop" || key === "yes" || key === "no")
      return this.#options.host.tui.matchesKey(data, letters[key]);
    return keybindings.matches(data, `tui.select.${key}` as "tui.select.up");
  }
}
