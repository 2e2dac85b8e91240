import { createEventBus } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { claimPi } from "../../src/extension/only-copy.ts";

test("the first copy in a pi has it, and every later one stands down", () => {
  const events = createEventBus();
  expect([claimPi({ events }), claimPi({ events }), claimPi({ events })]).toEqual([true, false, false]);
});

test("copies in different pis know nothing of each other", () => {
  expect([claimPi({ events: createEventBus() }), claimPi({ events: createEventBus() })]).toEqual([
    true,
    true,
  ]);
});

test.each([undefined, null, 5, "text"])("what others emit there (%j) does no harm", (data) => {
  const events = createEventBus();
  claimPi({ events });
  expect(() => events.emit("pi-ptc-subagents/claim", data)).not.toThrow();
  expect(claimPi({ events })).toBe(false);
});
