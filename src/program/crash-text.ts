/** V8's last words on standard error, kept from the model. What only looks like them is given back. */

const START = /<--- Last few GCs|^FATAL ERROR|^# Fatal|^\[\d+:0x[0-9a-f]+\]/m;
const OUT_OF_MEMORY =
  /heap out of memory|invalid table size|invalid array length|Allocation failed|out of memory/i;
const MAX_CHARS = 65_536;
/** V8 aborts right after; a busy machine takes its time. */
const HOLD_MS = 2_000;

export class CrashText {
  readonly #emit: (text: string) => void;
  #held = "";
  #timer: NodeJS.Timeout | undefined;

  /** `emit` gets the text that is none. */
  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    if (this.#held === "" && !START.test(text)) return this.#emit(text);
    this.#held += text;
    this.#timer ??= setTimeout(() => this.release(), HOLD_MS).unref();
    if (this.#held.length > MAX_CHARS) this.release();
  }

  /** At the exit: true when it was an abort for want of memory. Otherwise what was held is given back. */
  explains(aborted: boolean): boolean {
    const explained = aborted && OUT_OF_MEMORY.test(this.#held);
    if (explained) this.#held = "";
    this.release();
    return explained;
  }

  /** Gives back what was held. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#held;
    this.#held = "";
    if (text) this.#emit(text);
  }
}
