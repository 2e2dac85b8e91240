import { describe, expect, test } from "vitest";
import type { SurfaceChoice } from "../../src/surface/choose.ts";
import { offerOf } from "../../src/surface/offer.ts";
import { footerText, type OfferState, OfferWatch } from "../../src/surface/offer-watch.ts";

const INACTIVE = { registered: true, active: false, builtin: true, only: false };
const ON = { surface: "full", surfaceReason: "inactive-codemode", mode: "on", modeReason: "screen" } as const;
const pinned = (surface: "full" | "subagents"): SurfaceChoice => ({
  surface,
  surfaceReason: "pinned",
  mode: surface === "full" ? "on" : undefined,
  modeReason: surface === "full" ? "screen" : undefined,
});

function state(choice: SurfaceChoice, active: string[], codemode = INACTIVE): OfferState {
  const tools = {
    active: new Set(active),
    callable: new Set(active.filter((name) => !name.startsWith("ptc_"))),
  };
  return { offer: offerOf(choice, codemode, tools), codemode, tools };
}
const SETTLED = { isSettled: true, pinnedIn: { file: "/a/ptc.json", isOwn: true } };
const ALL = ["read", "bash", "edit", "write", "ptc_run_code", "ptc_workflow"];

test("a healthy session says nothing, however often it is looked at", () => {
  const watch = new OfferWatch();
  for (const active of [ALL, ALL.slice(1).concat("read"), [...ALL, "grep"]])
    expect(watch.look(state(ON, active), SETTLED)).toEqual(expect.any(Array));
  expect(watch.look(state(ON, ALL.concat("grep")), SETTLED)).toEqual([]);
});

describe("a pinned surface", () => {
  test("`subagents` without active codemode warns once and says the fix", () => {
    const watch = new OfferWatch();
    expect(watch.look(state(pinned("subagents"), ALL), { ...SETTLED, isSettled: false })).toEqual([]);
    expect(watch.look(state(pinned("subagents"), ALL), SETTLED)).toEqual([
      '/a/ptc.json: surfaceMode is "subagents", but pi\'s codemode is not active, so no script can call ptc_subagent; add "+codemode" to defaultTools in pi\'s settings.json, start pi with --tools +codemode, or run /ptc surface auto',
    ]);
    expect(watch.look(state(pinned("subagents"), ALL), SETTLED)).toEqual([]);
  });

  test.each([
    [{ ...INACTIVE, registered: false }, "this pi was started without its codemode"],
    [{ ...INACTIVE, active: true, builtin: false }, "codemode is another package's tool here"],
  ])("`subagents` with codemode %j says what is missing", (codemode, sentence) => {
    expect(new OfferWatch().look(state(pinned("subagents"), ALL, codemode), SETTLED)[0]).toContain(sentence);
  });

  test("`full` with active codemode says once that it is hidden", () => {
    const watch = new OfferWatch();
    const active = state(pinned("full"), [...ALL, "codemode"], { ...INACTIVE, active: true });
    expect(watch.look(active, SETTLED)).toEqual([
      expect.stringContaining("codemode, which is active, is not offered"),
    ]);
    expect(watch.look(active, SETTLED)).toEqual([]);
  });

  test("by a project is taken out by hand, since `/ptc surface` edits the user's own file", () => {
    const place = { isSettled: true, pinnedIn: { file: "/work/.pi/ptc.json", isOwn: false } };
    const hidden = state(pinned("full"), [...ALL, "codemode"], { ...INACTIVE, active: true });
    for (const found of [state(pinned("subagents"), ALL), hidden]) {
      const [sentence] = new OfferWatch().look(found, place);
      expect(sentence).toContain("take surfaceMode out of /work/.pi/ptc.json");
      expect(sentence).not.toContain("/ptc surface");
    }
  });

  test("that agrees with pi says nothing", () => {
    expect(new OfferWatch().look(state(pinned("full"), ALL), SETTLED)).toEqual([]);
    const there = state(pinned("subagents"), [...ALL, "codemode"], { ...INACTIVE, active: true });
    expect(new OfferWatch().look(there, SETTLED)).toEqual([]);
  });
});

describe("what another extension takes away while PTC mode is on", () => {
  test("programs: the mode rests, which is said once", () => {
    const watch = new OfferWatch();
    watch.look(state(ON, ALL), SETTLED);
    const without = state(ON, ["read", "bash"]);
    expect(watch.look(without, SETTLED)).toEqual([expect.stringMatching(/^PTC mode rests/)]);
    expect(watch.look(state(ON, ALL), SETTLED)).toEqual([]);
    expect(watch.look(without, SETTLED)).toEqual([]);
  });

  test("built-in tools: programs bind less, which is said once", () => {
    const watch = new OfferWatch();
    watch.look(state(ON, ALL), SETTLED);
    const reading = state(ON, ["read", "ptc_run_code"]);
    expect(watch.look(reading, SETTLED)).toEqual([
      expect.stringContaining("no longer call bash, edit, write"),
    ]);
    expect(watch.look(reading, SETTLED)).toEqual([]);
  });

  test("says nothing in a session that never had them, nor in another mode", () => {
    expect(new OfferWatch().look(state(ON, ["read"]), SETTLED)).toEqual([]);
    const watch = new OfferWatch();
    const both = { ...ON, mode: "both" } as const;
    watch.look(state(both, ALL), SETTLED);
    expect(watch.look(state(both, ["read"]), SETTLED)).toEqual([]);
  });
});

test("the footer shows PTC while the mode is on and not suspended", () => {
  expect(footerText(state(ON, ALL).offer)).toBe("PTC");
  expect(footerText(state(ON, ["read"]).offer)).toBeUndefined();
  expect(footerText(state({ ...ON, mode: "both" }, ALL).offer)).toBeUndefined();
  expect(footerText(state(pinned("subagents"), ALL).offer)).toBeUndefined();
});
