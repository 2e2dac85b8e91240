/** The engine as the code inside a QuickJS VM sees it. Only texts, and values of the VM, cross to the thread around it. */

import { errorText } from "../base/error-text.ts";
import { exec, indexOf, mapDelete, mapSet, slice, uncurry } from "../base/primordials.ts";
import type { Engine, EngineListener, PlainRendering } from "./engine.ts";
import { createGuestFormat } from "./guest-format.ts";
import { sizeOfMap, stepper } from "./object-slots.ts";
import { LARGER, plainJson } from "./plain-value.ts";
import type { RunFrame, WorkerErrorKind } from "./protocol.ts";

/** What the thread gives the VM. */
export interface GuestHost {
  /** Hands a frame to pi. */
  post(json: string): void;
  /** The same for the last one. */
  end(json: string): void;
  /** Asks for `tick` in so many milliseconds, in place of any earlier request; 0 = at once. */
  wake(ms: string): void;
  /** Evaluates a script of the program's. Throws its `SyntaxError`. */
  compile(code: string): unknown;
  /** Sends the text of a value given as `<most bytes>:<JSON>`, while it is no longer; returns the bytes it takes. */
  show(request: string): string;
  /** `true` when the heap has no room left to speak of. The text is not looked at. */
  isFull(text: string): boolean;
}

/** What the thread calls in the VM, each time with all jobs done before and after. */
export interface GuestApi {
  /** Takes a frame of pi. */
  receive(json: string): void;
  /** Every job is done: tells what is left over. */
  idle(): void;
  tick(): void;
  /** A promise was rejected unhandled, or a handler came after that. */
  reject(promise: object, reason: unknown, isHandled: boolean): void;
  /** The engine gave up on a job or call with this error. */
  fail(thrown: unknown): void;
  /** Runs once what every program needs. */
  rehearse(): void;
}

/** What of that the engine needs. */
export type GuestTools = Pick<GuestHost, "compile" | "show" | "isFull">;

export const GUEST_FILE = "ptc-program.js";
/** What programs that were written for Node run into. */
const OF_NODE =
  /^ReferenceError: (?:could not load module '|(?:process|require|module|Buffer|global|fetch|Intl|URL|URLSearchParams|WebAssembly|setImmediate|structuredClone|TextEncoder|TextDecoder|AbortController|crypto|__dirname|__filename) is not defined$)/;
const NODE_HINT = " (the engine quickjs has the language, timers and tools, and nothing of Node)";
const NO_MEMORY = "out of memory";
const internalError = (globalThis as { InternalError?: { prototype: object } }).InternalError?.prototype;
const isPrototypeOf = uncurry(Object.prototype.isPrototypeOf);
const mapClear = uncurry(Map.prototype.clear);

/** The engine, and what feeds it. */
export class GuestEngine implements Engine {
  readonly fileName = GUEST_FILE;
  readonly format = createGuestFormat(this);
  columnShift = 0;
  readonly #host: GuestTools;
  readonly #memoryMessage: string;
  #listener: EngineListener | undefined;
  /** Rejections of this turn that nobody awaits so far. */
  readonly #fresh = new Map<object, unknown>();
  #tasks: (() => void)[] = [];

  constructor(host: GuestTools, memoryMessage: string) {
    this.#host = host;
    this.#memoryMessage = memoryMessage;
  }

  compile({ code, loneFunction }: Pick<RunFrame, "code" | "loneFunction">): () => Promise<unknown> {
    const [before, after] = loneFunction ? ["return (", ")"] : ["", ""];
    // On the program's first line, so that the lines an error tells a program are its own.
    const head = `(async function program() {${before}`;
    this.columnShift = head.length;
    return this.#host.compile(`${head}${code}\n${after}})`) as () => Promise<unknown>;
  }

  start(listener: EngineListener): void {
    this.#listener = listener;
  }

  later(task: () => void): void {
    this.#tasks[this.#tasks.length] = task;
  }

  flush(): void {
    // Nothing writes past the console here.
  }

  render(value: unknown, maxParts: number): PlainRendering | undefined {
    const json = plainJson(value, maxParts);
    if (json === undefined || json === LARGER) return json;
    return { json, send: (maxBytes) => +this.#host.show(`${maxBytes}:${json}`) };
  }

  describe(thrown: unknown): { kind: WorkerErrorKind; message: string } | undefined {
    if (isOutOfMemory(thrown) || (thrown === null && this.#isFull()))
      return { kind: "out-of-memory", message: this.#memoryMessage };
    const message = errorText(thrown);
    return exec(OF_NODE, message) === null ? undefined : { kind: "exception", message: message + NODE_HINT };
  }

  /** Without memory for an error QuickJS throws null, as a program may, too. */
  #isFull(): boolean {
    try {
      return this.#host.isFull("?");
    } catch {
      // No memory to ask.
      return true;
    }
  }

  /** QuickJS points at the object that a missing property was read from. */
  column(message: string, line: string, column: number): number {
    const key = exec(/cannot (?:read|set) property '([^']*)' of (?:undefined|null)$/, message)?.[1];
    const at = key === undefined ? -1 : indexOf(line, `.${key}`, column - 1);
    return at < 0 ? column : at + 2;
  }

  reject(promise: object, reason: unknown, isHandled: boolean): void {
    if (!isHandled) mapSet(this.#fresh, promise, reason);
    else if (!mapDelete(this.#fresh, promise)) this.#listener?.caught(promise);
  }

  fail(thrown: unknown): void {
    this.#listener?.fail(thrown);
  }

  /** Tells the stray rejections, then does what waited for them. True when there was anything. */
  settle(): boolean {
    // Asked after every reply, and nearly always in vain.
    if (this.#tasks.length === 0 && sizeOfMap(this.#fresh) === 0) return false;
    const next = stepper(this.#fresh, "map");
    const strays: [promise: object, reason: unknown][] = [];
    for (let step = next(); step; step = next()) strays[strays.length] = step.item as [object, unknown];
    mapClear(this.#fresh);
    const tasks = this.#tasks;
    this.#tasks = [];
    for (let index = 0; index < strays.length; index += 1) {
      const [promise, reason] = strays[index] as [object, unknown];
      this.#listener?.stray(reason, promise);
    }
    for (let index = 0; index < tasks.length; index += 1) (tasks[index] as () => void)();
    return strays.length + tasks.length > 0;
  }

  stuck(): void {
    this.#listener?.stuck();
  }
}

function isOutOfMemory(thrown: unknown): boolean {
  try {
    if (internalError === undefined || !isPrototypeOf(internalError, thrown as object)) return false;
    return slice((thrown as Error).message, 0) === NO_MEMORY;
  } catch {
    // A proxy of the program's, or a message that is none.
    return false;
  }
}
