/** The children of one session (spec 2.4, 2.6): whoever started them, one list and one end. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { LiveChildren } from "../../src/children/live-children.ts";
import { answer, eventually, expectNoneMarked, marked, message, PlayRoom } from "./played-child.ts";

const room = new PlayRoom();
afterAll(() => room.close());

const exitListeners = (): number => process.listenerCount("exit");

describe("the children of a session", () => {
  test("are listed from their start to their result, in order", async () => {
    const live = new LiveChildren();
    const go = join(room.folder, "go");
    const first = live.start(room.prepare([{ until: go }, answer("one")]).plan);
    const second = live.start(room.prepare([answer("two")]).plan);
    expect(live.running()).toEqual([first, second]);
    expect((await second.result).text).toBe("two");
    expect(live.running()).toEqual([first]);
    await live.close("the session ended");
    expect(live.running()).toEqual([]);
  });

  test("are told of by the listener that each was started with", async () => {
    const live = new LiveChildren();
    let changes = 0;
    const child = live.start(room.prepare([answer("one")]).plan, { onChange: () => (changes += 1) });
    await child.result;
    expect(changes).toBeGreaterThan(0);
    await live.close("the session ended");
  });

  test("are all stopped when it closes, with the reason, and with what they had", async () => {
    const live = new LiveChildren();
    const children = [
      room.prepare([{ out: message("half") }, { hang: true }]),
      room.prepare([{ hang: true }]),
    ];
    const [first] = children.map(({ plan }) => live.start(plan));
    await eventually(() => first?.progress().turns === 1, "the first child has answered");
    const results = await live.close("the session ended");
    expect(results.map(({ status, text, errorMessage }) => [status, text, errorMessage])).toEqual([
      ["rejected", "half", "the session ended"],
      ["rejected", "", "the session ended"],
    ]);
    expect(children.map(({ disposed }) => disposed())).toEqual([1, 1]);
    for (const { plan } of children) await expectNoneMarked(plan.marker);
  });

  test("are none after it closed: a start is a refusal that gives its slot back", async () => {
    const live = new LiveChildren();
    await live.close("the session ended");
    const { plan, record, disposed } = room.prepare([answer("late")]);
    const result = await live.start(plan).result;
    expect(result).toMatchObject({ status: "rejected", started: false });
    expect([record(), disposed()]).toEqual([undefined, 1]);
  });

  test("leave no handler of theirs on this process", async () => {
    const before = exitListeners();
    const live = new LiveChildren();
    const children = [1, 2, 3].map((n) => live.start(room.prepare([answer(`${n}`)]).plan));
    expect(exitListeners()).toBe(before + 1);
    await Promise.all(children.map(({ result }) => result));
    await live.close("the session ended");
    expect(exitListeners()).toBe(before);
  });
});

test("a process that exits kills its children with all below them, and their slots and files are given back", async () => {
  const { plan } = room.prepare([
    { ignore: "SIGTERM" },
    { shell: "setsid sleep 60 & sleep 61" },
    { out: message("on") },
    { hang: true },
  ]);
  const module = pathToFileURL(join(import.meta.dirname, "../../src/children/live-children.ts")).href;
  const script = `
    import { LiveChildren } from ${JSON.stringify(module)};
    const plan = { ...${JSON.stringify({ ...plan, dispose: undefined })}, dispose: () => console.log("given back") };
    const child = new LiveChildren().start(plan, { onChange: () => console.log("on") });
    process.stdin.on("end", () => process.exit(7)).resume();`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  host.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await eventually(
    () => said.includes("on") && marked(plan.marker).length >= 4,
    "the child and its commands run",
  );
  host.stdin.end();
  expect(await once(host, "exit")).toEqual([7, null]);
  await expectNoneMarked(plan.marker);
  expect(said.trim().split("\n").at(-1)).toBe("given back");
});
