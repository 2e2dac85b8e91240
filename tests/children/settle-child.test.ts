import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/children/agent-file.ts";
import type { CheckedDispatch } from "../../src/children/check-input.ts";
import { type SessionDefaults, settleChild, type SettledChild } from "../../src/children/settle-child.ts";

const REQUEST: CheckedDispatch = {
  task: "t",
  cwd: "/",
  agentScope: "user",
  label: "t",
  readOnly: false,
  background: false,
};
const AGENT: Agent = {
  name: "scout",
  description: "",
  readOnly: false,
  childReport: true,
  body: "",
  path: "/scout.md",
  scope: "user",
};
const SESSION: SessionDefaults = {
  model: "faux/session",
  thinkingLevel: "medium",
  models: ["faux/session", "faux/agent", "faux/call"],
  limits: { dispatchTimeoutMs: 3_600_000, maxChildTurns: 0, maxChildCostUsd: 0 },
  readOnly: false,
};
const settle = (
  request: Partial<CheckedDispatch> = {},
  agent?: Partial<Agent>,
  session: Partial<SessionDefaults> = {},
): SettledChild => {
  const settled = settleChild({ ...REQUEST, ...request }, agent && { ...AGENT, ...agent }, {
    ...SESSION,
    ...session,
  });
  if (!settled.ok) throw new Error(settled.refusal);
  return settled.settled;
};

describe("a child", () => {
  test("that says nothing itself is like the session", () => {
    expect(settle()).toEqual({
      model: "faux/session",
      thinkingLevel: "medium",
      timeoutMs: 3_600_000,
      maxTurns: 0,
      maxCostUsd: 0,
      readOnly: false,
      reportExpected: true,
      warnings: [],
    });
  });

  test("takes model and level from the call, else from the agent, else from the session", () => {
    const agent = { model: "agent", thinking: "low" };
    expect(settle({ model: "faux/call", thinkingLevel: "max" }, agent)).toMatchObject({
      model: "faux/call",
      thinkingLevel: "max",
    });
    expect(settle({}, agent)).toMatchObject({ model: "faux/agent", thinkingLevel: "low" });
    expect(settle({}, { model: "agent:high" })).toMatchObject({ model: "faux/agent", thinkingLevel: "high" });
    expect(settle({ model: "faux/call" }, { model: "agent:high" })).toMatchObject({
      thinkingLevel: "medium",
    });
    expect(settle({}, undefined, { model: "elsewhere/unlisted" }).model).toBe("elsewhere/unlisted");
  });

  test("whose agent wants a model without a key is refused by the agent's name, unless the call names another", () => {
    const agent = { ...AGENT, model: "gone" };
    expect(settleChild(REQUEST, agent, SESSION)).toEqual({
      ok: false,
      refusal: expect.stringMatching(
        /^agent "scout": model "gone" is unknown or has no key; name another in the call, or take one of faux\/session/,
      ),
    });
    expect(settle({ model: "faux/call" }, { model: "gone" }).model).toBe("faux/call");
  });

  test("is read-only when call, agent or session says so; none of them lifts it", () => {
    expect(settle({ readOnly: true }).readOnly).toBe(true);
    expect(settle({ readOnly: false }, { readOnly: true }).readOnly).toBe(true);
    expect(settle({ readOnly: false }, { readOnly: false }, { readOnly: true }).readOnly).toBe(true);
  });

  test("whose agent opted out is asked for no report", () => {
    expect(settle({}, { childReport: false }).reportExpected).toBe(false);
  });

  test("may name its own deadline", () => {
    expect(settle({ timeoutMs: 7_200_000 }).timeoutMs).toBe(7_200_000);
  });

  test("may lower the user's caps but not lift them, and is told", () => {
    const limits = { dispatchTimeoutMs: 1, maxChildTurns: 10, maxChildCostUsd: 2 };
    expect(settle({ maxTurns: 5, maxCostUsd: 1 }, undefined, { limits })).toMatchObject({
      maxTurns: 5,
      maxCostUsd: 1,
      warnings: [],
    });
    expect(settle({ maxTurns: 50, maxCostUsd: 3 }, undefined, { limits })).toMatchObject({
      maxTurns: 10,
      maxCostUsd: 2,
      warnings: [
        "maxTurns 50 is over the limit maxChildTurns, so 10 applies",
        "maxCostUsd 3 is over the limit maxChildCostUsd, so 2 applies",
      ],
    });
    expect(settle({}, undefined, { limits })).toMatchObject({ maxTurns: 10, maxCostUsd: 2 });
  });

  test("has the turns of its agent where the call gives none", () => {
    expect(settle({}, { maxTurns: 7 }).maxTurns).toBe(7);
    expect(settle({ maxTurns: 9 }, { maxTurns: 7 }).maxTurns).toBe(9);
  });
});
