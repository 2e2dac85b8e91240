/** The panel of children and tasks: what is selected, what is open, what the keys do. It draws what its source says now. */

import type { Component } from "@earendil-works/pi-tui";
import type { LiveDetail, LiveSource } from "./live-snapshot.ts";
import { drawPanel, type PanelEntry, panelEntries } from "./panel-view.ts";
import { Pen } from "./pen.ts";
import type { Palette, Screen } from "./screen.ts";

/** Keys of the panel. `confirm` and `cancel` are those of pi's own lists. */
export type PanelKeyKind =
  | "up"
  | "down"
  | "pageUp"
  | "pageDown"
  | "confirm"
  | "cancel"
  | "stop"
  | "yes"
  | "no";

/** What the panel needs of the screen it stands on. */
export interface PanelSurroundings {
  screen: Screen;
  palette: Palette;
  source: LiveSource;
  isKey: (data: string, key: PanelKeyKind) => boolean;
  /** Rows it may have. */
  height: () => number;
  redraw: () => void;
  close: () => void;
}

const PAGE = 8;

export class TaskPanel implements Component {
  readonly #around: PanelSurroundings;
  /** By id, so that the selection stays where it is when others come and go. */
  #selectedId: string | undefined;
  #selected = 0;
  #isOpen = false;
  /** Id of the one that is asked about. */
  #asking: string | undefined;

  constructor(around: PanelSurroundings) {
    this.#around = around;
  }

  /** Nothing is kept between frames. */
  invalidate(): void {}

  render(width: number): string[] {
    const { screen, palette, source, height } = this.#around;
    const pen = new Pen(screen, palette);
    try {
      const snapshot = source.snapshot();
      const entries = this.#follow(panelEntries(snapshot));
      const detail = this.#detail(entries);
      return drawPanel(
        pen,
        {
          entries,
          selected: this.#selected,
          ...(detail ? { detail } : {}),
          isAsking: this.#asking !== undefined,
          height: height(),
          at: snapshot.at,
          missing: Math.max(0, snapshot.taskCount - snapshot.tasks.length),
        },
        width,
      );
    } catch {
      // A session that is gone: the panel can still be closed.
      return [pen.draw([{ text: "(cannot be shown)", tone: "dim" }], width)];
    }
  }

  handleInput(data: string): void {
    try {
      if (this.#asking === undefined) this.#move(data);
      else this.#answer(data, this.#asking);
    } catch {
      // A source of a session that is gone has nothing to stop or select.
    }
    this.#around.redraw();
  }

  #answer(data: string, id: string): void {
    const { isKey, source } = this.#around;
    if (isKey(data, "yes")) source.stop(id);
    else if (!isKey(data, "no") && !isKey(data, "cancel")) return;
    this.#asking = undefined;
  }

  #move(data: string): void {
    const { isKey, source, close } = this.#around;
    if (isKey(data, "cancel")) {
      if (!this.#isOpen) return close();
      this.#isOpen = false;
      return;
    }
    const entries = this.#follow(panelEntries(source.snapshot()));
    const steps = { up: -1, down: 1, pageUp: -PAGE, pageDown: PAGE } as const;
    for (const [key, step] of Object.entries(steps))
      if (isKey(data, key as keyof typeof steps) && !this.#isOpen)
        this.#select(entries, this.#selected + step);
    const entry = entries[this.#selected];
    if (!entry) return;
    if (isKey(data, "confirm")) this.#isOpen = true;
    else if (isKey(data, "stop") && entry.isOpen) this.#asking = entry.id;
  }

  #select(entries: readonly PanelEntry[], index: number): void {
    this.#selected = Math.max(0, Math.min(index, entries.length - 1));
    this.#selectedId = entries[this.#selected]?.id;
  }

  /** Finds the selected one again. A question about one that has ended is over. */
  #follow(entries: PanelEntry[]): PanelEntry[] {
    const found = entries.findIndex(({ id }) => id === this.#selectedId);
    if (found < 0 && this.#selectedId !== undefined) this.#isOpen = false;
    this.#select(entries, found < 0 ? this.#selected : found);
    const asked = entries.find(({ id }) => id === this.#asking);
    if (asked?.isOpen !== true) this.#asking = undefined;
    return entries;
  }

  #detail(entries: readonly PanelEntry[]): LiveDetail | undefined {
    const entry = entries[this.#selected];
    return this.#isOpen && entry ? this.#around.source.detail(entry.id) : undefined;
  }
}
