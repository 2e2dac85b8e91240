/** Shows a person what the model is offered: the word in the footer, and what is worth a sentence. */

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { footerText, type OfferState, OfferWatch, type PinPlace } from "../surface/offer-watch.ts";
import { warn } from "./notices.ts";

const STATUS_KEY = "ptc";

/** What the display needs. */
export interface DisplayOptions {
  /** Where `surfaceMode` is set. */
  pinnedIn: () => PinPlace;
  /** Is there a person to tell, and anything of ours to tell of? */
  isSpoken: () => boolean;
}

export class OfferDisplay {
  readonly #watch = new OfferWatch();
  readonly #options: DisplayOptions;
  #ctx: ExtensionContext | undefined;
  #isSettled = false;
  #footer: string | undefined;

  constructor(options: DisplayOptions) {
    this.#options = options;
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
    const { pinnedIn, isSpoken } = this.#options;
    if (isSpoken()) warn(ctx, this.#watch.look(state, { isSettled: this.#isSettled, pinnedIn: pinnedIn() }));
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
