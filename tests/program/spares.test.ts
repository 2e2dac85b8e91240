/** Workers booted ahead: what a spare that misbehaves leads to, and when they are let go. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Spares } from "../../src/program/spares.ts";
import type { Vessel, VesselEnd, VesselListener } from "../../src/program/vessel.ts";
import { PROTOCOL_VERSION } from "../../src/worker/protocol.ts";

const READY = { kind: "ready", version: PROTOCOL_VERSION };

/** A worker that does what it is told. */
class FakeVessel implements Vessel {
  readonly kind = "process";
  readonly cwd: string;
  isHeld = false;
  isEnded = false;
  #listener: VesselListener | undefined;

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  listen(listener: VesselListener): void {
    this.#listener = listener;
  }
  post(): undefined {}
  flush(): void {}
  hold(held: boolean): void {
    this.isHeld = held;
  }
  async end(): Promise<void> {
    this.isEnded = true;
  }

  says(frame: unknown = READY): void {
    this.#listener?.onFrame(frame);
  }
  prints(text: string): void {
    this.#listener?.onOutput("stderr", text);
  }
  dies(end: VesselEnd): void {
    this.#listener?.onEnd(end);
  }
}

let opened: FakeVessel[];
let rests: number;
beforeEach(() => {
  opened = [];
  rests = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function spares(wanted: number): Spares {
  const open = (cwd: string): FakeVessel => {
    const vessel = new FakeVessel(cwd);
    opened.push(vessel);
    return vessel;
  };
  return new Spares(wanted, open, () => (rests += 1));
}

const first = (): FakeVessel => opened[0] as FakeVessel;
const last = (): FakeVessel => opened.at(-1) as FakeVessel;

describe("a spare", () => {
  test("is handed out once, held, and a program after it gets a fresh one", async () => {
    const pool = spares(1);
    pool.fill("/a");
    first().says();
    expect(await pool.take("/a")).toEqual({ ok: true, vessel: first() });
    expect(first().isHeld).toBe(true);
    const second = pool.take("/a");
    expect(opened).toHaveLength(2);
    last().says();
    expect(await second).toEqual({ ok: true, vessel: last() });
  });

  test("that still boots is waited for", async () => {
    const pool = spares(1);
    pool.fill("/a");
    const taken = pool.take("/a");
    first().says();
    expect(await taken).toEqual({ ok: true, vessel: first() });
    expect(opened).toHaveLength(1);
  });

  test("that died while it was idle is replaced by a fresh worker, and by a new spare", async () => {
    const pool = spares(1);
    pool.fill("/a");
    first().says();
    await pool.filled("/a");
    first().dies({ kind: "worker-exit", message: "it was killed" });
    expect(first().isEnded).toBe(true);
    const taken = pool.take("/a");
    last().says();
    expect(await taken).toEqual({ ok: true, vessel: last() });
    expect(opened).toHaveLength(2);
    pool.fill("/a");
    expect(opened).toHaveLength(3);
  });

  test("that dies while it boots is replaced; the fresh one tells whether that is a lasting fault", async () => {
    const pool = spares(1);
    pool.fill("/a");
    const taken = pool.take("/a");
    first().dies({ kind: "worker-exit", message: "it was killed" });
    await vi.waitUntil(() => opened.length === 2);
    last().prints("\u001b[31mno such file\u001b[0m\n");
    last().dies({ kind: "worker-exit", message: "code 1" });
    const end = { kind: "worker-exit", message: "code 1; it said: no such file" };
    expect(await taken).toEqual({ ok: false, end });
  });

  test("of another folder is ended when spares for this one are wanted", () => {
    const pool = spares(2);
    pool.fill("/a");
    pool.fill("/b");
    expect(opened.map(({ cwd, isEnded }) => [cwd, isEnded])).toEqual([
      ["/a", true],
      ["/a", true],
      ["/b", false],
      ["/b", false],
    ]);
  });
});

describe("a worker", () => {
  test.each([
    [{ kind: "ready", version: PROTOCOL_VERSION + 1 }, `version ${PROTOCOL_VERSION + 1}`],
    [{ kind: "ready" }, "no version"],
    [{ kind: "log", level: "log", text: "x" }, "no version"],
    [null, "no version"],
  ])("whose first frame is %j is ended, and the refusal says to restart pi", async (frame, found) => {
    const taken = spares(0).take("/a");
    first().says(frame);
    const message = `the worker speaks ${found} of the frames, this pi speaks ${PROTOCOL_VERSION}: the package was updated under a running pi; restart pi`;
    expect(await taken).toEqual({ ok: false, end: { kind: "refused", message } });
    expect(first().isEnded).toBe(true);
  });

  test("that says nothing is given up after 30 seconds", async () => {
    const taken = spares(0).take("/a");
    vi.advanceTimersByTime(30_000);
    expect(await taken).toEqual({
      ok: false,
      end: { kind: "refused", message: "the worker was not ready after 30000 ms" },
    });
    expect(first().isEnded).toBe(true);
  });

  test("that boots while the session ends is ended at once", async () => {
    const pool = spares(0);
    const taken = pool.take("/a");
    await pool.close();
    expect(await taken).toMatchObject({ ok: false, end: { message: "the session ended" } });
    expect(first().isEnded).toBe(true);
  });
});

describe("idle spares", () => {
  test("are released after two minutes without a turn or a program, and the compiler rests", async () => {
    const pool = spares(2);
    pool.fill("/a");
    for (const vessel of opened) vessel.says();
    vi.advanceTimersByTime(119_999);
    expect(opened.map(({ isEnded }) => isEnded)).toEqual([false, false]);
    expect(opened.map(({ isHeld }) => isHeld)).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect(opened.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    expect(rests).toBe(1);
    vi.advanceTimersByTime(600_000);
    expect(rests).toBe(1);
    pool.fill("/a");
    expect(opened).toHaveLength(4);
  });

  test.each([
    ["a turn", (pool: Spares) => pool.fill("/a")],
    ["a program", (pool: Spares) => void pool.take("/b")],
  ])("stay another two minutes after %s", (_what, use) => {
    const pool = spares(1);
    pool.fill("/a");
    first().says();
    vi.advanceTimersByTime(100_000);
    use(pool);
    vi.advanceTimersByTime(100_000);
    expect(first().isEnded).toBe(false);
    vi.advanceTimersByTime(20_000);
    expect(first().isEnded).toBe(true);
  });

  test("are all ended when the session closes, and none is booted after that", async () => {
    const pool = spares(2);
    pool.fill("/a");
    first().says();
    await pool.close();
    expect(opened.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    pool.fill("/a");
    expect(opened).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
