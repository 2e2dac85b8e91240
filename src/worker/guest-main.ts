/** Entry of the script that runs in a QuickJS VM ahead of a program. Imports nothing of Node. */

import { ownKeys, stringify } from "../base/primordials.ts";
import type { Channel } from "./channel.ts";
import { type GuestApi, GuestEngine, type GuestHost } from "./guest-engine.ts";
import { GuestTimers } from "./guest-timers.ts";
import { ProgramRun } from "./program-run.ts";
import type { HostFrame, WorkerFrame } from "./protocol.ts";
import { rehearseTexts } from "./rehearsal.ts";

/** The thread puts its functions here and takes ours; then the property goes. */
const slot = globalThis as unknown as { ptcGuest: GuestHost & { memoryMessage: string } & GuestApi };
const { post, end, wake, compile, show, isFull, memoryMessage } = slot.ptcGuest;
const { parse } = JSON;
const { defineProperty } = Object;
/** Without a prototype, where a program could put a getter. */
const NOTHING = Object.freeze(Object.assign(Object.create(null) as PropertyDescriptor, { value: undefined }));
const microtask = queueMicrotask;
const clock = performance.now.bind(performance);

const engine = new GuestEngine({ compile, show, isFull }, memoryMessage);
const timers = new GuestTimers((ms) => wake(`${ms}`), clock);
let isHeld = false;
let run: ProgramRun | undefined;

const channel: Channel = {
  post: (frame: WorkerFrame) => (frame.kind === "done" ? end : post)(stringify(asItIs(frame) as never)),
  postJson: (texts) => {
    for (let index = 0; index < texts.length; index += 1) post(texts[index] as string);
  },
  hold: (held) => void (isHeld = held),
};

/** A `toJSON` that a program gave to all objects would write our frames. */
function asItIs(frame: object): object {
  const keys = ownKeys(frame);
  for (let index = 0; index < keys.length; index += 1) {
    const part = (frame as Record<string, unknown>)[keys[index] as string];
    if (typeof part === "object" && part !== null) defineProperty(part, "toJSON", NOTHING);
  }
  return defineProperty(frame, "toJSON", NOTHING);
}

const api: GuestApi = {
  receive: (json) => {
    const frame = parse(json) as HostFrame;
    if (frame.kind !== "run") return run?.onFrame(frame);
    run = new ProgramRun(channel, frame, engine);
    run.start();
  },
  idle: () => {
    // A job brings the thread here once more.
    if (engine.settle()) microtask(() => undefined);
    else if (!isHeld && timers.size === 0 && run) engine.stuck();
  },
  tick: () => {
    try {
      timers.tick();
    } catch (error) {
      engine.fail(error);
    }
  },
  reject: (promise, reason, isHandled) => engine.reject(promise, reason, isHandled),
  fail: (thrown) => engine.fail(thrown),
  rehearse: rehearseTexts,
};

// QuickJS calls it for every template literal, ours included: one patched by a program would be in every text.
// oxlint-disable-next-line no-extend-native -- it only loses its flags
Object.defineProperty(String.prototype, "concat", { writable: false, configurable: false });
for (const [name, value] of Object.entries(timers.globals()))
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
// With its setter a program would get the functions of a stack, ours among them.
Reflect.deleteProperty(Error, "prepareStackTrace");
slot.ptcGuest = api as typeof slot.ptcGuest;
