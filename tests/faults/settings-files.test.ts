/** Settings files as editors, people and accidents leave them (faults 31), and the package over reloads and twice (33), in real pis. */

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { PiHome, program } from "../pi/real-pi.ts";
import { RpcPi } from "../pi/rpc-pi.ts";

const CHECKOUT = join(import.meta.dirname, "../..");

let home: PiHome;
let file: string;
beforeAll(async () => {
  home = await PiHome.open();
  file = join(home.home.agentDir, "ptc.json");
}, 60_000);
afterEach(() => rmSync(file, { recursive: true, force: true }));
afterAll(() => home.close());

/** Writes the file, or does something else in its place. */
type Accident = string | (() => void);

const ACCIDENTS: Record<string, [accident: Accident, told: RegExp]> = {
  missing: [() => undefined, /^$/],
  empty: ["", /: the file is empty; write \{\} or delete it; the defaults apply\n$/],
  blank: [" \n\t", /: the file is empty/],
  broken: ['{ "engine": "node", ', /: not valid JSON .*; the defaults apply\n$/],
  "with a comment": ['{ "engine": "node" } // mine', /: not valid JSON/],
  "an array": ['["engine"]', /: the file holds an array; it must hold one JSON object/],
  "a number": ["1", /: the file holds 1; it must hold one JSON object/],
  "of wrong types": [
    '{ "engine": 1, "limits": { "timeoutMs": "1" }, "retention": [], "surfaceMode": true, "childArgs": "--x" }',
    /engine is 1; .*\n.*limits\.timeoutMs is "1"; .*\n.*retention is an empty array; .*\n.*surfaceMode is true; .*\n.*childArgs is "--x"; .*\n$/,
  ],
  "with unknown keys": [
    '{ "engin": "node", "xyz": {} }',
    /unknown key "engin" .*did you mean engine\?.*\n.*unknown key "xyz" .*known keys: defaultMode, .*\n$/,
  ],
  "with __proto__": [
    '{ "__proto__": { "engine": "quickjs" }, "constructor": 1 }',
    /unknown key "__proto__" .*\n.*unknown key "constructor" .*\n$/,
  ],
  unreadable: [() => symlinkSync(file, file), /: cannot be read \(ELOOP\); the defaults apply\n$/],
  "a directory": [() => mkdirSync(file), /: this is a directory, not a settings file; the defaults apply\n$/],
  "a device": [
    () => symlinkSync("/dev/zero", file),
    /: this is no regular file, not a settings file; the defaults apply\n$/,
  ],
  huge: [
    `{ "x": "${"y".repeat(2 ** 20)}" }`,
    /: the file has \d+ bytes; settings have at most 1048576; the defaults apply\n$/,
  ],
};

