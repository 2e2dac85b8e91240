/** Fault 33 in a real pi: loaded twice, and ending in every way while a program runs. Nothing is left behind. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { CHECKOUT } from "../package/packed.ts";
import { PiHome, program } from "../pi/real-pi.ts";
import { RpcPi } from "../pi/rpc-pi.ts";
import { TerminalPi } from "../pi/terminal-pi.ts";
import { workersIn } from "./processes.ts";

const CHILD = `(await import("node:child_process")).spawn("sleep", ["600"]); console.log("on");`;
const IDLE = `${CHILD} await new Promise(() => setInterval(() => 1, 1000))`;
const LOOP = `${CHILD} for (;;) {}`;
/** Children of a thread's program are pi's own and go on (docs/programs.md). */
const THREAD = `console.log("on"); await new Promise(() => setInterval(() => 1, 1000))`;

let home: PiHome;
beforeAll(async () => {
  home = await PiHome.open();
}, 60_000);
afterEach(() => {
  home.settings({});
  // Only what a test that failed has left.
  for (const pid of workersIn(home.home.cwd)) process.kill(pid, "SIGKILL");
});
afterAll(() => home.close());

/** Nothing of ours runs in pi's folder, and no file of ours lies in its temp folder. */
async function expectNothingLeft(): Promise<void> {
  await vi.waitFor(() => expect(workersIn(home.home.cwd)).toEqual([]), { timeout: 10_000, interval: 50 });
  const outputs = join(home.home.env["TMPDIR"] as string, `pi-ptc-${process.getuid?.()}`);
  const files = existsSync(outputs) ? readdirSync(outputs, { recursive: true, withFileTypes: true }) : [];
  expect(files.filter((entry) => entry.isFile())).toEqual([]);
}

async function startProgram(code: string): Promise<RpcPi> {
  const rpc = new RpcPi(home, { steps: [[program(code)]], extensions: ["kit-extension.ts"] });
  const running = rpc.next((event) => event.type === "tool_execution_update" && showsOutput(event));
  rpc.write({ type: "prompt", message: "go" });
  await running;
  return rpc;
}

const showsOutput = (event: { partialResult?: { details?: Record<string, unknown> } }): boolean =>
  (event.partialResult?.details?.["logs"] as string[] | undefined)?.includes("on") === true;

describe("a pi that ends while a program in a process runs", () => {
  test.each([
    ["SIGTERM", "loops", LOOP],
    ["SIGHUP", "waits", IDLE],
    ["SIGINT", "loops", LOOP],
    ["SIGINT", "waits", IDLE],
    ["SIGKILL", "loops", LOOP],
    ["SIGKILL", "waits", IDLE],
  ] as const)(
    "by %s leaves neither a worker that %s nor what its program started",
    async (signal, _does, code) => {
      const rpc = await startProgram(code);
      expect(workersIn(home.home.cwd).length).toBeGreaterThan(1);
      rpc.kill(signal);
      await rpc.ended;
      await expectNothingLeft();
    },
    30_000,
  );

  test("at the end of its input leaves nothing and exits well", async () => {
    const rpc = await startProgram(IDLE);
    expect(await rpc.close()).toBe(0);
    await expectNothingLeft();
    expect(rpc.stderr).toBe("");
  }, 30_000);

  test("by /quit on its own screen leaves nothing and exits well", async () => {
    await using terminal = await TerminalPi.open(home.home, home.command({ steps: [[program(LOOP)]] }));
    await terminal.submit("please");
    await terminal.waitFor(/Working/);
    await vi.waitFor(() => expect(workersIn(home.home.cwd).length).toBeGreaterThan(1), { timeout: 10_000 });
    await terminal.submit("/quit");
    expect(await terminal.ended).toBe(0);
    await expectNothingLeft();
  }, 60_000);
});

describe.each([
  ["in a thread", { isolation: "thread" }],
  ["on quickjs", { engine: "quickjs" }],
])("a pi that ends while a program %s runs", (_where, settings) => {
  test.each(["SIGTERM", "SIGINT", "SIGKILL", "end of input"] as const)(
    "by %s ends at once and leaves nothing",
    async (how) => {
      home.settings(settings);
      const rpc = await startProgram(THREAD);
      if (how === "end of input") expect(await rpc.close()).toBe(0);
      else rpc.kill(how);
      await rpc.ended;
      await expectNothingLeft();
    },
    30_000,
  );
});

test("a reload while a program runs is refused by pi, and the program goes on", async () => {
  const rpc = await startProgram(IDLE);
  const refused = rpc.next((event) => event.type === "extension_error");
  await rpc.send({ type: "prompt", message: "/kit-reload" });
  expect(await refused).toMatchObject({ error: expect.stringContaining("before reloading") });
  const goesOn = rpc.next((event) => event.type === "tool_execution_update" && showsOutput(event));
  await goesOn;
  await rpc.send({ type: "abort" });
  expect(await rpc.close()).toBe(0);
  await expectNothingLeft();
}, 30_000);

describe("the package twice", () => {
  test("by two roads to one folder is one extension that works", async () => {
    const { code, stderr, ends, requests } = await home.play({
      steps: [[program("return 1")]],
      extensions: [CHECKOUT, join(CHECKOUT, "src/extension.ts")],
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(ends[0]?.text).toBe("1");
    const ours = requests[0]?.tools.map(({ name }) => name).filter((name) => name.startsWith("ptc_"));
    expect(ours?.slice(0, 2)).toEqual(["ptc_run_code", "ptc_workflow"]);
    expect(new Set(ours).size).toBe(ours?.length);
    await expectNothingLeft();
  }, 30_000);

  test("from two folders is one extension that works, and the second copy says that it stands down", async () => {
    const copy = join(home.home.root, "copy");
    mkdirSync(copy);
    for (const part of ["package.json", "src", "dist"])
      cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
    const { code, stderr, ends } = await home.play({ steps: [[program("return 1")]], extensions: [copy] });
    expect(code).toBe(0);
    expect(ends[0]?.text).toBe("1");
    expect(stderr).toContain(
      `loaded twice: the copy in ${CHECKOUT} stands down for the one in ${copy}. Remove`,
    );
    await expectNothingLeft();
  }, 30_000);
});

test("pi -p runs the shutdown handlers of extensions before and after ours, with spares still there", async () => {
  const log = join(home.home.root, "shutdown.log");
  const probe = (name: string): string => {
    const path = join(home.home.root, `${name}.js`);
    const line = `appendFileSync(${JSON.stringify(log)}, "${name} " + event.reason + "\\n")`;
    writeFileSync(
      path,
      `import { appendFileSync } from "node:fs";
       export default (pi) => pi.on("session_shutdown", async (event) => { await null; ${line}; });`,
    );
    return path;
  };
  const { code, stderr } = await home.play({
    steps: [[program("return 1")]],
    extensions: [probe("before"), CHECKOUT, probe("after")],
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readFileSync(log, "utf8").trim().split("\n").toSorted()).toEqual(["after quit", "before quit"]);
  await expectNothingLeft();
}, 30_000);
