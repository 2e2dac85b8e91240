/**
 * What lives as long as a session of pi: its settings and its runner. pi runs the extension's factory anew for
 * every session, `/new` and `/reload` included, so one of these belongs to one factory run. Nothing is read or
 * started before it is first needed, and `close` is the only end.
 */

import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { BOUNDS_VARIABLE, holdTo } from "../base/handed-settings.ts";
import { openOutputFolder } from "../base/output-folder.ts";
import { type PtcSettings, readSettings, type SettingsReading } from "../base/settings.ts";
import type { ProgramRunner } from "../program/request.ts";
import { createProgramRunner } from "../program/run-program.ts";
import type { ProgramAccess } from "../tools/run-tool.ts";
import { STORE_ENTRY_TYPE, type StoreEntry } from "../tools/store.ts";
import { ChildService, type ServiceOptions } from "./child-service.ts";
import { isReadOnly } from "./child-side.ts";
import type { Host } from "./host.ts";
import { LiveView } from "./live-view.ts";
import { warn, warnOfMany } from "./notices.ts";
import { SessionRows } from "./rows.ts";
import { TaskNotices } from "./task-notices.ts";
import { TaskService } from "./task-service.ts";

/** Where a session of pi is. */
export interface SessionPlace {
  cwd: string;
  isProjectTrusted(): boolean;
}

/** One session of pi, as the tools see it. */
export class PtcSession implements ProgramAccess {
  readonly tasks: TaskService;
  readonly children: ChildService;
  /** The surface, and which tools of ours it has; set by who decides it. */
  offered: ServiceOptions["offered"] = () => ({ surface: "full", own: [] });
  readonly notices: TaskNotices;
  readonly rows: SessionRows;
  readonly live: LiveView;
  readonly #host: Host;
  readonly #pi: ExtensionAPI;
  readonly #outputDir = openOutputFolder();
  #place: SessionPlace | undefined;
  #reading: SettingsReading | undefined;
  #runner: ProgramRunner | undefined;
  #closed = false;
  #endsAll = false;
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
      offered: () => this.offered(),
    });
    this.live = new LiveView({
      host,
      ...this.rows,
      foreground: this.children.foreground,
      tasks: () => this.tasks.current,
      hasWidget: () => this.settings().widget,
    });
  }

  /** Where the session is, and whether pi trusts its project; from here on the project's settings count. */
  open(place: SessionPlace): void {
    this.#place = place;
    this.#reading = undefined;
  }

  /** Programs of a read-only child run on the engine that contains them, whatever the user set (spec 2.9); no child has looser ones than its parent. */
  settings(): Readonly<PtcSettings> {
    return this.#read().settings;
  }

  /** The settings, where they come from, and what is wrong with them. */
  settingsReading(): Readonly<SettingsReading> {
    return this.#read();
  }

  /** Takes the surface, and nothing else, from the files as they are now; gives the file it comes from. */
  rereadSurface(): string | undefined {
    const { settings, ...before } = this.#read();
    this.#reading = undefined;
    const { settings: fresh, surfaceFrom } = this.#read();
    const { surfaceMode: _before, ...rest } = settings;
    const surface = fresh.surfaceMode === undefined ? {} : { surfaceMode: fresh.surfaceMode };
    this.#reading = { ...before, settings: Object.freeze({ ...rest, ...surface }), surfaceFrom };
    return surfaceFrom;
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
    warnOfMany(ctx, problems, "problems with background tasks of this session");
    this.notices.opened(ctx, this.tasks.isAdopted);
    this.live.opened(ctx);
    // Not awaited: old tasks are no reason to start later.
    void this.tasks.prune();
  }

  /** The next close ends tasks, whatever its reason is. */
  endAll(): void {
    this.#endsAll = true;
  }

  /** Ends every program, worker and child; tasks go on where `reason` is a reload. */
  async close(reason = "quit"): Promise<void> {
    this.#closed = true;
    this.notices.close();
    this.live.close();
    this.rows.close();
    const ending = this.#endsAll ? "quit" : reason;
    await Promise.all([this.#runner?.close(), this.children.close(), this.tasks.close(ending)]);
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
    if (this.#reading) return this.#reading;
    const { getAgentDir, CONFIG_DIR_NAME } = this.#host.codingAgent;
    const place = this.#place;
    const projectDir = place?.isProjectTrusted() ? join(place.cwd, CONFIG_DIR_NAME) : undefined;
    const reading = readSettings(getAgentDir(), this.#host, projectDir);
    const held = holdTo(reading.settings, process.env[BOUNDS_VARIABLE]);
    const settings = isReadOnly()
      ? Object.freeze({ ...held.settings, engine: "quickjs" as const })
      : held.settings;
    const problems = [...reading.problems, ...(held.problem === undefined ? [] : [held.problem])];
    this.#reading = { ...reading, settings, problems };
    return this.#reading;
  }

  #createRunner(): ProgramRunner {
    const { limits, engine, isolation } = this.settings();
    const runner = createProgramRunner({
      config: limits,
      engine,
      isolation,
      truncateTail: this.#host.codingAgent.truncateTail,
      outputDir: this.#outputDir,
    });
    if (this.#openPrompts > 0) this.#resumeClocks = runner.pauseClocks();
    return runner;
  }
}
