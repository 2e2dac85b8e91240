/**
 * One program inside its worker: puts the globals in place, evaluates the body, and reports the
 * first of return, throw, stray rejection, output limit or standstill. Nothing is cleaned up after
 * it: the worker ends with the program.
 */

import { slice } from "../base/primordials.ts";
import { isWithin } from "../base/utf8-size.ts";
import { createCapturedConsole } from "./capture-console.ts";
import type { Channel } from "./channel.ts";
import type { Engine } from "./engine.ts";
import { reportThrown } from "./error-report.ts";
import { Output, OutputLimitError } from "./output.ts";
import { PendingCalls, ToolCallError } from "./pending-calls.ts";
import type { DoneFrame, HostFrame, LogLevelKind, RunFrame, WorkerError } from "./protocol.ts";
import { ProgramStore } from "./store.ts";
import { type JsonResult, toJson } from "./to-json.ts";
import { createToolsTable } from "./tools-table.ts";
import { valueText } from "./value-text.ts";
import { createWorkflowHelpers } from "./workflow.ts";

const MAX_LISTED_CALLS = 10;
const ERROR_NAME = "ToolCallError";

/** The one run of a worker. `start` returns at once; frames tell the rest. */
export class ProgramRun {
  readonly #channel: Channel;
  readonly #frame: RunFrame;
  readonly #engine: Engine;
  readonly #output: Output;
  readonly #calls: PendingCalls;
  readonly #store: ProgramStore;
  readonly #strayCalls = new Map<object, unknown>();
  /** What a program that is one function is called with: models write both `(tools) =>` and `({ tools }) =>`. */
  #given: object = {};
  #finished = false;

  constructor(channel: Channel, frame: RunFrame, engine: Engine) {
    this.#channel = channel;
    this.#frame = frame;
    this.#engine = engine;
    this.#calls = new PendingCalls(channel, frame.limits);
    this.#store = new ProgramStore(frame.store);
    this.#output = new Output(channel, frame.limits.maxOutputBytes, (error) => this.#fail(error));
  }

