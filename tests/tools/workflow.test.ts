import { describe, expect, test } from "vitest";
import { FakeSession } from "./fake-session.ts";

const META = { name: "Sweep", description: "Sweeps the yard" };

describe("ptc_workflow", () => {
  test("hands script, arguments and phases to the runner", async () => {
    const session = new FakeSession();
    const params = {
      meta: { ...META, phases: [{ name: "look" }, { name: "sweep" }] },
      script: "return args",
      args: { a: 1 },
      timeoutMs: 9,
    };
    const result = await session.execute(session.workflow, params);
    expect(session.requests[0]).toMatchObject({
      tool: "workflow",
      source: "return args",
      args: { a: 1 },
      phases: ["look", "sweep"],
      timeoutMs: 9,
    });
    expect(result.details).toMatchObject({ tool: "ptc_workflow", description: "Sweep" });
  });

  test("has null for absent arguments and no phases without a plan", async () => {
    const session = new FakeSession();
    await session.execute(session.workflow, { meta: META, script: "return 1" });
    expect(session.requests[0]).toMatchObject({ args: null, phases: [] });
  });

  test("drops repeated and blank phases, and shows the description when the name is blank", async () => {
    const session = new FakeSession();
    const phases = ["a", " a ", "", "b", "a"].map((name) => ({ name }));
    const result = await session.execute(session.workflow, {
      meta: { ...META, name: " ", phases },
      script: "",
    });
    expect(session.requests[0]?.phases).toEqual(["a", "b"]);
    expect(result.details).toMatchObject({ description: "Sweeps the yard" });
  });

  test("refuses arguments that are no plain JSON before anything starts", async () => {
    const session = new FakeSession();
    const result = await session.execute(session.workflow, {
      meta: META,
      script: "return 1",
      argsProblem: "args.a.b[0] is NaN; args must be plain JSON",
    });
    expect(session.requests).toEqual([]);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "code run failed (refused): args.a.b[0] is NaN; args must be plain JSON" }],
    });
  });
});