describe("a settings file", () => {
  test.each(Object.entries(ACCIDENTS))(
    "(%s) is told line by line on stderr, and programs run by the defaults",
    async (_title, [accident, told]) => {
      if (typeof accident === "string") writeFileSync(file, accident);
      else accident();
      const { code, stderr, ends } = await home.play({ steps: [[program("return process.pid")]] });
      expect(code).toBe(0);
      expect(ends[0]).toMatchObject({ isError: false, text: expect.stringMatching(/^\d+$/) });
      expect(stderr).toMatch(told);
      for (const line of stderr.split("\n").filter(Boolean))
        expect(line.startsWith(`pi-ptc-subagents: ${file}: `)).toBe(true);
      if (typeof accident === "string") expect(readFileSync(file, "utf8")).toBe(accident);
    },
  );

  test("that is broken and asks for QuickJS does not let programs out of it", async () => {
    writeFileSync(file, '{ "engine": "quickjs" } // mine');
    const { stderr, ends } = await home.play({ steps: [[program("return typeof process")]] });
    expect(ends[0]).toMatchObject({ isError: false, text: "undefined" });
    expect(stderr).toContain('the defaults apply, with the engine "quickjs" that it names');
  });

  test("that an editor was just writing is read by the next reload", async () => {
    writeFileSync(file, '{ "surfaceMode": "sub');
    const pi = new RpcPi(home, { steps: [], extensions: ["kit-extension.ts"] });
    const told = pi.next(({ type, method }) => type === "extension_ui_request" && method === "notify");
    expect(await told).toMatchObject({ message: expect.stringContaining("not valid JSON") });
    writeFileSync(file, '{ "surfaceMode": "subagents" }');
    await pi.send({ type: "prompt", message: "/kit-reload" });
    const answer = pi.next(
      ({ type, message }) => type === "extension_ui_request" && String(message).startsWith("Surface"),
    );
    await pi.send({ type: "prompt", message: "/ptc surface" });
    expect(await answer).toMatchObject({ message: expect.stringContaining("subagents (surfaceMode in") });
    expect(await pi.close()).toBe(0);
  }, 30_000);

  test("that is written over and over while pis start never stops one", async () => {
    const texts = ['{ "engine": "node" }', '{ "limits": { "spares": 0 } }'];
    let count = 0;
    const writing = setInterval(() => writeFileSync(file, texts[(count += 1) % 2] ?? ""), 1);
    try {
      const starts = await Promise.all([1, 2, 3].map(() => home.play({ steps: [[program("return 7")]] })));
      for (const { code, ends, stderr } of starts) {
        expect([code, ends[0]?.text]).toEqual([0, "7"]);
        expect(stderr).toMatch(/^(.*ptc\.json: (not valid JSON|the file is empty).*\n)?$/);
      }
    } finally {
      clearInterval(writing);
    }
  }, 30_000);
});

describe("the package", () => {
  const ptc = ({ type, message }: { type: string; message?: unknown }): boolean =>
    type === "extension_ui_request" && String(message).startsWith("PTC mode");

  test("twice and reloaded is one: one command, one set of tools, and the second copy says so at each start", async () => {
    const copy = join(home.home.root, "second-copy");
    mkdirSync(copy);
    for (const part of ["package.json", "src", "dist"])
      cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
    const pi = new RpcPi(home, {
      steps: [[program("return 1")], "done", [program("return 2")]],
      extensions: [copy, "kit-extension.ts"],
    });
    const standsDown = () =>
      pi.events.filter(({ message }) => String(message).includes("is loaded twice: the copy in ")).length;
    for (const [times, text] of [
      [1, "1"],
      [2, "2"],
    ] as const) {
      if (times > 1) await pi.send({ type: "prompt", message: "/kit-reload" });
      expect((await pi.prompt())[0]?.text).toBe(text);
      const { data } = await pi.send({ type: "get_commands" });
      const names = (data as { commands: { name: string }[] }).commands.map(({ name }) => name);
      expect(names.filter((name) => name.startsWith("ptc"))).toEqual(["ptc"]);
      const answer = pi.next(ptc as never);
      await pi.send({ type: "prompt", message: "/ptc" });
      await answer;
      expect(standsDown()).toBe(times);
    }
    expect(pi.events.filter(ptc as never)).toHaveLength(2);
    expect(await pi.close()).toBe(0);
    await vi.waitFor(() => expect(pi.others()).toEqual([]), { timeout: 10_000, interval: 50 });
  }, 60_000);

  test("leaves no worker waiting when the surface is switched off", async () => {
    const steps = [[program("return 1")], "done"];
    const pi = new RpcPi(home, { steps, extensions: ["kit-extension.ts"] });
    await pi.prompt();
    await vi.waitFor(() => expect(pi.others().length).toBeGreaterThan(0), { timeout: 10_000, interval: 50 });
    await pi.send({ type: "prompt", message: "/ptc surface off" });
    await vi.waitFor(() => expect(pi.others()).toEqual([]), { timeout: 10_000, interval: 50 });
    const { data } = await pi.send({ type: "get_commands" });
    expect(JSON.stringify(data)).not.toContain('"ptc"');
    expect(await pi.close()).toBe(0);
    expect(pi.stderr).toBe("");
  }, 30_000);
});
