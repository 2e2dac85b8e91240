/**
 * The calls a program has open. Calls leave a few microtasks after they were made, in one write: a
 * program that returned without awaiting them has settled by then, and never started them.
 */

import { indexOf, slice } from "../base/primordials.ts";
import { isWithin } from "../base/utf8-size.ts";
import { hasTooManyParts, MAX_JSON_PARTS } from "../base/json-parts.ts";
import type { Channel } from "./channel.ts";
import { type CallFailure, type CallReply, type ContentBlock, type Json, plainFailure } from "./protocol.ts";

/** What a failed call rejects with. */
export class ToolCallError extends Error {
  readonly toolName: string;
  readonly content: ContentBlock[];
  readonly details: Json;
  declare readonly structuredContent?: Json;
  readonly #mark = true;

  /** Asks for the private field: `instanceof` would run the trap of a proxy. */
  static is(thrown: unknown): thrown is ToolCallError {
    return typeof thrown === "object" && thrown !== null && #mark in thrown && thrown.#mark;
  }

  constructor(toolName: string, failure: CallFailure) {
    super(failure.message);
    this.name = "ToolCallError";
    this.toolName = toolName;
    this.content = failure.content;
    this.details = failure.details;
    if (failure.structuredContent !== undefined) this.structuredContent = failure.structuredContent;
  }
}

interface OpenCall {
  name: string;
  /** Size of its arguments, which pi holds while it is open. */
  chars: number;
  /** Where the program made it. */
  site: { stack?: string };
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Request = { what: "call"; name: string; args: unknown } | { what: "search" | "describe"; query: string };

/** One call that may leave, with what stands before and after the id in its frame. */
interface QueuedCall {
  call: OpenCall;
  frame: Encoded;
}

interface Encoded {
  before: string;
  after: string;
  /** Size of what the program gave. */
  chars: number;
}

/** Arguments that may be on their way together: more would fill pi's memory, so the next call waits. */
const MAX_OPEN_CHARS = 33_554_432;

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

// Taken before a program can patch them.
const { stringify } = JSON;
const { defineProperty } = Object;
const microtask = queueMicrotask;
const captureStack = (Error as Partial<Pick<ErrorConstructor, "captureStackTrace">>).captureStackTrace;
/** Microtasks between a program's `return` and the code that hears of it: three, and one for a lone function. */
const SETTLING_MICROTASKS = 6;

/** The calls of one run: those pi has, and those that wait for room. */
export class PendingCalls {
  readonly #channel: Channel;
  readonly #maxOpen: number;
  readonly #maxBytes: number;
  readonly #open = new Map<number, OpenCall>();
  #waiting: QueuedCall[] = [];
  #firstWaiting = 0;
  #outgoing: string[] = [];
  #openChars = 0;
  #lastId = 0;
  #stopped: string | undefined;
  #abandoned = false;
  /** Microtasks left until the outgoing calls leave. */
  #hops = 0;
  /** One function for all of them: an engine that interprets takes long to make one. */
  readonly #hop = (): void => {
    this.#hops -= 1;
    if (this.#hops > 0) microtask(this.#hop);
    else this.#flush();
  };

  constructor(channel: Channel, limits: { maxPendingCalls: number; maxMessageBytes: number }) {
    this.#channel = channel;
    this.#maxOpen = limits.maxPendingCalls;
    this.#maxBytes = limits.maxMessageBytes;
  }

  /** Calls made and not yet answered. */
  get size(): number {
    return this.#open.size + this.#waiting.length - this.#firstWaiting;
  }

