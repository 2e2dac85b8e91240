import { beforeEach, describe, expect, test } from "vitest";
import { GuestTimers } from "../../src/worker/guest-timers.ts";

/** A thread that keeps the one wish for a wake-up, and a clock that is set by hand. */
let now: number;
let wake: number | undefined;
let timers: GuestTimers;
let ran: unknown[];
beforeEach(() => {
  now = 1_000;
  wake = undefined;
  ran = [];
  timers = new GuestTimers(
    (ms) => (wake = ms),
    () => now,
  );
});

const note =
  (what: unknown) =>
  (...args: unknown[]): void =>
    void ran.push(args.length > 0 ? [what, ...args] : what);

/** Goes to the next wake-up and calls `tick` as the thread does: at once as long as that is wished. */
function next(): void {
  now += wake ?? Number.NaN;
  wake = undefined;
  do {
    wake = undefined;
    timers.tick();
  } while (wake === 0);
}

describe("a timer", () => {
  test("runs once when it is due, with its arguments", () => {
    timers.globals().setTimeout(note("a"), 50, 1, 2);
    expect(wake).toBe(50);
    next();
    expect(ran).toEqual([["a", 1, 2]]);
    expect([timers.size, wake]).toEqual([0, undefined]);
  });

  test("that repeats runs until it is cleared", () => {
    const id = timers.globals().setInterval(note("tick"), 10);
    next();
    next();
    expect(ran).toEqual(["tick", "tick"]);
    timers.globals().clearInterval(id);
    expect(timers.size).toBe(0);
  });

  test("that takes its period leaves the thread time for its messages, and its pause begins after it", () => {
    timers.globals().setInterval(() => {
      ran.push("slow");
      now += 25;
    }, 10);
    next();
    expect(ran).toEqual(["slow"]);
    expect(wake).toBe(10);
  });

  test("that repeats and clears itself does not run again", () => {
    const { setInterval, clearInterval } = timers.globals();
    const id: unknown = setInterval(() => clearInterval(id), 10);
    next();
    expect([timers.size, wake]).toEqual([0, undefined]);
  });

  test("that is cleared never runs, and clearing what is none does nothing", () => {
    const { setTimeout, clearTimeout } = timers.globals();
    clearTimeout(setTimeout(note("a"), 5));
    for (const odd of [undefined, null, "1", {}, 77]) clearTimeout(odd);
    setTimeout(note("b"), 5);
    next();
    expect(ran).toEqual(["b"]);
  });

  test.each([[0], [-5], [Number.NaN], [undefined], ["x"], [2 ** 31], [Infinity]])(
    "with a delay of %s waits a millisecond, as in Node",
    (delay) => {
      timers.globals().setTimeout(note("a"), delay);
      expect(wake).toBe(1);
    },
  );

  test.each([[undefined], [null], ["code"], [{}]])("of %s is a TypeError", (callback) => {
    expect(() => timers.globals().setTimeout(callback, 1)).toThrow(TypeError);
    expect(timers.size).toBe(0);
  });
});

describe("several timers", () => {
  test("run in the order in which they are due, those of one moment as they were made", () => {
    const { setTimeout } = timers.globals();
    setTimeout(note("late"), 30);
    setTimeout(note("first"), 10);
    setTimeout(note("second"), 10);
    expect(wake).toBe(10);
    next();
    expect(ran).toEqual(["first", "second"]);
    expect(wake).toBe(20);
    next();
    expect(ran).toEqual(["first", "second", "late"]);
  });

  test("made in a timer wait for a later round, so that the thread hears its messages between", () => {
    const { setTimeout } = timers.globals();
    const again = (): void => {
      ran.push("again");
      now += 5;
      setTimeout(again, 0);
    };
    setTimeout(again, 0);
    next();
    expect(ran).toEqual(["again"]);
    expect(wake).toBeGreaterThanOrEqual(1);
  });

  test("in thousands, half of them cleared, run in their order", () => {
    const { setTimeout, clearTimeout } = timers.globals();
    const delays = Array.from({ length: 20_000 }, (_, index) => 1 + ((index * 7_919) % 4_001));
    const ids = delays.map((delay) => setTimeout(note(delay), delay));
    for (let index = 0; index < ids.length; index += 2) clearTimeout(ids[index]);
    while (timers.size > 0) next();
    expect(ran).toEqual(delays.filter((_, index) => index % 2 === 1).toSorted((one, other) => one - other));
  });

  test("that are due together with one that repeats are not kept waiting by it", () => {
    const { setTimeout, setInterval } = timers.globals();
    setInterval(() => {
      ran.push("tick");
      now += 50;
    }, 10);
    setTimeout(note("once"), 10);
    next();
    expect(ran).toEqual(["tick", "once"]);
  });

  test("go on after one that throws", () => {
    const { setTimeout } = timers.globals();
    setTimeout(() => {
      throw new Error("mine");
    }, 1);
    setTimeout(note("next"), 1);
    now += 1;
    expect(() => timers.tick()).toThrow("mine");
    expect(wake).toBe(0);
    timers.tick();
    expect(ran).toEqual(["next"]);
  });
});