  /** Starts the program. Its end is reported over the channel. */
  start(): void {
    this.#channel.hold(false);
    this.#engine.start({
      fail: (thrown) => this.#fail(thrown),
      stray: (reason, promise) => this.#onStray(reason, promise),
      caught: (promise) => this.#strayCalls.delete(promise),
      stuck: () => this.#failStuck(),
      print: (level, text) => {
        if (!this.#finished) this.#output.log(level, text);
      },
    });
    this.#installGlobals();
    void this.#run();
  }

  /** Takes a reply or an abort from pi. */
  onFrame(frame: HostFrame): void {
    if (frame.kind === "reply") this.#calls.settle(frame.id, frame.reply);
    else if (frame.kind === "abort") this.#abort(frame.reason);
  }

  /** `await` and not `then`, which the program may have patched by now. */
  async #run(): Promise<void> {
    let value: unknown;
    try {
      value = await this.#evaluate();
    } catch (error) {
      return this.#fail(error);
    }
    this.#returned(value);
  }

  async #evaluate(): Promise<unknown> {
    const value = await this.#engine.compile(this.#frame)();
    if (!this.#frame.loneFunction || typeof value !== "function") return value;
    // Parameters with defaults have all they need.
    return value.length === 0
      ? (value as () => unknown)()
      : (value as (given: object) => unknown)(this.#given);
  }

  #installGlobals(): void {
    const { bindings, tool, args, phases, limits } = this.#frame;
    const log = (level: LogLevelKind, text: string): void => this.#output.log(level, text);
    const find = (what: "search" | "describe") => (query: unknown) =>
      this.#calls.ask({ what, query: String(query) });
    const globals: Record<string, unknown> = {
      tools: createToolsTable(bindings, this.#calls),
      ptcBindings: Object.freeze([...bindings].toSorted()),
      searchTools: find("search"),
      describeTool: find("describe"),
      ToolCallError,
      console: createCapturedConsole(log, this.#engine.format),
      store: this.#store.store,
      load: this.#store.load,
    };
    if (tool === "workflow") {
      const { maxItemsPerCall } = limits;
      Object.assign(
        globals,
        { args },
        createWorkflowHelpers({ output: this.#output, phases, maxItemsPerCall }),
      );
    }
    this.#given = Object.assign(Object.create(globals["tools"] as object) as object, globals);
    for (const [name, value] of Object.entries(globals)) {
      Object.defineProperty(globalThis, name, {
        value,
        writable: true,
        configurable: true,
        enumerable: true,
      });
    }
  }

  /** A rejection that nobody awaits yet. One of a call may still be awaited later, as in "start all, await in order". */
  #onStray(reason: unknown, promise: object): void {
    if (ToolCallError.is(reason)) this.#strayCalls.set(promise, reason);
    else this.#fail(reason, "a promise that nobody awaited was rejected: ");
  }

  #returned(value: unknown): void {
    const open = this.#calls.abandon();
    // Stray rejections of this turn are only told in the next one.
    this.#engine.later(() => this.#complete(value, open));
  }

  #complete(value: unknown, open: readonly string[]): void {
    if (this.#finished) return;
    const [stray] = this.#strayCalls.values();
    if (stray !== undefined) return this.#fail(stray, "a call that nobody awaited failed: ");
    this.#warnOfOpenCalls(open);
    try {
      const { maxValueBytes, maxOutputBytes } = this.#frame.limits;
      // Each part takes two characters of the text at least.
      const plain = this.#engine.render?.(value, maxOutputBytes / 2);
      if (plain === "larger") throw new OutputLimitError(maxOutputBytes);
      const { json, omitted, warnings } = plain
        ? whenWithin(plain.json, maxValueBytes)
        : toJson(value, { maxBytes: maxValueBytes });
      this.#flush();
      if (plain) this.#output.sentValue(plain.send);
      else if (value !== undefined) this.#output.value(valueText(value));
      this.#finish({ json, jsonOmitted: omitted, warnings });
    } catch (error) {
      this.#fail(error);
    }
  }

  #warnOfOpenCalls(open: readonly string[]): void {
    if (open.length > 0) this.#output.warn(openCallsWarning(open));
  }

  #abort(reason: string): void {
    if (this.#finished) return;
    // Without an open call nothing in the program can notice the abort: there is nothing to wait for.
    if (this.#calls.size === 0) this.#fail(new Error(reason));
    else this.#calls.stop(reason);
  }

  #failStuck(): void {
    const [stray] = this.#strayCalls.values();
    if (stray !== undefined) return this.#fail(stray, "a call that nobody awaited failed: ");
    this.#fail(new Error("the program waits for a promise that nothing left in it can settle"));
  }

  #fail(thrown: unknown, prefix = ""): void {
    if (this.#finished) return;
    const report = reportThrown(thrown, this.#frame.source, this.#engine);
    const limit = OutputLimitError.is(thrown)
      ? ({ kind: "output-limit", message: thrown.message } as const)
      : this.#engine.describe(thrown);
    this.#warnOfOpenCalls(this.#calls.abandon());
    this.#flush();
    this.#finish({
      error: {
        excerpt: report.excerpt,
        kind: limit?.kind ?? report.kind,
        message: prefix + (limit?.message ?? named(thrown, report.message)),
      },
    });
  }

  #flush(): void {
    if (!this.#finished) this.#engine.flush();
  }

  #finish(end: Partial<DoneFrame> & { error?: WorkerError; warnings?: string[] }): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#channel.post({
      kind: "done",
      jsonOmitted: false,
      ...end,
      warnings: [...this.#output.warnings, ...(end.warnings ?? [])],
      store: end.error ? {} : this.#store.changes(),
    });
    // The host ends this worker; until it does nothing more may be heard from the program.
    this.#channel.hold(true);
  }
}

function whenWithin(json: string, maxBytes: number): JsonResult {
  return isWithin(json, maxBytes) ? { json, omitted: false, warnings: [] } : { omitted: true, warnings: [] };
}

/** A failed call is told with the name of its tool: its own text often says only what was not found. */
function named(thrown: unknown, message: string): string {
  return ToolCallError.is(thrown)
    ? `ToolCallError (${thrown.toolName})${slice(message, ERROR_NAME.length)}`
    : message;
}

function openCallsWarning(names: readonly string[]): string {
  let listed = "";
  for (let index = 0; index < names.length && index < MAX_LISTED_CALLS; index += 1)
    listed += `${index === 0 ? "" : ", "}${names[index]}`;
  const more = names.length > MAX_LISTED_CALLS ? ` and ${names.length - MAX_LISTED_CALLS} more` : "";
  const verb = names.length === 1 ? "1 call was" : `${names.length} calls were`;
  return `${verb} still open when the program ended and got canceled: ${listed}${more}; await every call`;
}
