import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DispatchSlots, type Reservation } from "../../src/children/dispatch-slots.ts";

const LIMITS = { dispatchConcurrency: 8, maxDispatchDepth: 3 };
type Place = Extract<Reservation, { ok: true }>;

const session = (env: NodeJS.ProcessEnv = {}, limits = LIMITS) => new DispatchSlots(limits, env);
const place = (slots: DispatchSlots): Place => {
  const reservation = slots.reserve();
  if (!reservation.ok) throw new Error(reservation.refusal);
  return reservation;
};
const refusalOf = (slots: DispatchSlots, isBackground = false): string => {
  const reservation = slots.reserve(isBackground);
  if (reservation.ok) throw new Error("there was a place");
  return reservation.refusal;
};
/** The counter inside the child that got `given`. */
const inside = (given: Place, limits = LIMITS): DispatchSlots =>
  session({ PI_PTC_DEPTH: String(given.depth), PI_PTC_TREE_SLOTS: String(given.share) }, limits);

describe("the children of one session", () => {
  test("are at most as many as the limit says; the next is refused at once", () => {
    const slots = session();
    const places = Array.from({ length: 8 }, () => place(slots));
    expect(slots.running).toBe(8);
    const refusal = refusalOf(slots);
    expect(refusal).toMatch(/^dispatch concurrency limit reached: /);
    expect(refusal).toContain("8 of 8 children run");
    expect(refusal).toContain("parallel(thunks, { limit: 8 })");
    places[3]?.release();
    expect(place(slots).depth).toBe(1);
  });

  test("are refused with a limit that fits, and with what frees the places of tasks", () => {
    const slots = session({}, { ...LIMITS, dispatchConcurrency: 3 });
    const task = slots.reserve(true);
    const others = [place(slots), place(slots)];
    expect(refusalOf(slots)).toMatch(/1 of them in the background; .*ptc_task_list.*ptc_task_stop/);
    expect(refusalOf(slots)).toContain("parallel(thunks, { limit: 2 })");
    for (const { release } of others) release();
    for (const _ of others) slots.reserve(true);
    for (const isBackground of [true, false]) {
      const refusal = refusalOf(slots, isBackground);
      expect(refusal).toMatch(/ptc_task_list.*ptc_task_stop/);
      expect(refusal).not.toContain("parallel");
    }
    if (task.ok) task.release();
    place(slots);
    expect(refusalOf(slots)).toContain("limit: 1");
  });

  test("give their places back exactly once", () => {
    const slots = session({}, { ...LIMITS, dispatchConcurrency: 2 });
    const [one] = [place(slots), place(slots)];
    for (let time = 0; time < 3; time += 1) one?.release();
    expect(slots.running).toBe(1);
    place(slots);
    expect(refusalOf(slots)).toContain("dispatch concurrency limit reached");
  });

  test("lose no place to a refusal of another kind", () => {
    const slots = session({ PI_PTC_TREE_SLOTS: "1" }, { ...LIMITS, dispatchConcurrency: 2 });
    const one = place(slots);
    for (let time = 0; time < 5; time += 1) expect(refusalOf(slots)).toContain("dispatch tree limit reached");
    one.release();
    expect(place(slots).share).toBe(0);
  });

  test("leave a session at its end as they found it, thirty times over", () => {
    const slots = session();
    const shares = (): number[] => {
      const places = Array.from({ length: 8 }, () => place(slots));
      for (const { release } of places) release();
      return places.map(({ share }) => share);
    };
    const first = shares();
    for (let time = 0; time < 30; time += 1) expect(shares()).toEqual(first);
  });

  test("are told no tool that a later version brings", () => {
    const slots = session({ PI_PTC_DEPTH: "3" });
    const full = session({}, { ...LIMITS, dispatchConcurrency: 1 });
    place(full);
    for (const refusal of [refusalOf(slots), refusalOf(full), refusalOf(session({ PI_PTC_TREE_SLOTS: "0" }))])
      expect(refusal).not.toMatch(/ptc_task_|background/);
  });
});

