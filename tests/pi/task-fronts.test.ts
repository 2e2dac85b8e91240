/** Background tasks as the model, programs and codemode scripts meet them, with real pis for children (spec 3.4, 3.6). */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Family, subagent } from "./family.ts";
import { program } from "./real-pi.ts";
import { dataOf, leavesNothing } from "./task-home.ts";

let family: Family;
beforeAll(async () => {
  family = await Family.open();
  // First, since a notice quotes the label of its task.
  family.answers.set("<bg-task-notifications", () => "noted");
}, 60_000);
afterAll(async () => {
  await leavesNothing(family);
  await family.close();
});

test("a program starts a child in the background, reads what it has said so far, and pi -p waits for its end", async () => {
  const go = join(family.home.home.root, "go-on");
  family.answers.set("slow work", ({ results }) =>
    results.length === 0
      ? { text: "first words ü", calls: [["bash", { command: `until [ -e '${go}' ]; do sleep 0.1; done` }]] }
      : "last words",
  );
  const code = `
    const handle = await tools["pi.dispatch"]({ task: "slow work", label: "slow", background: true });
    let part;
    do part = (await tools.ptc_task_output({ taskId: handle.taskId, sinceBytes: 0 })).structuredContent;
    while (part.output === "");
    await tools.bash({ command: "touch '${go}'" });
    return { handle, part };`;
  const played = await family.parent("P-program", [program(code)]);
  const { handle, part } = dataOf(played.ends[0])["value"] as Record<string, Record<string, unknown>>;
  expect(handle).toEqual({
    taskId: expect.stringMatching(/^[0-9A-Z]{26}$/),
    label: "slow",
    status: "running",
  });
  expect(part).toMatchObject({
    task_id: handle?.["taskId"],
    status: "running",
    output: "first words ü",
    output_bytes: 14,
    next_offset: 14,
    output_truncated: false,
  });
  expect(played.stderr.split("\n").filter(Boolean)).toEqual([
    "waiting for 1 background task (at most 600000 ms)",
    "background tasks have ended",
  ]);
  const notice = family.server.turns.at(-1)?.task ?? "";
  expect(notice).toContain('status="succeeded" label="slow"');
  expect(notice).toContain("first words ü\n\nlast words");
}, 30_000);

test("a codemode script starts, lists, reads and stops by objects alone, and a refused start rejects", async () => {
  family.answers.set("hang on", () => ({ hang: true }));
  const code = `
    const t = await tools.ptc_subagent({ task: "hang on", background: true });
    const listed = await tools.ptc_task_list({ status: ["running"] });
    const read = await tools.ptc_task_output({ taskId: t.task_id });
    const stopped = await tools.ptc_task_stop({ taskId: t.task_id });
    const refused = await tools.ptc_subagent({ task: "", background: true }).then(() => "no", (e) => String(e));
    const unknown = await tools.ptc_task_output({ taskId: "nope" }).then(() => "no", (e) => String(e));
    text(JSON.stringify({ t, listed, read, stopped, refused, unknown }));`;
  const { ends } = await family.parent("P-codemode", [{ name: "codemode", args: { code } }], {
    args: ["--tools", "+codemode"],
  });
  const said = JSON.parse(ends[0]?.text.match(/\{.*\}/s)?.[0] ?? "{}") as Record<
    string,
    Record<string, unknown>
  >;
  const id = said["t"]?.["task_id"];
  expect(said).toEqual({
    t: { status: "running", report_channel: "pending", task_id: id },
    listed: {
      tasks: [{ id, status: "running", agent: "default", depth: 1, label: "hang on", output_bytes: 0 }],
      count: 1,
    },
    read: {
      task_id: id,
      status: "running",
      output: "",
      output_bytes: 0,
      output_truncated: false,
      next_offset: 0,
    },
    stopped: { task_id: id, status: "stopping", from_status: "running", stop_reason: "model stop" },
    refused: expect.stringContaining("task is blank"),
    unknown: expect.stringContaining('taskId "nope" is no task id'),
  });
}, 30_000);

test("pi -p stops what still runs after printWaitMs, and the model is told that it is lost", async () => {
  family.home.settings({ printWaitMs: 300 });
  const played = await family.parent("P-wait", [subagent({ task: "hang on", background: true })]);
  family.home.settings({});
  expect(played.code).toBe(0);
  expect(played.stderr).toContain("background tasks were stopped and are lost");
  const temporary = readdirSync(join(family.home.home.root, "tmp"));
  expect(temporary.filter((name) => name.startsWith("pi-ptc-tasks"))).toEqual([]);
  expect(family.server.turns.at(-1)?.task).toContain('status="lost"');
}, 30_000);

test("a child's session and output are private, and a later pi --continue still finds the parent's session", async () => {
  family.answers.set("keep it", () => "kept");
  const sessions = join(family.home.home.root, "kept-sessions");
  const played = await family.parent("P-kept", [subagent({ task: "keep it", background: true })], {
    sessionDir: sessions,
  });
  const stderr = expect.stringMatching(/^(?:waiting for 1 [^\n]*\nbackground tasks have ended\n)?$/);
  expect({ code: played.code, stderr: played.stderr }).toEqual({ code: 0, stderr });
  const id = String(dataOf(played.ends[0])["task_id"]);
  expect(readdirSync(sessions).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  const [folder] = readdirSync(join(sessions, "tasks"));
  const task = join(sessions, "tasks", String(folder), id);
  expect(statSync(task).mode & 0o777).toBe(0o700);
  expect(statSync(join(task, "output.log")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(task, "session"))).toEqual([expect.stringContaining(`_${id}.jsonl`)]);
  expect(existsSync(join(sessions, "tasks", String(folder), `${id}.json`))).toBe(true);
}, 30_000);
