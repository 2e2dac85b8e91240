/**
 * What lives as long as a session of pi: its settings and its runner. pi runs the extension's factory anew for
 * every session, `/new` and `/reload` included, so one of these belongs to one factory run. Nothing is read or
 * started before it is first needed, and `close` is the only end.
 */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { openOutputFolder } from "../base/output-folder.ts";
import { type PtcSettings, readSettings, type SettingsReading } from "../base/settings.ts";
import type { ProgramRunner } from "../program/request.ts";
import { createProgramRunner } from "../program/run-program.ts";
import type { ProgramAccess } from "../tools/run-tool.ts";
import { STORE_ENTRY_TYPE, type StoreEntry } from "../tools/store.ts";
import { ChildService } from "./child-service.ts";
import type { Host } from "./host.ts";
import { SessionRows } from "./rows.ts";

export class PtcSession implements ProgramAccess {
  readonly children: ChildService;
  readonly rows: SessionRows;
  readonly #host: Host;
  readonly #pi: ExtensionAPI;
  readonly #outputDir = openOutputFolder();
  #reading: SettingsReading | undefined;
  #runner: ProgramRunner | undefined;
  #closed = false;
  /** Dialogs that are open, and what lets the clocks go on. */
  #openPrompts = 0;
  #resumeClocks: (() => void) | undefined;

  constructor(host: Host, pi: ExtensionAPI) {
    this.#host = host;
    this.#pi = pi;
    this.rows = new SessionRows(host);
    this.children = new ChildService({
      host,
      pi,
      settings: () => this.settings(),
      outputDir: this.#outputDir,
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

  /** Ends every program and worker. */
  async close(): Promise<void> {
    this.#closed = true;
    this.rows.close();
    await Promise.all([this.#runner?.close(), this.children.close()]);
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
