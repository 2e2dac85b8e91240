/**
 * What lives as long as a session of pi: its settings and its runner. pi runs the extension's factory anew for
 * every session, `/new` and `/reload` included, so one of these belongs to one factory run. Nothing is read or
 * started before it is first needed, and `close` is the only end.
 */

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { openOutputFolder } from "../base/output-folder.ts";
import { type PtcSettings, readSettings, type SettingsReading } from "../base/settings.ts";
import type { ProgramRunner } from "../program/request.ts";
import { createProgramRunner } from "../program/run-program.ts";
import type { ProgramAccess } from "../tools/run-tool.ts";
import { STORE_ENTRY_TYPE, type StoreEntry } from "../tools/store.ts";
import { ChildService } from "./child-service.ts";
import type { Host } from "./host.ts";
import { LiveView } from "./live-view.ts";
import { warn } from "./notices.ts";
import { SessionRows } from "./rows.ts";
import { TaskNotices } from "./task-notices.ts";
import { TaskService } from "./task-service.ts";

/** One session of pi, as the tools see it. */
export class PtcSession implements ProgramAccess {
  readonly tasks: TaskService;
  readonly children: ChildService;
  readonly notices: TaskNotices;
  readonly rows: SessionRows;
  readonly live: LiveView;
  readonly #host: Host;
  readonly #pi: ExtensionAPI;
  readonly #outputDir = openOutputFolder();
  #reading: SettingsReading | undefined;
  #runner: ProgramRunner | undefined;
  #closed = false;
  #ctx: ExtensionContext | undefined;
  /** Dialogs that are open, and what lets the clocks go on. */
  #openPrompts = 0;
  #resumeClocks: (() => void) | undefined;

  constructor(host: Host, pi: ExtensionAPI) {
    this.#host = host;
    this.#pi = pi;
    this.rows = new SessionRows(host);
    this.tasks = new TaskService({
      host,
      pi,
      settings: () => this.settings(),
      warn: (problem) => this.#warn(problem),
    });
    this.notices = new TaskNotices({
      pi,
      tasks: () => this.tasks.current,
      settings: () => this.settings(),
    });
    this.children = new ChildService({
      tasks: this.tasks,
      host,
      pi,
      settings: () => this.settings(),
      outputDir: this.#outputDir,
    });
    this.live = new LiveView({
      host,
      ...this.rows,
      foreground: this.children.foreground,
      tasks: () => this.tasks.current,
      hasWidget: () => this.settings().widget,
    });
  }

  settings(): Readonly<PtcSettings> {
    return this.#read().settings;
  }

  /** Sentences about the settings file. */
  settingsProblems(): readonly string[] {
    return this.#read().problems;
  }

  /** Throws once the session is closed: pi may keep a tool context longer than its session. */
  runner(): ProgramRunner {
    if (this.#closed) throw new Error("this session of pi has ended");
    this.#runner ??= this.#createRunner();
    return this.#runner;
  }

  blockImages(): boolean {
    return this.#pi.getSettings().images?.blockImages === true;
  }

  toolInfos(): ReturnType<ProgramAccess["toolInfos"]> {
    return this.#pi.getAllTools();
  }

  appendStore(entry: StoreEntry): void {
    this.#pi.appendEntry(STORE_ENTRY_TYPE, entry);
  }

  /** Stops the clocks of running programs, and of those started meanwhile, while a person is asked something. */
  promptStarted(): void {
    this.#openPrompts += 1;
    if (this.#openPrompts === 1) this.#resumeClocks = this.#runner?.pauseClocks();
  }

  promptEnded(): void {
    if (this.#openPrompts === 0) return;
    this.#openPrompts -= 1;
    if (this.#openPrompts > 0) return;
    this.#resumeClocks?.();
    this.#resumeClocks = undefined;
  }

  /** The session starts: its tasks are opened, and what a dead pi left of them is taken over. */
  async start(ctx: ExtensionContext): Promise<void> {
    this.#ctx = ctx;
    const tasks = this.tasks.open(ctx);
    const problems = await tasks.recover();
    warn(ctx, problems);
    this.notices.opened(ctx, this.tasks.isAdopted);
    this.live.opened(ctx);
    // Not awaited: old tasks are no reason to start later.
    void this.tasks.prune();
  }

  /** Ends every program, worker and child; tasks go on where `reason` is a reload. */
  async close(reason = "quit"): Promise<void> {
    this.#closed = true;
    this.notices.close();
    this.live.close();
    this.rows.close();
    await Promise.all([this.#runner?.close(), this.children.close(), this.tasks.close(reason)]);
    this.#ctx = undefined;
  }

  /** A late sentence for the person. The session may be gone by then. */
  #warn(problem: string): void {
    try {
      if (this.#ctx) warn(this.#ctx, [problem]);
    } catch {
      // There is nobody left to tell.
    }
  }

  #read(): SettingsReading {
    this.#reading ??= readSettings(this.#host.codingAgent.getAgentDir(), this.#host);
    return this.#reading;
  }

  #createRunner(): ProgramRunner {
    const { limits, isolation } = this.settings();
    const runner = createProgramRunner({
      config: limits,
      isolation,
      truncateTail: this.#host.codingAgent.truncateTail,
      outputDir: this.#outputDir,
    });
    if (this.#openPrompts > 0) this.#resumeClocks = runner.pauseClocks();
    return runner;
  }
}
