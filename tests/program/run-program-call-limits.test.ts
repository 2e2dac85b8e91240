/** What calls may carry, and what a failed one tells. */

import { expect, test } from "vitest";
import { describeOnVessels } from "./conformance.ts";
import { ok, runWith, testRunner, tool } from "./vessels.ts";

describeOnVessels("a program in a %s", (vessel) => {
  const runner = testRunner(vessel);

  test("cannot stall pi with arguments of millions of values, nor fill it with many large ones at once", async () => {
    let open = 0;
    let most = 0;
    const hold = tool("hold", async (args: { junk: string }) => {
      open += args.junk.length;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= args.junk.length;
      return ok("");
    });
    const source = `const row = new Array(1000).fill({});
      const refused = await tools.hold({ junk: "", rows: new Array(600).fill(row) }).catch((error) => error.message);
      const all = await Promise.all(Array.from({ length: 9 }, () => tools.hold({ junk: "x".repeat(10_000_000) })));
      return [refused, all.length]`;
    const outcome = await runWith(runner, source, { bindings: [hold] });
    expect(outcome.value).toEqual([
      expect.stringMatching(/cannot be sent: they hold more than 500000 values/),
      9,
    ]);
    expect(most).toBeLessThanOrEqual(40_000_000);
  });

  test("is told where a call was made that failed and which tool it was", async () => {
    const outcome = await runWith(runner, 'const a = 1;\nawait tools.failing({ text: "ENOENT" });\nreturn a');
    expect(outcome.error?.message).toBe("ToolCallError (failing): ENOENT");
    expect(outcome.error?.excerpt).toContain("program:2:13");
  });

  test("may have a tool named then, which makes no thenable of tools", async () => {
    const outcome = await runWith(runner, "const t = await tools; return typeof t.then", {
      bindings: [tool("then", () => ok(""))],
    });
    expect(outcome).toMatchObject({ ok: true, value: "undefined" });
  });

  test("keeps in its store only what is plain JSON", async () => {
    const source =
      'const tries = []; for (const v of [new Map(), NaN, { a: [new Date()] }]) { try { store("k", v); tries.push("kept") } catch (e) { tries.push(e.message) } } return tries';
    const value = (await runWith(runner, source)).value as string[];
    expect(
      value.map((text) =>
        /^store: the value of "k".* is (a Map|NaN|a Date); only plain JSON is kept$/.test(text),
      ),
    ).toEqual([true, true, true]);
  });
});
