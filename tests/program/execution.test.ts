/** The first terminal event of a run wins, once, whatever else a worker says or becomes. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { resolveConfig } from "../../src/base/limits.ts";
import { Execution } from "../../src/program/execution.ts";
import type { RunRequest } from "../../src/program/request.ts";
import type { Vessel, VesselListener } from "../../src/program/vessel.ts";
import type { HostFrame, RunFrame } from "../../src/worker/protocol.ts";
import { ok, sleeper } from "./vessels.ts";

const DONE = { kind: "done", jsonOmitted: false, json: "1", warnings: [], store: {} };
const FAILED = { ...DONE, error: { kind: "exception", message: "boom", excerpt: "" } };
const GONE = { kind: "worker-exit", message: "it exited" } as const;

class FakeVessel implements Vessel {
  readonly kind = "process";
  readonly sent: HostFrame[] = [];
  ends = 0;
  /** Why nothing can be sent. */
  problem: string | undefined;
  worker!: VesselListener;
  listen(listener: VesselListener): void {
    this.worker = listener;
  }
  post(frame: HostFrame): string | undefined {
    if (this.problem === undefined) this.sent.push(frame);
    return this.problem;
  }
  hold(): void {}
  flush(): void {}
  async end(): Promise<void> {
    this.ends += 1;
  }
}

