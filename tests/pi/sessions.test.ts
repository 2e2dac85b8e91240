/** Programs over the life of a real pi: new sessions, reloads, dialogs, aborts, ends. */

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { PiHome, program } from "./real-pi.ts";
import { RpcPi } from "./rpc-pi.ts";

const ENDLESS = "console.log('on'); await new Promise(() => setInterval(() => 1, 1000))";
const EXTENSIONS = ["kit-extension.ts"];

let home: PiHome;
let pi: RpcPi | undefined;
beforeAll(async () => {
  home = await PiHome.open();
}, 60_000);
afterEach(async () => {
  await pi?.close();
  pi = undefined;
});
afterAll(() => home.close());

const started = (rpc: RpcPi) =>
  rpc.next((event) => event.type === "tool_execution_update" && event.toolName === "ptc_run_code");
const gone = (rpc: RpcPi) =>
  vi.waitFor(() => expect(rpc.others()).toEqual([]), { timeout: 10_000, interval: 50 });

test("programs run before and after a new session and a reload, each with the store of its own branch, and pi's end leaves nothing", async () => {
  const steps = [
    [program("store('a', 1); return load('a')")],
    "done",
    [program("return load('a') === undefined")],
    "done",
    [program("return process.pid")],
    "done",
  ];
  pi = new RpcPi(home, { steps, extensions: EXTENSIONS });
  expect((await pi.prompt())[0]?.text).toBe("1");
  await pi.send({ type: "new_session" });
  expect((await pi.prompt())[0]?.text).toBe("true");
  await pi.send({ type: "prompt", message: "/kit-reload" });
  expect(Number((await pi.prompt())[0]?.text)).toBeGreaterThan(1);
  const rpc = pi;
  expect(await pi.close()).toBe(0);
  await gone(rpc);
  expect(rpc.stderr).toBe("");
}, 30_000);

test("the store follows the tree of the session and survives a resume on the branch it ended with", async () => {
  const keep = (value: number) => [program(`store("n", ${value}); return load("n")`)];
  const read = [program("return load('n') ?? null")];
  const args = ["--session-dir", join(home.home.root, "tree-sessions")];
  const play = { extensions: EXTENSIONS, session: true, args };
  pi = new RpcPi(home, {
    ...play,
    steps: [keep(1), "done", keep(2), "done", read, "done", keep(3), "done", read, "done"],
  });
  const run = async (rpc: RpcPi): Promise<string | undefined> => (await rpc.prompt())[0]?.text;
  expect([await run(pi), await run(pi)]).toEqual(["1", "2"]);
  await pi.send({ type: "prompt", message: "/kit-tree 1" });
  expect([await run(pi), await run(pi)]).toEqual(["1", "3"]);
  await pi.send({ type: "prompt", message: "/kit-tree 2" });
  expect(await run(pi)).toBe("2");
  await pi.close();
  pi = new RpcPi(home, { ...play, args: [...args, "-c"], steps: [read] });
  expect(await run(pi)).toBe("2");
}, 30_000);

test("a new session ends the program that runs, and the next one runs", async () => {
  pi = new RpcPi(home, { steps: [[program(ENDLESS)], [program("return 2")]], extensions: EXTENSIONS });
  const rpc = pi;
  const running = started(rpc);
  rpc.write({ type: "prompt", message: "go" });
  await running;
  const ended = rpc.next((event) => event.type === "tool_execution_end");
  await rpc.send({ type: "new_session" });
  expect(await ended).toMatchObject({ isError: true, result: { details: { error: { kind: "abort" } } } });
  await gone(rpc);
  expect((await rpc.prompt())[0]?.text).toBe("2");
}, 30_000);

test("a dialog stops the clock of the program that waits for it", async () => {
  pi = new RpcPi(home, {
    steps: [[program("return (await tools.kit_ask({})).content[0].text", { timeoutMs: 400 })]],
    extensions: EXTENSIONS,
  });
  const asked = pi.next((event) => event.type === "extension_ui_request" && event["method"] === "confirm");
  const done = pi.prompt();
  const { id } = await asked;
  await new Promise((resolve) => setTimeout(resolve, 900));
  pi.write({ type: "extension_ui_response", id, confirmed: true });
  expect((await done)[0]).toMatchObject({ isError: false, text: "true" });
}, 30_000);

test("an aborted run ends the program and its calls, and pi goes on", async () => {
  pi = new RpcPi(home, {
    steps: [[program("await tools.kit_hold({})")], [program("return 4")]],
    extensions: EXTENSIONS,
  });
  const held = pi.next((event) => event.type === "tool_execution_start" && event.toolName === "kit_hold");
  const first = pi.prompt();
  await held;
  await pi.send({ type: "abort" });
  expect((await first)[0]).toMatchObject({ isError: true, text: expect.stringContaining("(abort)") });
  expect((await pi.prompt())[0]?.text).toBe("4");
}, 30_000);

test("settings that are wrong are told by a warning, and a healthy session says nothing", async () => {
  home.settings("{");
  pi = new RpcPi(home, { steps: [[program("return 5")]] });
  const told = pi.next((event) => event.type === "extension_ui_request" && event["method"] === "notify");
  expect((await pi.prompt())[0]?.text).toBe("5");
  expect(await told).toMatchObject({
    notifyType: "warning",
    message: expect.stringContaining("ptc.json: not valid JSON"),
  });
  await pi.close();
  home.settings({});
  pi = new RpcPi(home, { steps: [[program("return 6")]] });
  expect((await pi.prompt())[0]?.text).toBe("6");
  expect(pi.events.filter((event) => event.type === "extension_ui_request")).toEqual([]);
}, 30_000);
