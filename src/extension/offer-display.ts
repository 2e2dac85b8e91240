/** Shows a person what the model is offered: the word in the footer, and what is worth a sentence. */

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { footerText, type OfferState, OfferWatch } from "../surface/offer-watch.ts";
import { warn } from "./notices.ts";

const STATUS_KEY = "ptc";

export class OfferDisplay {
  readonly #watch = new OfferWatch();
  readonly #pinnedIn: () => string;
  #ctx: ExtensionContext | undefined;
  #isSettled = false;
  #footer: string | undefined;

  /** `pinnedIn` gives the file that sets `surfaceMode`. */
  constructor(pinnedIn: () => string) {
    this.#pinnedIn = pinnedIn;
  }

  open(ctx: ExtensionContext): void {
    this.#ctx = ctx;
  }

  /** From here on, what an extension does at its start is done. */
  settle(): void {
    this.#isSettled = true;
  }

  show(state: OfferState): void {
    const ctx = this.#ctx;
    if (!ctx) return;
    this.#setFooter(footerText(state.offer));
    warn(ctx, this.#watch.look(state, { isSettled: this.#isSettled, pinnedIn: this.#pinnedIn() }));
  }

  close(): void {
    this.#setFooter(undefined);
    this.#ctx = undefined;
  }

  #setFooter(text: string | undefined): void {
    if (text === this.#footer) return;
    this.#footer = text;
    this.#ctx?.ui.setStatus(STATUS_KEY, text);
  }
}
