/** Esc on a real screen while notices wait: none is lost and none is told twice (spec 3.5). */

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CALLS_CHILDREN } from "./family.ts";
import { TaskHome, TRIES } from "./task-home.ts";
import { readTelling } from "./task-session.ts";
import { TerminalPi } from "./terminal-pi.ts";

const COUNT = 20;
let home: TaskHome;
beforeAll(async () => {
  home = await TaskHome.open();
}, 60_000);
afterAll(() => home.family.close());

test("twenty tasks end while a command runs and Escape is pressed: each is told once, with the next prompt", async () => {
  home.begin();
  mkdirSync(home.sessions, { recursive: true });
  const { family, sessions } = home;
  const calls = Array.from({ length: COUNT }, (_, index): [string, object] => [
    "ptc_subagent",
    { task: `job-${index}`, background: true },
  ]);
  family.answers.set("start all", ({ results }) => (results.length === 0 ? { calls } : "all started"));
  family.answers.set("sleep long", () => ({ calls: [["bash", { command: "echo asleep; sleep 30" }]] }));
  family.answers.set("go on", () => "going on");
  await using pi = await TerminalPi.open(family.home.home, family.command(CALLS_CHILDREN, sessions));
  await pi.submit("start all");
  await pi.waitFor(/all started/);
  await pi.submit("sleep long");
  await pi.waitFor(/asleep/);
  home.children.finish();
  const outbox = (): string[] => {
    const [folder] = readdirSync(join(sessions, "tasks"));
    return readdirSync(join(sessions, "tasks", String(folder), "outbox"));
  };
  await vi.waitFor(() => expect(outbox()).toHaveLength(COUNT), TRIES);
  await pi.press("escape");
  await pi.waitFor(/abort/i);
  await pi.submit("go on");
  await vi.waitFor(() => {
    const { noticed, told } = readTelling(sessions);
    expect(told.size).toBe(COUNT);
    expect([...noticed.values()]).toEqual(Array.from({ length: COUNT }, () => 1));
    expect(outbox()).toEqual([]);
  }, TRIES);
  await pi.submit("/quit");
  expect(await pi.ended).toBe(0);
  expect(family.leftOver).toEqual([]);
}, 60_000);
