/** Follows what a session is offered and says, once each, what a person should know about it. */

import { CODEMODE, type CodemodeFacts } from "./choose.ts";
import type { Offer, ToolSets } from "./offer.ts";
import { BUILT_INS, PROGRAM_TOOLS } from "./tool-roles.ts";

/** The offer with what it was made from. */
export interface OfferState {
  offer: Offer;
  codemode: CodemodeFacts;
  tools: ToolSets;
}

/** The file with `surfaceMode`, and whether `/ptc surface auto` takes it out there: it edits only the user's own. */
export interface PinPlace {
  file: string;
  isOwn: boolean;
}

type Notice = readonly [kind: string, sentence: string];

export class OfferWatch {
  readonly #said = new Set<string>();
  /** Built-in tools that programs could call at any time. */
  readonly #bound = new Set<string>();
  #hadPrograms = false;

  /**
   * Sentences about a new state, each kind once. `isSettled`: every extension has had its start, so that a
   * tool that is inactive now stays so.
   */
  look(state: OfferState, { isSettled, pinnedIn }: { isSettled: boolean; pinnedIn: PinPlace }): string[] {
    const found = [...(isSettled ? pinnedNotices(state, pinnedIn) : []), ...this.#lost(state)];
    const fresh = found.filter(([kind]) => !this.#said.has(kind));
    for (const [kind] of fresh) this.#said.add(kind);
    return fresh.map(([, sentence]) => sentence);
  }

  /** What another extension took away while PTC mode is on. */
  #lost({ offer, tools }: OfferState): Notice[] {
    const hadPrograms = this.#hadPrograms;
    this.#hadPrograms ||= offer.programs.length > 0;
    if (offer.mode !== "on") return [];
    if (offer.suspended) return hadPrograms ? [["suspended", SUSPENDED]] : [];
    const lost = [...this.#bound].filter((name) => !tools.callable.has(name));
    for (const name of BUILT_INS) if (tools.callable.has(name)) this.#bound.add(name);
    return lost.length > 0 ? [["fewer", fewer(lost)]] : [];
  }
}

function pinnedNotices({ offer, codemode }: OfferState, pin: PinPlace): Notice[] {
  if (offer.surfaceReason !== "pinned") return [];
  if (offer.surface === "subagents" && !(codemode.active && codemode.builtin))
    return [["no-codemode", noCodemode(pin, codemode)]];
  return offer.surface === "full" && offer.hidden.has(CODEMODE)
    ? [["hidden-codemode", hiddenCodemode(pin)]]
    : [];
}

/** What the footer shows. */
export function footerText({ mode, suspended }: Offer): string | undefined {
  return mode === "on" && !suspended ? "PTC" : undefined;
}

const SUSPENDED = `PTC mode rests: ${PROGRAM_TOOLS.join(" and ")} were deactivated, so the built-in tools are offered to the model again. It goes on when they are active again.`;

function fewer(names: readonly string[]): string {
  return `Programs can no longer call ${names.join(", ")}, deactivated since the session began. They can again when these are active again.`;
}

const wayOut = ({ file, isOwn }: PinPlace): string =>
  isOwn ? "run /ptc surface auto" : `take surfaceMode out of ${file}`;

function noCodemode(pin: PinPlace, { registered, builtin }: CodemodeFacts): string {
  const what = !registered
    ? "this pi was started without its codemode"
    : builtin
      ? "pi's codemode is not active"
      : "codemode is another package's tool here";
  const fix =
    registered && builtin
      ? 'add "+codemode" to defaultTools in pi\'s settings.json, start pi with --tools +codemode, or'
      : "start pi with its own codemode, or";
  return `${pin.file}: surfaceMode is "subagents", but ${what}, so no script can call ptc_subagent; ${fix} ${wayOut(pin)}`;
}

function hiddenCodemode(pin: PinPlace): string {
  return `${pin.file}: surfaceMode is "full", so codemode, which is active, is not offered to the model; to go by what pi offers, ${wayOut(pin)}`;
}
