/** A child whose dispatching pi is gone takes along all it started (spec 2.3, 2.4): real pis, with and without a wrapper. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { CALLS_CHILDREN, Family } from "../pi/family.ts";

let family: Family;

beforeAll(async () => {
  family = await Family.open();
});
afterEach(() => {
  family.home.settings({});
  // Only what a test that failed has left.
  for (const pid of family.leftOver) process.kill(Number(pid), "SIGKILL");
});
afterAll(() => family.close());

/** Resolves when the condition holds; a liveness bound, no timing. */
async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 600 && !holds(); tries += 1) await sleep(50);
  return holds();
}

const asks = (task: string): boolean => family.server.turns.some((turn) => turn.task === `Task: ${task}`);
const namesOf = (pids: readonly string[]): string[] =>
  pids.map((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim()).toSorted();
const writeIn = (name: string, text: string, mode = 0o600): string => {
  const path = join(family.home.home.root, name);
  writeFileSync(path, text, { mode });
  return path;
};

/** Children run below a shell that waits for them. */
function wrapChildren(): void {
  const text = `#!/bin/sh\n"${process.execPath}" "${PI_CLI}" "$@"\nexit $?\n`;
  family.home.settings({ command: writeIn("wrapped-pi", text, 0o700) });
}

/** A command in a group of its own that pi no longer knows of, and the variables of ours that it sees. */
const COMMAND =
  "setsid sleep 600 >/dev/null 2>&1 & env | grep -o '^PI_PTC_[A-Z_]*' | sort | tr '\\n' ' '; true";

/** Plays parent, child and grandchild until the last waits for its model; the child has left a command running by then. */
async function startThree(name: string, args: readonly string[] = []) {
  const [task, below] = [`child of ${name}`, `grandchild of ${name}`];
  family.answers.set(below, () => ({ hang: true }));
  family.answers.set(task, ({ results }) =>
    results.length === 0
      ? { calls: [["bash", { command: COMMAND }]] }
      : { calls: [["ptc_subagent", { task: below }]] },
  );
  const parent = await startParent(task, () => asks(below), args);
  const seen = family.server.turns.find((turn) => turn.task === `Task: ${task}` && turn.results.length > 0);
  return { parent, variables: seen?.results[0]?.trim() };
}

let number = 0;

/** A pi that dispatches `task`, once `isReady`. */
async function startParent(task: string, isReady: () => boolean, args: readonly string[] = []) {
  // Answers are found by a part of what was asked.
  const prompt = `PARENT-${(number += 1)}.`;
  family.answers.set(prompt, () => ({ calls: [["ptc_subagent", { task }]] }));
  const { cwd, env } = family.home.home;
  const mode = ["--model", "loop/m1", "--no-session", "--mode", "json", "-p", prompt];
  const launch = [PI_CLI, ...args, ...CALLS_CHILDREN, ...mode];
  const parent = spawn(process.execPath, launch, { cwd, env, stdio: "ignore" });
  expect(await until(isReady)).toBe(true);
  return parent;
}

async function kill(parent: ChildProcess): Promise<void> {
  parent.kill("SIGKILL");
  await once(parent, "exit");
}

test("a child ends with its commands and its own child when its pi was killed", async () => {
  const { parent, variables } = await startThree("plain");
  expect(new Set(namesOf(family.leftOver))).toEqual(new Set(["pi", "sleep"]));
  expect(variables).toBe("PI_PTC_BOUNDS PI_PTC_DEPTH PI_PTC_RUN PI_PTC_TREE_SLOTS");
  await kill(parent);
  await until(() => family.leftOver.length === 0);
  expect(namesOf(family.leftOver)).toEqual([]);
}, 90_000);

test("so does one below a wrapper that lives on", async () => {
  const wrapper = writeIn(
    "wrapped-pi",
    `#!/bin/sh\n"${process.execPath}" "${PI_CLI}" "$@"\nexit $?\n`,
    0o700,
  );
  family.home.settings({ command: wrapper });
  const { parent } = await startThree("wrapper");
  expect(new Set(namesOf(family.leftOver))).toEqual(new Set(["pi", "sleep", "wrapped-pi"]));
  await kill(parent);
  await until(() => family.leftOver.length === 0);
  expect(namesOf(family.leftOver)).toEqual([]);
}, 90_000);

test("so does one that has nothing to write, and so never meets the broken pipe", async () => {
  wrapChildren();
  family.answers.set("silent", () => ({ hang: true }));
  const parent = await startParent("silent", () => asks("silent"));
  await kill(parent);
  await until(() => family.leftOver.length === 0);
  expect(namesOf(family.leftOver)).toEqual([]);
}, 90_000);

test("so does one that does not end when it is asked to", async () => {
  const stuck = writeIn(
    "stuck.ts",
    'export default (pi) => pi.on("session_shutdown", () => new Promise(() => setInterval(() => 0, 1000)));\n',
  );
  const { parent } = await startThree("stuck", ["-e", stuck]);
  await kill(parent);
  await until(() => family.leftOver.length === 0);
  expect(namesOf(family.leftOver)).toEqual([]);
}, 90_000);

test("a child that lives does not mind that its wrapper is another process than its pi", async () => {
  wrapChildren();
  // Longer than a few looks at the parent.
  const answer = async () => (await sleep(3_500), "well done");
  family.answers.set("task behind a wrapper", answer as never);
  const { ends } = await family.parent("P-behind", [
    { name: "ptc_subagent", args: { task: "task behind a wrapper" } },
  ]);
  expect(ends[0]).toMatchObject({ isError: false, text: expect.stringContaining("well done") });
}, 90_000);
