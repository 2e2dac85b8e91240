/** Calls, bindings and globals (spec 1.3, 1.4, 1.9; faults 7 and 13). */

import { expect, test } from "vitest";
import type { RunProgress } from "../../src/program/outcome.ts";
import { describeOnVessels } from "./conformance.ts";
import { echo, ok, runWith, testRunner, tool } from "./vessels.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = (data = PNG, mimeType = "image/png"): object => ({
  content: [{ type: "image", data, mimeType }],
});

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel);

  test("gets content and details of a call, and structured content where there is some", async () => {
    const bindings = [
      echo,
      tool("rich", () => ok("t", { details: { n: 1 }, structuredContent: { a: [1] } })),
    ];
    const outcome = await runWith(runner, "return [await tools.echo({ text: 'x' }), await tools.rich({})]", {
      bindings,
    });
    expect(outcome.value).toEqual([
      { content: [{ type: "text", text: "x" }], details: null },
      { content: [{ type: "text", text: "t" }], details: { n: 1 }, structuredContent: { a: [1] } },
    ]);
  });

  test("gets a ToolCallError with the tool's own text for a call that fails", async () => {
    const source = `try { await tools.failing({ text: "exit 3" }) } catch (error) {
      return { is: error instanceof ToolCallError, error: error instanceof Error, name: error.name, toolName: error.toolName, message: error.message, content: error.content, details: error.details }
    }`;
    expect((await runWith(runner, source)).value).toEqual({
      is: true,
      error: true,
      name: "ToolCallError",
      toolName: "failing",
      message: "exit 3",
      content: [{ type: "text", text: "exit 3" }],
      details: { code: 3 },
    });
  });

  test("gets the results of its calls while an interval takes longer than its period", async () => {
    const source = `const timer = setInterval(() => { const end = Date.now() + 15; while (Date.now() < end); }, 5);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const texts = [];
      for (const text of ["a", "b"]) texts.push((await tools.echo({ text })).content[0].text);
      clearInterval(timer);
      return texts`;
    const outcome = await runWith(runner, source, { timeoutMs: 10_000 });
    expect(outcome.value).toEqual(["a", "b"]);
  });

  test("reads of an unknown tool which ones there are and which was meant", async () => {
    const outcome = await runWith(runner, "await tools.ehco({})");
    expect(outcome.error?.message).toContain(
      'no binding named "ehco" in this run; available bindings: echo, failing',
    );
    expect(outcome.error?.message).toContain('"echo"?');
    expect(
      (await runWith(runner, "const f = tools.nope; return f({}).catch((e) => e instanceof ToolCallError)"))
        .value,
    ).toBe(true);
  });

  test("finds no thenable in tools, and its names by enumeration", async () => {
    expect(
      (
        await runWith(
          runner,
          "const t = await tools; return [t === tools, Object.keys(tools), 'echo' in tools]",
        )
      ).value,
    ).toEqual([true, ["echo", "failing"], true]);
  });

  test("reaches a name that is no identifier by that name and by its identifier form", async () => {
    const bindings = [
      tool("my-tool.x", () => ok("odd")),
      tool("a-b", () => ok("dash")),
      tool("a_b", () => ok("under")),
    ];
    const source =
      'const t = (r) => r.content[0].text; return [t(await tools["my-tool.x"]({})), t(await tools.my_tool_x({})), t(await tools["a-b"]({})), t(await tools.a_b({}))]';
    expect((await runWith(runner, source, { bindings })).value).toEqual(["odd", "odd", "dash", "under"]);
  });

  test("cannot change its bindings", async () => {
    const source =
      '"use strict"; const tries = []; for (const f of [() => { tools.echo = 1 }, () => { ptcBindings.push("x") }, () => { delete tools.echo }]) { try { f(); tries.push("ok") } catch (e) { tries.push(e.name) } } return [tries, ptcBindings]';
    expect((await runWith(runner, source)).value).toEqual([
      ["TypeError", "TypeError", "TypeError"],
      ["echo", "failing"],
    ]);
  });

  test("sends its arguments as JSON and no argument as an empty object", async () => {
    const seen: unknown[] = [];
    const bindings = [tool("see", (args) => (seen.push(args), ok("")))];
    await runWith(
      runner,
      'await tools.see(); await tools.see({ d: new Date(0), u: undefined, n: NaN, nested: { a: [1, "é😀"] } }); return 1',
      { bindings },
    );
    expect(seen).toEqual([{}, { d: "1970-01-01T00:00:00.000Z", n: null, nested: { a: [1, "é😀"] } }]);
  });

  test.each([
    ["a cycle", "const a = {}; a.a = a;"],
    ["a BigInt", "const a = { n: 1n };"],
    ["a function", "const a = () => 1;"],
    ["a throwing getter", "const a = { get x() { throw new Error('no') } };"],
  ])("gets a rejection for arguments with %s, and the run goes on", async (_name, setup) => {
    const outcome = await runWith(
      runner,
      `${setup} const text = await tools.echo(a).catch((e) => e.name + ": " + e.message); return text`,
    );
    expect(outcome.value).toMatch(/^ToolCallError: the arguments of echo cannot be sent/);
  });

  test("has at most ten calls executing at once, all of 5000 answered", async () => {
    let running = 0;
    let most = 0;
    const busy = tool("busy", async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return ok("x");
    });
    const outcome = await runWith(
      runner,
      "const all = await Promise.all(Array.from({ length: 5000 }, () => tools.busy({}))); return all.length",
      { bindings: [busy] },
    );
    expect(outcome).toMatchObject({ ok: true, value: 5000, calls: { total: 5000, failed: 0 } });
    expect(most).toBe(10);
    expect(outcome.subCalls.length).toBeLessThanOrEqual(200);
  });

  test("takes no parallel slot for calls that keep their own time, and its clock stands still meanwhile", async () => {
    let running = 0;
    const child = {
      name: "child",
      countsTime: false,
      call: async () => {
        running += 1;
        await new Promise((resolve) => setTimeout(resolve, 700));
        return { ok: true as const, raw: running };
      },
    };
    const outcome = await runWith(
      runner,
      "const all = await Promise.all(Array.from({ length: 12 }, () => tools.child({}))); return all[0]",
      { bindings: [child], timeoutMs: 400 },
    );
    expect(outcome).toMatchObject({ ok: true, value: 12 });
  });

  test("has a clock that stands still while a person is asked", async () => {
    const asking = tool("ask", async () => {
      const resume = runner.pauseClocks();
      await new Promise((resolve) => setTimeout(resolve, 700));
      resume();
      return ok("yes");
    });
    expect(
      await runWith(runner, "return (await tools.ask({})).content[0].text", {
        bindings: [asking],
        timeoutMs: 400,
      }),
    ).toMatchObject({ ok: true, value: "yes" });
  });

  test("survives a binding that throws", async () => {
    const bindings = [
      tool("broken", () => {
        throw new Error("our bug");
      }),
    ];
    expect(
      (await runWith(runner, "return tools.broken({}).catch((e) => e.message)", { bindings })).value,
    ).toBe("our bug");
  });

  test("gets its pictures and so does the result, in call order, none dropped", async () => {
    let delay = 30;
    const shot = tool("shot", async (args: { n: number }) => {
      await new Promise((resolve) => setTimeout(resolve, (delay -= 10)));
      return ok("", {
        content: [
          { type: "text", text: `n${args.n}` },
          { type: "image", data: PNG, mimeType: "image/png" },
        ],
      });
    });
    const outcome = await runWith(
      runner,
      "const all = await Promise.all([1, 2, 2].map((n) => tools.shot({ n }))); return all.map((r) => r.content[1].data.length)",
      { bindings: [shot] },
    );
    expect(outcome.images).toEqual(
      Array.from({ length: 3 }, () => ({ type: "image", data: PNG, mimeType: "image/png" })),
    );
    expect(outcome.value).toEqual([PNG.length, PNG.length, PNG.length]);
    expect(outcome.imageCount).toBe(3);
    expect(outcome.text).not.toContain(PNG.slice(0, 20));
  });

  test.each([
    ["not base64", "***", "image/png"],
    ["of another type", Buffer.from("plain words here").toString("base64"), "image/png"],
    ["of a type nobody shows", PNG, "image/x-odd"],
  ])("gets a note in place of a picture that is %s", async (_name, data, mimeType) => {
    const outcome = await runWith(runner, "await tools.shot({}); return 1", {
      bindings: [tool("shot", () => ok("", image(data, mimeType)))],
    });
    expect(outcome.images).toHaveLength(1);
    expect(outcome.images[0]).toMatchObject({ type: "text" });
    expect(outcome.images[0]?.text).toMatch(/left out/);
  });

  test("attaches no picture when it fails or pictures are blocked, and states how many", async () => {
    const bindings = [tool("shot", () => ok("", image()))];
    const failed = await runWith(runner, "await tools.shot({}); throw new Error('x')", { bindings });
    expect([failed.images, failed.text]).toEqual([[], expect.stringMatching(/1 image was not attached/)]);
    const blocked = await runWith(runner, "await tools.shot({}); await tools.shot({}); return 1", {
      bindings,
      blockImages: true,
    });
    expect([blocked.images, blocked.text]).toEqual([[], expect.stringMatching(/2 images were not attached/)]);
  });

  test("is warned when a tool cut its own result", async () => {
    const bindings = [tool("read", () => ok("part", { details: { truncation: { truncated: true } } }))];
    expect(
      (await runWith(runner, "await tools.read({}); await tools.read({}); return 1", { bindings })).text,
    ).toMatch(/Warning: read cut its own result/);
  });

  test("finds tools by search and description", async () => {
    const find = (what: string, query: string): never => ({ what, query }) as never;
    expect(
      (await runWith(runner, 'return [await searchTools("files"), await describeTool("echo")]', { find }))
        .value,
    ).toEqual([
      { what: "search", query: "files" },
      { what: "describe", query: "echo" },
    ]);
  });

  test("keeps values for later programs, but only when it ends well", async () => {
    const first = await runWith(
      runner,
      'store("a", { n: 1 }); store("b", 2); store("b", undefined); return load("a").n + (load("old")?.x ?? 0)',
      { store: { old: '{"x":5}' } },
    );
    expect(first).toMatchObject({ value: 6, store: { a: '{"n":1}', b: null } });
    expect((await runWith(runner, 'store("a", 1); throw 1')).store).toEqual({});
  });

  test("cannot keep more than the store holds, nor what is no JSON", async () => {
    const source = `const tries = []; for (const [k, v] of [["big", "x".repeat(262200)], ["fn", () => 1], ["", 1]]) { try { store(k, v); tries.push("kept") } catch (e) { tries.push(e.name) } }
      try { for (let i = 0; i < 6; i++) store("k" + i, "y".repeat(200000)); tries.push("all") } catch (e) { tries.push(e.name) } return tries`;
    expect((await runWith(runner, source)).value).toEqual([
      "RangeError",
      "TypeError",
      "TypeError",
      "RangeError",
    ]);
  });

  test("reports its calls, lines and phases while it runs, and nothing after its end", async () => {
    const seen: RunProgress[] = [];
    let ended = false;
    const outcome = await runWith(
      runner,
      'phase("one"); log("said"); console.log("printed"); await tools.echo({ text: "x" }); return 1',
      {
        tool: "workflow",
        onProgress: (progress) => {
          if (ended) throw new Error("progress after the end");
          seen.push(progress());
        },
      },
    );
    ended = true;
    expect(outcome.ok).toBe(true);
    const last = seen.at(-1);
    expect(last?.phases).toEqual(["one"]);
    expect(last?.narrations).toEqual(["said"]);
    expect(last?.logs).toEqual(["printed"]);
    expect(seen.some((progress) => progress.subCalls[0]?.status === "running")).toBe(true);
    expect(last?.subCalls[0]).toMatchObject({ name: "echo", status: "ok", args: "text: x" });
  });
});
