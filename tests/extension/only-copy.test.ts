import { createEventBus } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { claimPi } from "../../src/extension/only-copy.ts";

test("the first copy in a pi has it, and every later one stands down", () => {
  const events = createEventBus();
  expect(["/one", "/two", "/three"].map((folder) => claimPi({ events }, folder))).toEqual([
    undefined,
    "/one",
    "/one",
  ]);
});

test("copies in different pis know nothing of each other", () => {
  expect(["/one", "/two"].map((folder) => claimPi({ events: createEventBus() }, folder))).toEqual([
    undefined,
    undefined,
  ]);
});

test("a copy that does not say where it is has the pi all the same", () => {
  const events = createEventBus();
  events.on("pi-ptc-subagents/claim", (claim) => void Object.assign(claim as object, { taken: true }));
  expect(claimPi({ events }, "/two")).toBe("another folder");
});

test.each([undefined, null, 5, "text"])("what others emit there (%j) does no harm", (data) => {
  const events = createEventBus();
  claimPi({ events }, "/one");
  expect(() => events.emit("pi-ptc-subagents/claim", data)).not.toThrow();
  expect(claimPi({ events }, "/two")).toBe("/one");
});
