/**
 * Owns what the model is offered of this package, from the factory to the end of the session. The decision
 * is made anew whenever pi prepares a loadout and before every run: declarations are hidden at once, through
 * the hook of each of our tools, and exposures are changed as soon as pi is done with the loadout it was
 * preparing, since registering a tool in a hook would prepare another one inside it.
 */

import type {
  ExtensionAPI,
  ToolDefinition,
  ToolLoadout,
  ToolLoadoutChanges,
} from "@earendil-works/pi-coding-agent";
import type { PtcSettings } from "../base/settings.ts";
import { SUBAGENT } from "../base/tool-names.ts";
import {
  choose,
  CODEMODE,
  type CodemodeFacts,
  type LaunchArguments,
  type SurfaceChoice,
} from "../surface/choose.ts";
import { blockReason } from "../surface/direct-calls.ts";
import type { ExposureFacts } from "../surface/exposure.ts";
import { hiddenByCodemode, type LoadoutView } from "../surface/loadout.ts";
import { offerOf, type ToolSets } from "../surface/offer.ts";
import type { OfferState } from "../surface/offer-watch.ts";
import {
  chosenMode,
  MODE_ENTRY_TYPE,
  type ModeEntry,
  type RecordedEntry,
  leftBehindTools,
} from "../surface/session-record.ts";
import { BUILT_INS } from "../surface/tool-roles.ts";
import { type OwnTool, OwnTools } from "./tool-registry.ts";

/** The part of pi's context that is used. */
export interface ControlContext {
  mode: string;
  sessionManager: { getEntries(): readonly RecordedEntry[]; getBranch(): readonly RecordedEntry[] };
}

/** What the control needs. */
export interface ControlParts {
  pi: ExtensionAPI;
  settings: () => Readonly<PtcSettings>;
  /** pi's arguments; undefined where the process is not pi's command line. */
  launch: () => LaunchArguments | undefined;
  isChild: boolean;
  /** Told whenever the offer was looked at outside of pi's hook. */
  onOffer: (state: OfferState) => void;
}

/** One loadout as the hooks of our tools share it. */
interface Prepared extends OfferState {
  /** What is hidden, by us or by codemode. */
  unseen: ReadonlySet<string>;
  hidden: string[];
}

export class SurfaceControl {
  readonly #parts: ControlParts;
  readonly #own: OwnTools;
  #tools: readonly OwnTool[] = [];
  #context: ControlContext | undefined;
  #chosen: "on" | "off" | undefined;
  #prepared: { loadout: object; result: Prepared } | undefined;
  #settling = false;
  #scheduled = false;
  /** The last offer that `onOffer` was told, in short. */
  #told = "";

  constructor(parts: ControlParts) {
    this.#parts = parts;
    this.#own = new OwnTools(parts.pi, (loadout, own) => this.#prepare(loadout, own));
  }

