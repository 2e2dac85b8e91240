/** Programs in a real pi that is set up otherwise: resumed, with codemode, with settings of its own. */

import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PiHome, program } from "./real-pi.ts";

const EXTENSIONS = ["kit-extension.ts"];

let pi: PiHome;
beforeAll(async () => {
  pi = await PiHome.open();
}, 60_000);
afterAll(() => pi.close());

test("stored values survive a resume, and blocked images stay away from the model", async () => {
  const sessions = ["--session-dir", join(pi.home.root, "sessions")];
  await pi.play({
    extensions: EXTENSIONS,
    session: true,
    args: sessions,
    steps: [[program("store('n', { deep: [1] }); store('__proto__', 2)")]],
  });
  const path = join(pi.home.agentDir, "settings.json");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(before) as object), images: { blockImages: true } }));
  try {
    const steps = [[program("await tools.kit_image({}); return [load('n'), load('__proto__')]")]];
    const { ends } = await pi.play({
      extensions: EXTENSIONS,
      session: true,
      args: [...sessions, "-c"],
      steps,
    });
    expect(ends[0]?.result.structuredContent?.["value"]).toEqual([{ deep: [1] }, 2]);
    expect(ends[0]?.result.content.map((block) => block.type)).toEqual(["text"]);
    expect(ends[0]?.text).toMatch(/Warning: 1 image was not attached/);
  } finally {
    writeFileSync(path, before);
  }
}, 30_000);

test("scripts of pi's codemode call the program tools, get data also from a failed one, and a rejection from a refused one", async () => {
  const code = `
    const call = async (args) => { try { return await tools.ptc_run_code({ description: "d", ...args }) } catch (error) { return "rejected: " + error.message } };
    return JSON.stringify([
      await call({ code: "return { n: 1 }" }),
      await call({ code: "throw new Error('boom')" }),
      await call({ code: "return 1", timeoutMs: "1000" }),
      await tools.ptc_workflow({ meta: { name: "n", description: "d" }, script: "return 1", args: [1] }).catch((error) => error.message),
    ])`;
  const { ends } = await pi.play({
    extensions: EXTENSIONS,
    args: ["--tools", "+codemode"],
    steps: [[{ name: "codemode", args: { code } }]],
  });
  const text = ends[0]?.text ?? "";
  const [good, bad, refused, workflowRefused] = JSON.parse(text.slice(text.indexOf("["))) as [
    object,
    object,
    string,
    string,
  ];
  expect(good).toMatchObject({ ok: true, value: { n: 1 }, calls: { total: 0, failed: 0 } });
  expect(bad).toMatchObject({ ok: false, error: { kind: "exception", message: "boom" } });
  expect(refused).toMatch(/^rejected: .*timeoutMs is "1000"/);
  expect(workflowRefused).toContain("args is an array; args must be an object of plain JSON");
}, 30_000);

test("with engine quickjs programs run without Node, wrong settings are one line each on stderr, and old output is swept", async () => {
  const folder = join(pi.home.env["TMPDIR"] as string, `pi-ptc-${process.getuid?.()}`, "earlier");
  mkdirSync(folder, { recursive: true });
  for (const [name, days] of Object.entries({ old: 8, young: 6 })) {
    writeFileSync(join(folder, name), "");
    utimesSync(join(folder, name), new Date(), new Date(Date.now() - days * 86_400_000));
  }
  pi.settings({ engine: "quickjs", isolaton: "thread" });
  try {
    const source =
      "const { structuredContent } = await tools.kit_weigh({ parcel: 'abc' }); return [structuredContent, typeof process]";
    const { ends, code, stderr, requests } = await pi.play({
      extensions: EXTENSIONS,
      steps: [[program(source)]],
    });
    expect(code).toBe(0);
    expect(ends[0]?.result.structuredContent).toMatchObject({
      ok: true,
      value: [{ grams: 300 }, "undefined"],
    });
    expect(JSON.stringify(requests[0])).toContain("run by QuickJS: no Node");
    expect(stderr).toBe(
      `pi-ptc-subagents: ${join(pi.home.agentDir, "ptc.json")}: unknown key "isolaton" with the value "thread"; did you mean isolation?; ignored\n`,
    );
    expect(readdirSync(folder)).toEqual(["young"]);
  } finally {
    pi.settings({});
  }
}, 30_000);

test("in threads the same programs run", async () => {
  pi.settings({ isolation: "thread" });
  try {
    const steps = [
      [program("return (await tools.kit_weigh({ parcel: 'abc' })).structuredContent")],
      [program("return require === undefined")],
      [program("return process.cwd()")],
    ];
    const { ends, code } = await pi.play({ extensions: EXTENSIONS, steps });
    expect(code).toBe(0);
    expect(ends[0]?.text).toBe("{grams: 300}");
    expect(ends[1]?.isError).toBe(true);
    expect(ends[2]?.text).toBe(pi.home.cwd);
  } finally {
    pi.settings({});
  }
}, 30_000);
