import { describe, expect, test } from "vitest";
import { chosenMode, wasLeftBehind } from "../../src/surface/session-record.ts";

const said = (mode: unknown) => ({ type: "custom", customType: "ptc-mode", data: { mode } });

describe("the mode the user chose", () => {
  test("is the last one said, and none in a session without a word", () => {
    expect(chosenMode([])).toBeUndefined();
    expect(
      chosenMode([said("off"), { type: "message" }, said("on"), { type: "custom", customType: "x" }]),
    ).toBe("on");
  });

  test.each([[undefined], [null], ["on"], [{ mode: "both" }], [{ mode: 1 }]])(
    "is not read from data like %j",
    (data) => {
      expect(chosenMode([said("off"), { type: "custom", customType: "ptc-mode", data }])).toBe("off");
    },
  );
});

describe("tools were left behind", () => {
  const change = (part: object) => ({ type: "message", message: { role: "system", ...part } });
  const tools = (...names: string[]) => names.map((name) => ({ name }));

  test("when they went alone or with other extensions' tools", () => {
    expect(
      wasLeftBehind([change({ toolsRemoved: tools("ptc_run_code", "web_search") })], ["ptc_run_code"]),
    ).toBe(true);
  });

  test("not when a built-in tool went with them: somebody chose that", () => {
    expect(wasLeftBehind([change({ toolsRemoved: tools("ptc_run_code", "write") })], ["ptc_run_code"])).toBe(
      false,
    );
  });

  test("by the last step that took any of them", () => {
    const branch = [
      change({ toolsRemoved: tools("ptc_run_code") }),
      change({ toolsAdded: tools("ptc_run_code") }),
      change({ toolsRemoved: tools("ptc_run_code", "edit") }),
      change({ toolsRemoved: tools("web_search") }),
    ];
    expect(wasLeftBehind(branch, ["ptc_run_code"])).toBe(false);
    expect(wasLeftBehind(branch.slice(0, 2), ["ptc_run_code"])).toBe(true);
  });

  test("not when nothing says so, whatever the entries hold", () => {
    const odd = [
      null,
      undefined,
      1,
      {},
      { role: "user", toolsRemoved: tools("ptc_run_code") },
      { role: "system", toolsRemoved: [null, 1, {}] },
    ];
    expect(
      wasLeftBehind(
        odd.map((message) => ({ type: "message", message })),
        ["ptc_run_code"],
      ),
    ).toBe(false);
  });
});
