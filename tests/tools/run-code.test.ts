import { describe, expect, test, vi } from "vitest";
import { asked, FakeSession } from "./fake-session.ts";
import { FAILURE, subCall, SUCCESS } from "./outcomes.ts";

const PARAMS = { code: "return 47", description: "Count things" };

describe("ptc_run_code", () => {
  test("hands the program, its deadline and the session's tools to the runner", async () => {
    const session = new FakeSession();
    const { signal } = new AbortController();
    const result = await session.execute(session.runCode, { ...PARAMS, timeoutMs: 5 }, signal);
    expect(session.requests).toHaveLength(1);
    const [request] = session.requests;
    expect(request).toMatchObject({
      tool: "run",
      source: "return 47",
      timeoutMs: 5,
      cwd: "/work",
      signal,
      store: {},
      blockImages: false,
    });
    expect(request?.bindings.map((binding) => binding.name)).toEqual(["read"]);
    expect(result).toMatchObject({
      content: [{ type: "text", text: "47" }],
      details: { tool: "ptc_run_code", description: "Count things" },
    });
    expect(result).not.toHaveProperty("isError");
  });

  test("hands on a deadline that is no number, for the runner to refuse", async () => {
    const session = new FakeSession();
    await session.execute(session.runCode, { ...PARAMS, givenTimeout: "1000" });
    expect(session.requests[0]?.timeoutMs).toBe("1000");
  });

  test("returns a failed program as an error result", async () => {
    const session = new FakeSession();
    session.answer = () => FAILURE;
    expect(await session.execute(session.runCode, PARAMS)).toMatchObject({
      isError: true,
      details: { error: { kind: "exception" } },
    });
  });

  test("says that it is not read-only and may do anything", () => {
    const { annotations } = new FakeSession().runCode;
    expect(annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
  });

  test("reaches the tools its text names, or all when it looks them up", () => {
    const reach = new FakeSession().runCode.reachesTools;
    expect(reach?.({ code: "await tools.mcp__docs__search({ q: 1 })" })).toEqual([
      "await",
      "tools",
      "mcp__docs__search",
      "q",
      "1",
    ]);
    for (const name of ["searchTools", "describeTool", "ptcBindings"])
      expect(reach?.({ code: `x(${name})` })).toBe("all");
    expect(reach?.({ code: 5 })).toEqual([]);
    expect(reach?.({})).toEqual([]);
  });
});

describe("a program is refused", () => {
  const refused = (message: string) => ({
    isError: true,
    content: [{ type: "text", text: `code run failed (refused): ${message}` }],
    details: { error: { kind: "refused", message } },
  });

  test("on a pi without executeTool", async () => {
    const session = new FakeSession();
    delete session.ctx["executeTool"];
    expect(await session.execute(session.runCode, PARAMS)).toMatchObject(
      refused(
        "this pi gives tools no ctx.executeTool, so programs cannot call tools; update pi to 1.3.0 or newer",
      ),
    );
    session.ctx = undefined as never;
    expect(await session.execute(session.runCode, PARAMS)).toMatchObject({ isError: true });
    expect(session.requests).toEqual([]);
  });

  test.each([
    ["the tools", "tools"],
    ["the session", "sessionManager"],
  ])("when reading %s throws, as in a session that was replaced", async (_what, key) => {
    const session = new FakeSession();
    Object.defineProperty(session.ctx, key, {
      get: () => {
        throw new Error("This extension ctx is stale");
      },
    });
    expect(await session.execute(session.runCode, PARAMS)).toMatchObject(
      refused("the program was not run: This extension ctx is stale"),
    );
  });

  test("when there is no runner any more", async () => {
    const session = new FakeSession();
    vi.spyOn(session.access, "runner").mockImplementation(() => {
      throw new Error("this session of pi has ended");
    });
    expect(await session.execute(session.runCode, PARAMS)).toMatchObject(
      refused("the program was not run: this session of pi has ended"),
    );
  });
});

describe("while a program runs", () => {
  test("partial results carry its details, and none comes after the end", async () => {
    const session = new FakeSession();
    let late: (() => void) | undefined;
    session.answer = (request) => {
      const change = () =>
        request.onProgress?.(() => ({
          subCalls: [subCall(1, { status: "running" })],
          calls: { total: 1, failed: 0 },
          phases: ["one"],
          narrations: ["looking"],
          logs: ["line"],
          elapsedMs: 7,
        }));
      late = change;
      change();
      return SUCCESS;
    };
    await session.execute(session.runCode, PARAMS);
    late?.();
    expect(session.updates).toEqual([
      {
        content: [{ type: "text", text: "looking" }],
        details: {
          tool: "ptc_run_code",
          description: "Count things",
          running: true,
          code: { lines: ["return 47"], total: 1 },
          logs: ["line"],
          narrations: ["looking"],
          phases: ["one"],
          phase: "one",
          warnings: [],
          subCalls: [subCall(1, { status: "running" })],
          calls: { total: 1, failed: 0 },
          imageCount: 0,
          durationMs: 7,
          queuedMs: 0,
        },
      },
    ]);
  });

  test("it finds the tools that are bound, with their guidelines", async () => {
    const session = new FakeSession();
    session.ctx["tools"] = [
      asked("read", "Read a file"),
      asked("x-y", "Find a needle"),
      asked("codemode", "needle"),
    ];
    session.infos.push({ name: "x-y", promptGuidelines: ["Be quick"], namespace: { name: "mcp__n" } });
    const found: unknown[] = [];
    session.answer = (request) => {
      found.push(
        request.find?.("search", "needle"),
        request.find?.("describe", "x_y"),
        request.find?.("describe", "codemode"),
      );
      return SUCCESS;
    };
    await session.execute(session.runCode, PARAMS);
    expect(found[0]).toEqual([{ name: "x-y", description: "Find a needle" }]);
    expect(found[1]).toContain("// Find a needle\n  // - Be quick\n");
    expect(found[2]).toBeNull();
  });
});

describe("what a program stores", () => {
  test("reaches the next one when it succeeded", async () => {
    const session = new FakeSession();
    session.answer = () => ({ ...SUCCESS, store: { a: "1" } });
    await session.execute(session.runCode, PARAMS);
    await session.execute(session.runCode, PARAMS);
    expect(session.requests[1]?.store).toEqual({ a: "1" });
  });

  test("is dropped when it failed", async () => {
    const session = new FakeSession();
    session.answer = () => ({ ...FAILURE, store: { a: "1" } });
    await session.execute(session.runCode, PARAMS);
    expect(session.branch).toEqual([]);
  });

  test("is refused with a warning in the text when it is too large", async () => {
    const session = new FakeSession();
    session.answer = () => ({ ...SUCCESS, store: { big: JSON.stringify("x".repeat(300_000)) } });
    const result = await session.execute(session.runCode, PARAMS);
    expect(result.content[0]).toMatchObject({
      text: expect.stringContaining('47\nWarning: store("big") was not kept'),
    });
  });
});
