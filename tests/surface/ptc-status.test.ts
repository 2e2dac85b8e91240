import { expect, test } from "vitest";
import { type PtcStatus, statusText } from "../../src/surface/ptc-status.ts";

const status = (undelivered: number): PtcStatus => ({
  offer: {
    surface: "full",
    surfaceReason: "no-codemode",
    mode: "on",
    modeReason: "screen",
    programs: ["ptc_run_code"],
    suspended: false,
    hidden: new Set(),
  },
  pinnedIn: undefined,
  isPresent: true,
  bindings: ["read"],
  engine: "node",
  vessel: "process",
  slots: { used: 0, size: 8 },
  tasks: { running: 1, undelivered },
});

test.each([
  [0, "0 undelivered results"],
  [1, "1 undelivered result"],
  [2, "2 undelivered results"],
])("%i that were not told yet are %s", (undelivered, shown) => {
  expect(statusText(status(undelivered), 0).split("\n").at(-1)).toBe(`Tasks: 1 running, ${shown}`);
});