  /** Asks pi; rejects with `ToolCallError` when the call fails or its arguments are not JSON. */
  ask(request: Request): Promise<unknown> {
    const name = request.what === "call" ? request.name : `${request.what}Tools`;
    if (this.#abandoned) return new Promise(() => undefined);
    if (this.#stopped !== undefined) return refuse(name, this.#stopped);
    let frame: Encoded;
    try {
      frame = this.#encode(request);
    } catch (error) {
      return refuse(
        name,
        `the arguments of ${name} cannot be sent: ${error instanceof Error ? error.message : "not JSON"}`,
      );
    }
    const site: OpenCall["site"] = {};
    captureStack?.(site);
    return new Promise((resolve, reject) => {
      const { chars } = frame;
      const queued: QueuedCall = { call: { name, chars, site, resolve, reject }, frame };
      this.#channel.hold(true);
      if (!this.#hasRoom(chars) || this.#firstWaiting < this.#waiting.length)
        this.#waiting[this.#waiting.length] = queued;
      else this.#send(queued);
    });
  }

  /** Hands pi's answer to the call it belongs to; an unknown id is ignored. */
  settle(id: number, reply: CallReply): void {
    const call = this.#open.get(id);
    if (!call) return;
    this.#open.delete(id);
    this.#openChars -= call.chars;
    this.#sendNext();
    if (this.size === 0) this.#channel.hold(false);
    if (!reply.ok) {
      hideData(reply.failure.content);
      call.reject(withSite(new ToolCallError(call.name, reply.failure), call.site));
    } else if ("raw" in reply) call.resolve(reply.raw);
    else {
      hideData(reply.value.content);
      call.resolve(reply.value);
    }
  }

  /** Rejects every open call and each later one. */
  stop(reason: string): void {
    this.#stopped = reason;
    const calls = this.#all();
    this.#open.clear();
    this.#waiting = [];
    this.#firstWaiting = 0;
    this.#outgoing = [];
    this.#channel.hold(false);
    for (const call of calls) call.reject(new ToolCallError(call.name, plainFailure(reason)));
  }

  /** Ends the calls without telling the program: nothing leaves or settles any more. Returns the names of those that are open. */
  abandon(): string[] {
    this.#abandoned = true;
    this.#outgoing = [];
    const names: string[] = [];
    for (const call of this.#all()) names[names.length] = call.name;
    return names;
  }

  #all(): OpenCall[] {
    const calls: OpenCall[] = [];
    for (const call of this.#open.values()) calls[calls.length] = call;
    for (let index = this.#firstWaiting; index < this.#waiting.length; index += 1)
      calls[calls.length] = (this.#waiting[index] as QueuedCall).call;
    return calls;
  }

  #encode(request: Request): Encoded {
    if (request.what !== "call") {
      const query = stringify(request.query);
      const after = `,"what":"${request.what}","query":${query}}`;
      return { before: '{"kind":"find","id":', after, chars: query.length };
    }
    const args = stringify(request.args);
    if (args === undefined) throw new TypeError(`a ${typeof request.args} is not JSON`);
    if (args.length > this.#maxBytes / 4 && !isWithin(args, this.#maxBytes - 1024)) {
      throw new RangeError(
        `${args.length} characters are over the limit of ${this.#maxBytes} bytes (maxMessageBytes)`,
      );
    }
    if (hasTooManyParts(args))
      throw new RangeError(`they hold more than ${MAX_JSON_PARTS} values; write them to a file`);
    const after = `,"name":${stringify(request.name)},"args":${args}}`;
    return { before: '{"kind":"call","id":', after, chars: args.length };
  }

  #send({ call, frame }: QueuedCall): void {
    const id = ++this.#lastId;
    this.#open.set(id, call);
    this.#openChars += call.chars;
    this.#outgoing[this.#outgoing.length] = frame.before + id + frame.after;
    if (this.#outgoing.length > 1) return;
    const isUnderWay = this.#hops > 0;
    this.#hops = SETTLING_MICROTASKS;
    if (!isUnderWay) microtask(this.#hop);
  }

  #hasRoom(chars: number): boolean {
    return (
      this.#open.size === 0 || (this.#open.size < this.#maxOpen && this.#openChars + chars <= MAX_OPEN_CHARS)
    );
  }

  /** Sends what waits, in order, as far as there is room. */
  #sendNext(): void {
    for (let next = this.#waiting[this.#firstWaiting]; next && this.#hasRoom(next.call.chars);) {
      this.#firstWaiting += 1;
      if (this.#firstWaiting > 1024) {
        this.#waiting = this.#waiting.slice(this.#firstWaiting);
        this.#firstWaiting = 0;
      }
      this.#send(next);
      next = this.#waiting[this.#firstWaiting];
    }
  }

  #flush(): void {
    const texts = this.#outgoing;
    this.#outgoing = [];
    if (texts.length > 0) this.#channel.postJson(texts);
  }
}

const refuse = (name: string, why: string): Promise<never> =>
  Promise.reject(new ToolCallError(name, plainFailure(why)));

/** An error made when the answer comes has no frame of the program; where the call was made has. */
function withSite(error: ToolCallError, { stack }: OpenCall["site"]): ToolCallError {
  const frames = typeof stack === "string" ? slice(stack, indexOf(stack, "\n")) : "";
  defineProperty(error, "stack", {
    value: `${error.name}: ${error.message}${frames}`,
    configurable: true,
    writable: true,
  });
  return error;
}

/** Pictures are attached to the result; their base64 has no place in what `console.log` prints of them. */
function hideData(blocks: readonly ContentBlock[]): void {
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] as ContentBlock;
    const { type, data } = block;
    if (type !== "image" || typeof data !== "string") continue;
    defineProperty(block, INSPECT, {
      value: () => ({ ...block, data: `[base64, ${data.length} characters]` }),
    });
  }
}