let vessel: FakeVessel;
let controller: AbortController;
beforeEach(() => {
  vessel = new FakeVessel();
  controller = new AbortController();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => vi.useRealTimers());

function start(request: Partial<RunRequest> = {}, config: object = {}) {
  const execution = new Execution({
    vessel,
    request: { tool: "run", source: "", cwd: "/", bindings: [], signal: controller.signal, ...request },
    config: resolveConfig(config),
    frame: { kind: "run" } as RunFrame,
    timeoutMs: 1_000,
    startedAt: performance.now(),
  });
  return { execution, end: execution.run() };
}

describe("a run", () => {
  test("ends with the worker's report, and the worker with it", async () => {
    const { end } = start();
    expect(vessel.sent).toEqual([{ kind: "run" }]);
    vessel.worker.onFrame(DONE);
    expect(await end).toEqual({ done: DONE });
    expect(vessel.ends).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keeps its report although the worker exits in the same turn", async () => {
    const { end } = start();
    vessel.worker.onFrame(DONE);
    vessel.worker.onEnd(GONE);
    expect(await end).toEqual({ done: DONE });
    expect(vessel.ends).toBe(1);
  });

  test.each([
    ["an abort", () => controller.abort()],
    ["the deadline", () => vi.advanceTimersByTime(1_000)],
    ["another report", () => vessel.worker.onFrame(FAILED)],
    ["a broken line", () => vessel.worker.onFrame({ kind: "boo" })],
  ])("keeps its report although %s follows at once", async (_what, happens) => {
    const { end } = start();
    vessel.worker.onFrame(DONE);
    happens();
    expect(await end).toEqual({ done: DONE });
  });

  test("keeps what other pipes bring in the turn of the report, but no frame", async () => {
    const { execution, end } = start();
    vessel.worker.onFrame(DONE);
    vessel.worker.onOutput("stderr", "from a child\n");
    vessel.worker.onFrame({ kind: "log", level: "log", text: "too late" });
    await end;
    vessel.worker.onOutput("stderr", "far too late\n");
    expect(execution.text.logs.newest(9)).toEqual(["[error] from a child"]);
  });

  test("ends with the exit of a worker that reported nothing, once", async () => {
    const { end } = start();
    vessel.worker.onEnd(GONE);
    vessel.worker.onFrame(DONE);
    expect(await end).toEqual({ error: { ...GONE, excerpt: "" } });
  });

  test("whose frame cannot be sent is refused", async () => {
    vessel.problem = "it is no JSON";
    const { end } = start();
    expect((await end).error).toMatchObject({ kind: "refused", message: expect.stringContaining("no JSON") });
  });

  test("that was aborted before it began ends as aborted", async () => {
    controller.abort();
    const { end } = start();
    vi.advanceTimersByTime(3_000);
    expect((await end).error?.kind).toBe("abort");
  });
});

describe("a deadline or an abort", () => {
  test("is told to the program, cancels its calls, and ends the run after the grace", async () => {
    const waiting = sleeper();
    const { end } = start({ bindings: [waiting] }, { graceMs: 500 });
    vessel.worker.onFrame({ kind: "call", id: 1, name: "sleeper", args: {} });
    vi.advanceTimersByTime(1_000);
    expect(waiting.canceled).toBe(1);
    expect(vessel.sent.slice(1)).toEqual([
      { kind: "abort", reason: "the program did not end within 1000 ms" },
      { kind: "reply", id: 1, reply: expect.objectContaining({ ok: false }) },
    ]);
    expect(vessel.ends).toBe(0);
    vi.advanceTimersByTime(500);
    expect((await end).error?.kind).toBe("timeout");
    expect(vessel.ends).toBe(1);
  });

  test("takes no call any more, and stands though the program unwinds well or dies", async () => {
    for (const last of [() => vessel.worker.onFrame(DONE), () => vessel.worker.onEnd(GONE)]) {
      vessel = new FakeVessel();
      controller = new AbortController();
      const { execution, end } = start({ bindings: [sleeper()] });
      controller.abort();
      vessel.worker.onFrame({ kind: "call", id: 1, name: "sleeper", args: {} });
      expect(execution.calls.counts.total).toBe(0);
      last();
      const { done, error } = await end;
      expect([done, error?.kind]).toEqual([undefined, "abort"]);
    }
  });

  test("that comes second changes nothing", async () => {
    const { end } = start();
    controller.abort();
    vi.advanceTimersByTime(10_000);
    expect((await end).error?.kind).toBe("abort");
    expect(vessel.sent.filter(({ kind }) => kind === "abort")).toHaveLength(1);
  });
});

describe("a worker that ignores its own limits", () => {
  test("is stopped when its output is far over them", async () => {
    const { end } = start({}, { maxOutputBytes: 1_024 });
    for (let index = 0; index < 100; index += 1)
      vessel.worker.onFrame({ kind: "log", level: "log", text: "x".repeat(1_000) });
    expect((await end).error?.kind).toBe("output-limit");
  });

  test("is stopped when it prints past its frames without a newline", async () => {
    const { end } = start({}, { maxOutputBytes: 1_024 });
    vessel.worker.onOutput("stdout", "x".repeat(2_000_000));
    expect((await end).error?.kind).toBe("output-limit");
  });

  test("is stopped when it opens more calls than it may", async () => {
    const { end } = start({ bindings: [sleeper()] }, { maxPendingCalls: 2 });
    for (const id of [1, 2, 3]) vessel.worker.onFrame({ kind: "call", id, name: "sleeper", args: {} });
    expect((await end).error).toMatchObject({
      kind: "protocol",
      message: expect.stringContaining("maxPendingCalls"),
    });
  });

  test("does not fill pi with phases", async () => {
    const { execution, end } = start();
    for (let index = 0; index < 5_000; index += 1) vessel.worker.onFrame({ kind: "phase", title: "p" });
    vessel.worker.onFrame(DONE);
    await end;
    expect(execution.text.phases).toHaveLength(1_000);
  });
});

describe("a reply", () => {
  test("that cannot be handed over becomes a failed call", async () => {
    const { end } = start({ bindings: [{ name: "big", call: async () => ok("x") }] });
    const post = vessel.post.bind(vessel);
    vi.spyOn(vessel, "post").mockImplementation((frame) =>
      frame.kind === "reply" && frame.reply.ok ? "5 bytes are over the limit of 4" : post(frame),
    );
    vessel.worker.onFrame({ kind: "call", id: 1, name: "big", args: {} });
    await vi.waitFor(() => expect(vessel.sent).toHaveLength(2));
    expect(vessel.sent[1]).toMatchObject({
      reply: { ok: false, failure: { message: expect.stringContaining("cannot be handed over: 5 bytes") } },
    });
    vessel.worker.onFrame(DONE);
    await end;
  });

  test("of a lookup that throws is null", async () => {
    const find = () => {
      throw new Error("no index");
    };
    start({ find });
    vessel.worker.onFrame({ kind: "find", id: 1, what: "search", query: "x" });
    expect(vessel.sent[1]).toEqual({ kind: "reply", id: 1, reply: { ok: true, raw: null } });
  });

  test("of a lookup is given once an id", async () => {
    const { end } = start({ find: () => 1 });
    const lookup = { kind: "find", id: 1, what: "search", query: "x" };
    vessel.worker.onFrame(lookup);
    vessel.worker.onFrame(lookup);
    expect((await end).error).toMatchObject({ kind: "protocol", message: expect.stringContaining("id 1") });
    expect(vessel.sent.filter(({ kind }) => kind === "reply")).toHaveLength(1);
  });
});