describe("the depth of a session", () => {
  test.each([
    [undefined, 0],
    ["0", 0],
    ["2", 2],
    ["007", 7],
    ["", 0],
    ["-1", 0],
    ["1.5", 0],
    ["1e1", 0],
    ["0x2", 0],
    [" 2", 0],
    ["two", 0],
    ["٣", 0],
  ])("told as %j is %j", (text, depth) => {
    expect(session(text === undefined ? {} : { PI_PTC_DEPTH: text }).depth).toBe(depth);
  });

  test("at the limit starts no child", () => {
    expect(place(session({ PI_PTC_DEPTH: "2" })).depth).toBe(3);
    for (const depth of ["3", "4", "9".repeat(400)])
      expect(refusalOf(session({ PI_PTC_DEPTH: depth }))).toMatch(/^dispatch depth limit reached: /);
    expect(refusalOf(session({ PI_PTC_DEPTH: "3" }))).toContain("at depth 3 of at most 3");
    expect(refusalOf(session({}, { ...LIMITS, maxDispatchDepth: 0 }))).toContain(
      "dispatch depth limit reached",
    );
  });
});

describe("the children below one root", () => {
  // By spec 2.6: share = max(0, floor((left - used - free) / 2)), free with the child's own slot.
  test("get shares of what is left", () => {
    const slots = session();
    expect(Array.from({ length: 8 }, () => place(slots).share)).toEqual([28, 14, 7, 3, 2, 1, 0, 0]);
  });

  test.each(["", "-1", "1.5", "many", "0", " 5"])("are none where the share is told as %j", (text) => {
    const refusal = refusalOf(session({ PI_PTC_TREE_SLOTS: text }));
    expect(refusal).toMatch(/^dispatch tree limit reached: /);
    expect(refusal).toContain("do the task here");
  });

  test("are never more than 64, whatever the variable says", () => {
    expect(place(session({ PI_PTC_TREE_SLOTS: "9".repeat(30) })).share).toBe(28);
  });

  test("may form a chain down to the depth limit", () => {
    let slots = session();
    for (let depth = 1; depth <= 3; depth += 1) {
      const given = place(slots);
      expect(given.depth).toBe(depth);
      slots = inside(given);
    }
    expect(refusalOf(slots)).toContain("dispatch depth limit reached");
  });

  test("may run again when others have ended", () => {
    const slots = session({ PI_PTC_TREE_SLOTS: "2" });
    const places = [place(slots), place(slots)];
    expect(refusalOf(slots)).toContain("wait until a child has ended");
    places[0]?.release();
    expect(place(slots).share).toBe(0);
  });

  test("never number more than 64 in any tree that grows and shrinks at random", () => {
    const step = fc.record({ at: fc.nat(), end: fc.boolean() });
    const limits = fc.record({
      dispatchConcurrency: fc.integer({ min: 1, max: 80 }),
      maxDispatchDepth: fc.integer({ min: 1, max: 6 }),
    });
    let largest = 0;
    fc.assert(
      fc.property(
        limits,
        fc.array(step, { minLength: 100, maxLength: 400, size: "max" }),
        (bounds, steps) => {
          const root: Grown = { slots: session({}, bounds), below: [], release: () => undefined };
          for (const { at, end } of steps) {
            const all = flatten(root);
            const node = all[at % all.length] as Grown;
            if (end && at % 3 === 0) prune(node);
            else grow(node, bounds);
            const total = flatten(root).length - 1;
            largest = Math.max(largest, total);
            expect(total).toBeLessThanOrEqual(64);
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(largest).toBeGreaterThan(40);
  });

  test("number at most 64 when every child starts all it may", () => {
    for (const dispatchConcurrency of [1, 2, 8, 64, 256]) {
      const bounds = { dispatchConcurrency, maxDispatchDepth: 16 };
      const root: Grown = { slots: session({}, bounds), below: [], release: () => undefined };
      for (let turn = 0; turn < 70; turn += 1) {
        for (const node of flatten(root)) {
          grow(node, bounds);
          expect(flatten(root).length - 1).toBeLessThanOrEqual(64);
        }
      }
      expect(flatten(root).length - 1).toBeGreaterThanOrEqual(Math.min(dispatchConcurrency, 16));
    }
  });
});

interface Grown {
  slots: DispatchSlots;
  below: Grown[];
  release: () => void;
}

function grow(node: Grown, limits: typeof LIMITS): void {
  const given = node.slots.reserve();
  if (given.ok) node.below.push({ slots: inside(given, limits), below: [], release: given.release });
}

/** Ends the newest child, and with it all below. */
function prune(node: Grown): void {
  node.below.pop()?.release();
}

function flatten(node: Grown): Grown[] {
  return [node, ...node.below.flatMap(flatten)];
}