  /** Registers the tools, where the user's settings do not switch everything off. */
  load(tools: readonly OwnTool[]): void {
    this.#tools = tools;
    if (this.#parts.settings().surfaceMode === "off") return;
    // Of a session only pi can tell more; nearly all are on this surface.
    this.#own.register(tools, this.#exposureFacts({ surface: "full" }, undefined));
  }

  /** Decides for the session, once its settings are known. */
  start(context: ControlContext): void {
    this.#context = context;
    this.#chosen = chosenMode(context.sessionManager.getEntries());
    const { surfaceMode } = this.#parts.settings();
    if (!this.#own.areRegistered && surfaceMode !== "off")
      this.#own.register(this.#tools, this.#exposureFacts({ surface: "full" }, undefined));
    const leftBehind = leftBehindTools(context.sessionManager.getBranch(), this.#own.names);
    this.#own.begin(leftBehind);
    this.settle();
    this.#own.activate(this.#own.inactive(leftBehind).filter((name) => !this.#isExcluded(name)));
  }

  /** Decides anew and registers what has to change. Safe to call at any time; never throws. */
  settle(): void {
    if (!this.#context || this.#settling) return;
    this.#settling = true;
    try {
      const { offer, codemode } = this.state();
      this.#own.expose(this.#exposureFacts(offer, codemode));
      const state = this.state();
      this.#told = inShort(state);
      this.#parts.onOffer(state);
    } catch {
      // The session was replaced meanwhile: its successor decides for itself.
    } finally {
      this.#settling = false;
    }
  }

  /** Registers tools anew whose texts have changed since. */
  refreshTexts(): void {
    if (this.#context) this.#own.refreshTexts();
  }

  /** What is offered now. Throws once the session was replaced. */
  state(): OfferState {
    const { pi } = this.#parts;
    const active = new Set(pi.getActiveTools());
    const all = pi.getAllTools();
    const callable = all.filter(
      ({ name, exposure }) =>
        exposure === "codemode" || exposure === "deferred" || (exposure === "direct" && active.has(name)),
    );
    return this.#stateFor({ active, callable: new Set(callable.map(({ name }) => name)) }, all);
  }

  /** The answer to a `tool_call` event. */
  guard(event: {
    toolName: string;
    input: unknown;
    parentToolCallId?: string;
  }): { block: true; reason: string } | undefined {
    const isNested = event.parentToolCallId !== undefined;
    // Calls of programs are many; of these only the start of a child can be refused.
    if (!this.#context || (isNested && !this.#own.names.includes(event.toolName))) return undefined;
    const reason = blockReason({ ...event, isNested }, this.state().offer);
    return reason === undefined ? undefined : { block: true, reason };
  }

  /** Active tools that the model is not shown in this loadout. */
  unseen(loadout: LoadoutView): ReadonlySet<string> {
    return this.#resultFor(loadout).unseen;
  }

  /** Names of ours that the session has on its surface, active or callable. */
  held(): string[] {
    const { tools } = this.state();
    return this.#own.names.filter((name) => tools.active.has(name) || tools.callable.has(name));
  }

  /** Does pi have any of these tools? Those that a launch leaves out it does not. */
  has(names: readonly string[]): boolean {
    return this.#parts.pi
      .getAllTools()
      .some(({ name, exposure }) => exposure !== "hidden" && names.includes(name));
  }

  /** Does pi have any tool of ours? */
  get isPresent(): boolean {
    return this.has(this.#own.names);
  }

  /** Can programs start children, as far as is known: before the session starts they are taken to. */
  get canDispatch(): boolean {
    return !this.#context || this.has([SUBAGENT]);
  }

  /** Takes the user's word on PTC mode, and keeps it in the session. */
  setMode(mode: "on" | "off"): void {
    if (this.#chosen !== mode) this.#parts.pi.appendEntry(MODE_ENTRY_TYPE, { mode } satisfies ModeEntry);
    this.#chosen = mode;
    this.settle();
  }

  #stateFor(tools: ToolSets, all: ReturnType<ExtensionAPI["getAllTools"]>): OfferState {
    const { pi, settings, launch } = this.#parts;
    const found = all.find(({ name }) => name === CODEMODE);
    const { codemode: ofPi, defaultTools } = pi.getSettings();
    const codemode: CodemodeFacts = {
      registered: found !== undefined,
      active: tools.active.has(CODEMODE),
      builtin: found?.sourceInfo.source === "builtin",
      only: ofPi?.mode === "only",
    };
    const { surfaceMode: pinned, defaultMode } = settings();
    const hasScreen = this.#context?.mode === "tui";
    const choice = choose({
      launch: launch(),
      defaultTools,
      codemode,
      pinned,
      defaultMode,
      hasScreen,
      isChild: this.#parts.isChild,
      chosen: this.#chosen,
    });
    return { offer: offerOf(choice, codemode, tools), codemode, tools };
  }

  #exposureFacts(
    { surface, mode }: Pick<SurfaceChoice, "surface"> & Partial<SurfaceChoice>,
    codemode: CodemodeFacts | undefined,
  ): ExposureFacts {
    const codemodeHidesDirect =
      codemode !== undefined && codemode.active && codemode.builtin && codemode.only;
    return { surface, codemodeHidesDirect, isOff: mode === "off", isChild: this.#parts.isChild };
  }

  #prepare(loadout: ToolLoadout, own: ToolDefinition["prepareLoadout"]): ToolLoadoutChanges | undefined {
    try {
      if (!this.#context) return own?.(loadout);
      return { ...own?.(loadout), hiddenDeclarations: this.#resultFor(loadout).hidden };
    } catch {
      // The session is going; it makes no further request.
      return undefined;
    }
  }

  /** Every tool of ours asks, with the same loadout. */
  #resultFor(loadout: ToolLoadout | LoadoutView): Prepared {
    if (this.#prepared?.loadout === loadout) return this.#prepared.result;
    const active = new Set(loadout.declared.map(({ name }) => name));
    const callable = new Set(loadout.callable.map(({ name }) => name));
    this.#own.note(active);
    const state = this.#stateFor({ active, callable }, this.#parts.pi.getAllTools());
    const { offer, codemode } = state;
    const unseen = new Set([...offer.hidden, ...hiddenByCodemode(loadout, codemode)]);
    const result = { ...state, unseen, hidden: [...offer.hidden] };
    this.#prepared = { loadout, result };
    const differs = this.#own.differ(this.#exposureFacts(offer, codemode)) || inShort(state) !== this.#told;
    if (this.#context && differs) this.#schedule();
    return result;
  }

  #schedule(): void {
    if (this.#settling || this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.settle();
    });
  }

  /** Did launch or settings take the tool out by a `-name`? */
  #isExcluded(name: string): boolean {
    const { pi, launch } = this.#parts;
    const lists: unknown[] = [launch()?.tools, pi.getSettings().defaultTools];
    return lists.some((list) => Array.isArray(list) && list.includes(`-${name}`));
  }
}

const inShort = ({ offer, tools }: OfferState): string =>
  [
    offer.surface,
    offer.mode,
    offer.suspended,
    ...offer.hidden,
    ...BUILT_INS.filter((name) => tools.callable.has(name)),
  ].join();
