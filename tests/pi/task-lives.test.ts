/** What becomes of background tasks when their session ends, is replaced, reloaded or killed (spec 3.3, 3.5). */

import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { RpcPi } from "./rpc-pi.ts";
import { dataOf, leavesNothing, TaskHome, TRIES } from "./task-home.ts";
import { readTelling } from "./task-session.ts";

let home: TaskHome;
const open: RpcPi[] = [];
beforeAll(async () => {
  home = await TaskHome.open();
}, 60_000);
beforeEach(() => home.begin());
afterEach(async () => {
  home.children.finish();
  for (const pi of open.splice(0)) await pi.close();
  await leavesNothing(home.family);
});
afterAll(() => home.family.close());

const start = (args: string[] = []): RpcPi => {
  const pi = home.rpc(args);
  open.push(pi);
  return pi;
};
const status = async (pi: RpcPi, id: string): Promise<unknown> => {
  const [end] = await home.calls(pi, `look at ${id}`, [["ptc_task_output", { taskId: id }]]);
  return dataOf(end)["status"];
};

test("a new session ends the tasks of the old one as lost; others list them, and the old one tells of them with its next first prompt, by no run of its own", async () => {
  const pi = start();
  const [id] = (await home.start(pi, ["one"])) as [string];
  const file = home.sessionFile;
  await pi.send({ type: "new_session" });
  expect(await home.becomes(id, "lost")).toMatchObject({ stopReason: "session_ended_while_running" });
  expect(home.family.leftOver).toEqual([]);
  const turns = home.family.server.turns.length;
  const listed = pi.next(({ type, method }) => type === "extension_ui_request" && method === "notify");
  await pi.send({ type: "prompt", message: "/ptc tasks" });
  expect((await listed)["message"]).toMatch(new RegExp(`^${id} {2}lost .* session=[0-9a-f-]{36}$`));
  await pi.send({ type: "switch_session", sessionPath: file });
  home.family.answers.set("hello", () => "done");
  expect(home.family.server.turns.length).toBe(turns);
  await pi.prompt("hello");
  expect(JSON.stringify(home.family.server.turns.at(-1)?.messages)).toContain(`task-id=\\"${id}\\"`);
  expect(readTelling(home.sessions).told).toEqual(new Set([id]));
});

test("a reload keeps the children running, with their slots, and the reloaded extension tells of their end", async () => {
  home.configure({ limits: { dispatchConcurrency: 1 } });
  const pi = start();
  const [id] = (await home.start(pi, ["one"])) as [string];
  await pi.send({ type: "prompt", message: "/kit-reload" });
  expect(await status(pi, id)).toBe("running");
  const [refused] = await home.calls(pi, "one more", [["ptc_subagent", { task: "two", background: true }]]);
  expect(refused?.text).toContain("dispatch concurrency limit reached");
  expect(refused?.text).toContain("ptc_task_stop");
  const told = pi.next(({ type }) => type === "agent_settled");
  home.children.finish();
  await vi.waitFor(() => expect(readTelling(home.sessions).told).toEqual(new Set([id])), TRIES);
  await told;
  expect(await home.becomes(id, "succeeded")).toMatchObject({ outputPreview: "answer of one" });
  const [ran] = await home.calls(pi, "again", [["ptc_subagent", { task: "three" }]]);
  expect(dataOf(ran)).toMatchObject({ status: "fulfilled", text: "answer of three" });
});

test("a fork tells once of the tasks that were started on its branch", async () => {
  const pi = start();
  const [id] = (await home.start(pi, ["one"])) as [string];
  await pi.send({ type: "clone" });
  await home.becomes(id, "lost");
  home.family.answers.set("hello", () => "done");
  await pi.prompt("hello");
  await pi.prompt("hello");
  const shown = JSON.stringify(home.family.server.turns.at(-1)?.messages);
  expect(shown.split(`task-id=\\"${id}\\"`)).toHaveLength(2);
  expect(await status(pi, id)).toBe("lost");
});

