/** A session with a screen whose children do what the test says. */

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import type { ChildProgress, DispatchResult } from "../../src/children/dispatch.ts";
import type { RunningChild } from "../../src/children/start-child.ts";
import { ForegroundChildren } from "../../src/extension/foreground-children.ts";
import { LiveView } from "../../src/extension/live-view.ts";
import { Pulse } from "../../src/render/pulse.ts";
import type { TaskRecord } from "../../src/tasks/record.ts";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import { PLAIN, SCREEN } from "../render/canvas.ts";

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.5, turns: 1 };
export const progress: ChildProgress = {
  agentName: "scout",
  turns: 1,
  usage,
  lastText: "said",
  elapsedMs: 5_000,
};
const result: DispatchResult = {
  status: "fulfilled",
  text: "",
  started: true,
  agentName: "scout",
  durationMs: 1,
  reportChannel: "none",
  usage,
};
/** A task of the session. */
export const record = (id: string, status: TaskRecord["status"]): TaskRecord =>
  ({
    id,
    status,
    label: `job ${id}`,
    agentName: "scout",
    depth: 1,
    createdAt: 0,
    outputBytes: 4,
    usage,
  }) as TaskRecord;

class FakeTasks {
  records: TaskRecord[] = [];
  stops: unknown[] = [];
  output = () => ({ ok: true, text: "written", start: 0, end: 7, size: 7 });
  find = (id: string) => {
    const found = this.records.find((one) => one.id === id);
    return found ? { ok: true, record: found } : { ok: false, problem: "no such task" };
  };
  running = () =>
    this.records.filter(({ status }) => status === "running").map((one) => ({ record: one, progress }));
  beside: TaskRecord[] = [];
  others = {
    open: async () =>
      this.beside.map((one) => ({ session: "0199aabb-ccdd-7000-8000-000000000001", record: one })),
    look: (id: string) => ({ record: record(id, "running"), part: { ok: true, text: `there: ${id}` } }),
  };
  runningIds = () => this.running().map(({ record: { id } }) => id);
  page = async () => ({ records: this.records, warnings: [] });
  count = () => this.records.length;
  stop = async (...args: unknown[]) => {
    this.stops.push(args);
    return this.find(String(args[0]));
  };
}

/** A session with a screen, and what `LiveView` shows on it. */
export class Stage {
  readonly pulse = new Pulse();
  readonly foreground = new ForegroundChildren();
  readonly tasks = new FakeTasks();
  widget: { render(width: number): string[] } | undefined;
  panel: { render(width: number): string[]; handleInput(data: string): void } | undefined;
  redraws = 0;
  readonly said: string[] = [];
  hasWidget = true;
  readonly view: LiveView;
  readonly ctx: ExtensionContext;

  constructor() {
    const { pulse, foreground } = this;
    this.view = new LiveView({
      host: { tui },
      screen: SCREEN,
      pulse,
      foreground,
      tasks: () => this.tasks as unknown as SessionTasks,
      hasWidget: () => this.hasWidget,
    });
    const screen = { requestRender: () => (this.redraws += 1), terminal: { rows: 30 } };
    this.ctx = {
      mode: "tui",
      ui: {
        notify: (text: string) => void this.said.push(text),
        setWidget: (_key: string, make: (screen: unknown, palette: unknown) => Stage["widget"]) => {
          this.widget = make(screen, PLAIN);
        },
        custom: (make: (...args: unknown[]) => Stage["panel"]) =>
          new Promise<void>((resolve) => {
            const keys = { matches: (data: string, id: string) => id === `tui.select.${data}` };
            this.panel = make(screen, PLAIN, keys, () => resolve());
          }),
      },
    } as unknown as ExtensionContext;
  }

  child(id: string, read: () => ChildProgress = () => progress): () => void {
    const { promise, resolve } = Promise.withResolvers<DispatchResult>();
    const child = {
      result: promise,
      progress: read,
      stop: () => resolve({ ...result, status: "rejected" }),
    };
    void this.foreground.follow(id, `part ${id}`, child as unknown as RunningChild);
    return () => resolve(result);
  }
}
