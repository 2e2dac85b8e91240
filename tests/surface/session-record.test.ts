import { describe, expect, test } from "vitest";
import { chosenMode, leftBehindTools } from "../../src/surface/session-record.ts";

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
  const OURS = ["ptc_run_code", "ptc_workflow"];

  test("when they went alone or with other extensions' tools", () => {
    const branch = [change({ toolsRemoved: tools("ptc_run_code", "web_search") })];
    expect(leftBehindTools(branch, OURS)).toEqual(["ptc_run_code"]);
  });

  test("not when a built-in tool went with them: somebody chose that", () => {
    expect(leftBehindTools([change({ toolsRemoved: tools("ptc_run_code", "write") })], OURS)).toEqual([]);
  });

  test("by the last step that spoke of each", () => {
    const branch = [
      change({ toolsRemoved: tools("ptc_run_code", "ptc_workflow") }),
      change({ toolsAdded: tools("ptc_run_code") }),
      change({ toolsRemoved: tools("web_search") }),
    ];
    expect(leftBehindTools(branch, OURS)).toEqual(["ptc_workflow"]);
    const narrowed = change({ toolsRemoved: tools("ptc_workflow", "edit") });
    expect(leftBehindTools([...branch, narrowed], OURS)).toEqual([]);
  });

  test("not when nothing says so, whatever the entries hold", () => {
    const odd = [
      null,
      undefined,
      1,
      {},
      { role: "user", toolsRemoved: tools("ptc_run_code") },
      { role: "system", toolsRemoved: [null, 1, {}], toolsAdded: "ptc_run_code" },
    ];
    const branch = odd.map((message) => ({ type: "message", message }));
    expect(leftBehindTools(branch, OURS)).toEqual([]);
  });
});