test("a branch that left before the notice is told there once, and one from before the task never", async () => {
  const pi = start();
  home.family.answers.set("before", () => "done");
  await pi.prompt("before");
  const [id] = (await home.start(pi, ["one"])) as [string];
  const told = pi.next(({ type }) => type === "agent_settled");
  home.children.finish();
  await vi.waitFor(() => expect(readTelling(home.sessions).told).toEqual(new Set([id])), TRIES);
  await told;
  const said = (): number =>
    JSON.stringify(home.family.server.turns.at(-1)?.messages).split(`task-id=\\"${id}\\"`).length - 1;
  home.family.answers.set("hello", () => "hi");
  await pi.send({ type: "prompt", message: "/kit-tree 2" });
  await pi.prompt("hello");
  expect(said()).toBe(1);
  await pi.prompt("hello");
  expect(said()).toBe(1);
  await pi.send({ type: "prompt", message: "/kit-tree 1" });
  await pi.prompt("hello");
  expect(said()).toBe(0);
});

test("after pi was killed its tasks are lost, their children are gone, and the resumed session is told once", async () => {
  const pi = start();
  const ids = await home.start(pi, ["one", "two"]);
  pi.kill("SIGKILL");
  await pi.ended;
  expect(home.family.leftOver.length).toBeGreaterThan(0);
  const again = start(["--session", home.sessionFile]);
  home.family.answers.set("hello", () => "done");
  await again.prompt("hello");
  for (const id of ids)
    expect(await home.becomes(id, "lost")).toMatchObject({ stopReason: "lost_on_session_restart" });
  await vi.waitFor(() => expect(home.family.leftOver).toEqual([]), TRIES);
  const { noticed, told } = readTelling(home.sessions);
  expect(told).toEqual(new Set(ids));
  expect([...noticed.values()]).toEqual([1, 1]);
});

test("another pi on the same session neither reaps nor stops the tasks of a living one", async () => {
  const pi = start();
  const [id] = (await home.start(pi, ["one"])) as [string];
  const before = readFileSync(home.sessionFile, "utf8");
  const other = start(["--session", home.sessionFile]);
  const [stop] = await home.calls(other, "stop it", [["ptc_task_stop", { taskId: id }]]);
  expect(stop).toMatchObject({ isError: true });
  expect(stop?.text).toMatch(/another pi/);
  expect(stop?.result.structuredContent).toBeUndefined();
  expect(home.record(id)).toMatchObject({ status: "running" });
  expect(before).not.toBe("");
});

test("a stop by the model ends the child and is not announced; a second stop names the state", async () => {
  const pi = start();
  const [id] = (await home.start(pi, ["one"])) as [string];
  const [stop] = await home.calls(pi, "stop it", [["ptc_task_stop", { taskId: id, reason: "enough" }]]);
  expect(stop?.text).toBe(`${id}  stopping  reason=enough`);
  expect(dataOf(stop)).toEqual({
    task_id: id,
    status: "stopping",
    from_status: "running",
    stop_reason: "enough",
  });
  expect(await home.becomes(id, "canceled")).toMatchObject({ stopReason: "enough" });
  expect(home.record(id)).not.toHaveProperty("reportChannel");
  const [again] = await home.calls(pi, "once more", [["ptc_task_stop", { taskId: id }]]);
  expect(again).toMatchObject({ isError: true });
  expect(again?.text).toContain("canceled");
  home.family.answers.set("hello", () => "done");
  await pi.prompt("hello");
  expect(readTelling(home.sessions).noticed.size).toBe(0);
});

test.each([
  ["steer", 1],
  ["quiet", 0],
] as const)("with notify %s no run is started; the next prompt carries %i notices", async (notify, count) => {
  home.configure({ notify });
  const pi = start();
  const [id] = (await home.start(pi, ["one"])) as [string];
  home.children.finish();
  await home.becomes(id, "succeeded");
  const turns = home.family.server.turns.length;
  home.family.answers.set("hello", () => "done");
  await pi.prompt("hello");
  expect(home.family.server.turns.length).toBe(turns + 1);
  expect(readTelling(home.sessions).noticed.size).toBe(count);
  const [list] = await home.calls(pi, "list them", [["ptc_task_list", {}]]);
  expect(list?.text.includes("not been told")).toBe(notify === "quiet");
  expect(await status(pi, id)).toBe("succeeded");
  const [after] = await home.calls(pi, "list again", [["ptc_task_list", {}]]);
  expect(after?.text).not.toContain("not been told");
});
